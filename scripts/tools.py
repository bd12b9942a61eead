"""What the scripts share: the program under test, and a plain ELM327 in a car with one ECU."""

import os
import pty
import socket
import sys
import tty

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ANSWERS = {"ATI": "ELM327 v1.5", "ATZ": "ELM327 v1.5", "ATWS": "ELM327 v1.5", "ATDPN": "A6", "ATRV": "12.6V",
           "0100": "7E806410000180000", "010C": "7E804410C1AF8", "010D": "7E803410D0A"}


def program():
    """The program that OBDSCAN names, or the one that was built."""
    places = [os.environ.get("OBDSCAN")] + [f"{ROOT}/.build/{place}/obdscan" for place in ("static/release", "release", "debug")]
    for place in places:
        if place and os.path.exists(place):
            return os.path.abspath(place)
    sys.exit(f"{os.path.basename(sys.argv[0])}: build obdscan first: swift build -c release")


def manual_date():
    """The line with the date of the manual. All its pages have the same one, which scripts/release writes."""
    with open(f"{ROOT}/man/obdscan-db.5") as page:
        return next(line.rstrip() for line in page if line.startswith(".Dd "))


class Commands:
    """The commands in bytes to an adapter, in upper case and without blanks."""

    def __init__(self):
        self.rest = b""

    def take(self, data):
        *lines, self.rest = (self.rest + data).split(b"\r")
        return [bytes(byte for byte in line if byte > 0x20).decode("latin-1").upper() for line in lines]


def answer(command, answers={}):
    """The answer to a command, up to the prompt; `answers` come before the usual ones."""
    # A request may end with the count digit.
    for key in (command, command[:4] if command.startswith("01") else command):
        if known := answers.get(key) or ANSWERS.get(key):
            return f"{known}\r\r>".encode()
    if command.startswith("AT") and command != "AT@1":
        return b"OK\r\r>"
    is_hexadecimal = command and all(digit in "0123456789ABCDEF" for digit in command)
    return b"NO DATA\r\r>" if is_hexadecimal else b"?\r\r>"


def open_pty():
    """Both ends of a raw terminal; the guest's end stays open, or reading fails before the program has opened it."""
    host, guest = pty.openpty()
    tty.setraw(guest)
    return host, guest


def reset(link):
    """Closes a TCP link so that its peer sees a reset, as of a device that restarted."""
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    link.close()
