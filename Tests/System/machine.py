"""Runs the test machine in QEMU: its console, its control line, its USB cables."""

import json
import os
import pty
import re
import select
import socket
import subprocess
import sys
import termios
import threading
import time
import tty

from cpio import Archive


def needed_libraries(program):
    """The shared libraries of a program that are in no Debian package: those of Swift."""
    text = subprocess.run(["ldd", program], text=True, capture_output=True, check=True).stdout
    paths = re.findall(r"=> (/\S+)", text)
    return [path for path in paths if not path.startswith(("/lib", "/usr/lib"))]


def write_initial_ram_disk(path, base, program, guest, cases):
    """Writes the base and then the files of this run: the kernel unpacks both archives."""
    with open(path, "wb") as stream:
        with open(base, "rb") as source:
            while chunk := source.read(1 << 22):
                stream.write(chunk)
        archive = Archive(stream)
        for name in sorted(os.listdir(guest)):
            full = os.path.join(guest, name)
            if os.path.isfile(full):
                with open(full, "rb") as source:
                    archive.file("init" if name == "init" else f"test/{name}", source.read(), 0o755)
        for library in needed_libraries(program):
            with open(library, "rb") as source:
                archive.file(f"test/lib/{os.path.basename(library)}", source.read(), 0o755)
        with open(program, "rb") as source:
            archive.file("test/obdscan", source.read(), 0o755)
        archive.file("test/selected", "\n".join(cases).encode())
        archive.close()


class Adapter(threading.Thread):
    """A plain ELM327 on a cable. It answers at one line rate, and sees noise at any other.

    QEMU sets the guest's line rate on the terminal that stands for the cable, so the adapter can see a wrong
    rate.
    """

    ANSWERS = {"0100": "41 00 BE 3E B8 13", "0120": "41 20 00 00 00 00", "010C": "41 0C 1A F8", "010D": "41 0D 2A",
               "0105": "41 05 7B", "ATI": "ELM327 v1.5", "ATRV": "12.6V", "ATDPN": "A6", "ATDP": "AUTO, ISO 15765-4"}

    def __init__(self, rate):
        super().__init__(daemon=True)
        self.rate = rate
        self.host, guest = pty.openpty()
        tty.setraw(guest)
        self.guest = guest
        self.path = os.ttyname(guest)
        self.echo = True

    def run(self):
        line = b""
        while True:
            try:
                data = os.read(self.host, 256)
            except OSError:
                return
            if termios.tcgetattr(self.host)[5] != self.rate:
                os.write(self.host, bytes([0xF8, 0x80]) * min(len(data), 4))
                line = b""
                continue
            for byte in data:
                if byte == 0x0D:
                    os.write(self.host, self.reply(line.decode("latin-1")))
                    line = b""
                elif byte >= 0x20:
                    line += bytes([byte])

    def reply(self, line):
        command = line.replace(" ", "").upper()
        echo = line + "\r" if self.echo else ""
        if command in ("ATZ", "ATWS", "ATD"):
            self.echo = True
        if command.startswith("ATE"):
            self.echo = command == "ATE1"
        if command in self.ANSWERS or command[:4] in self.ANSWERS and command[:2] == "01":
            answer = self.ANSWERS.get(command) or self.ANSWERS[command[:4]]
            if command[:2] == "01":
                answer = f"7E8 {len(answer.split()):02X} {answer}".replace(" ", "")
        elif command == "ATZ" or command == "ATWS":
            answer = "ELM327 v1.5"
        elif command.startswith("AT") and command != "AT@1":
            answer = "OK"
        elif command and all(digit in "0123456789ABCDEF" for digit in command):
            answer = "NO DATA"
        else:
            answer = "?"
        return f"{echo}{answer}\r\r>".encode("latin-1")


class Machine:
    """A machine that runs."""

    def __init__(self, folder, kernel, ramdisk, cables, acceleration, seconds, has_disk=False, environment=None):
        self.folder = folder
        self.deadline = time.monotonic() + seconds
        self.leaving = None
        listeners = {name: self._listen(name) for name in ("console", "control", "monitor")}
        command = [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "pc,hpet=off", "-smp", "2", "-m", "1536", "-nic", "none", "-kernel", kernel, "-initrd", ramdisk,
            *(["-accel", "kvm", "-cpu", "host"] if acceleration == "kvm"
              else ["-accel", "tcg,thread=multi", "-cpu", "max"]),
            "-append", "console=ttyS0 quiet loglevel=3 panic=-1 oops=panic mitigations=off nokaslr audit=0 "
                       "selinux=0 apparmor=0 tsc=reliable no_timer_check random.trust_cpu=1 rcupdate.rcu_expedited=1 "
            # The kernel passes parameters that it does not know to the first process.
            + " ".join(f"{name}={value}" for name, value in (environment or {}).items()),
            "-chardev", "socket,id=console,path=console", "-serial", "chardev:console",
            "-chardev", "socket,id=control,path=control", "-serial", "chardev:control",
            "-chardev", "socket,id=monitor,path=monitor", "-mon", "chardev=monitor,mode=control",
            "-device", "qemu-xhci,id=usb"]
        for name, path in cables.items():
            command += ["-chardev", f"serial,id={name},path={path}"]
        if has_disk:
            # The caller serves the disk in the same folder (disk.py).
            command += ["-blockdev", "driver=nbd,node-name=disk,server.type=unix,server.path=disk",
                        "-device", "virtio-blk-pci,drive=disk,write-cache=on"]
        self.log = open(os.path.join(folder, "qemu.log"), "w")
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=subprocess.STDOUT)
        self.streams = {}
        for name, listener in listeners.items():
            listener.settimeout(10)
            try:
                self.streams[name] = listener.accept()[0]
            except TimeoutError:
                self.stop()
                with open(self.log.name) as text:
                    raise SystemExit(f"qemu: {text.read().strip()}") from None
            listener.close()
            # The next machine in this folder binds the same path.
            os.unlink(os.path.join(folder, name))
        self.rest = {name: b"" for name in self.streams}
        self._send("monitor", {"execute": "qmp_capabilities"})

    def _listen(self, name):
        listener = socket.socket(socket.AF_UNIX)
        # The path of a socket must be short.
        here = os.getcwd()
        os.chdir(self.folder)
        listener.bind(name)
        os.chdir(here)
        listener.listen(1)
        return listener

    def _send(self, name, value):
        text = value if isinstance(value, str) else json.dumps(value)
        self.streams[name].sendall(text.encode() + b"\n")

    def run(self, show):
        """Runs until the tests end; returns their exit code, or None after a timeout or a crash."""
        code = None
        while self.streams and (left := self.deadline - time.monotonic()) > 0:
            ready, _, _ = select.select(self.streams.values(), [], [], left)
            for name in [name for name, stream in self.streams.items() if stream in ready]:
                try:
                    data = self.streams[name].recv(65536)
                except ConnectionResetError:
                    data = b""
                if not data:
                    del self.streams[name]
                    continue
                *lines, self.rest[name] = (self.rest[name] + data).split(b"\n")
                for line in lines:
                    text = line.decode("utf-8", "replace").rstrip("\r")
                    if name == "monitor":
                        self._answered(json.loads(text))
                    elif name == "control":
                        if text.startswith("exit "):
                            code = int(text[5:])
                        else:
                            self.heard(text)
                    else:
                        show(text)
        return code

    def heard(self, text):
        """Handles text that the tests sent on the control line."""
        self._order(text.split())

    def _order(self, words):
        """Carries out a command of the tests."""
        if words[0] == "plug":
            _, cable, serial = words
            self._ask("device_add", driver="usb-serial", id=cable, bus="usb.0", chardev=cable, serial=serial,
                      **{"always-plugged": True})
        elif words[0] == "unplug":
            self.leaving = words[1]
            self._ask("device_del", id=words[1])
        else:
            self._send("control", f"error no order {words}")

    def _ask(self, execute, **arguments):
        self._send("monitor", {"execute": execute, "arguments": arguments, "id": "order"})

    def _answered(self, message):
        fault = message.get("error", {}).get("desc")
        # A cable is out only when QEMU has released it, which is later than its answer to the
        # command.
        gone = message.get("event") == "DEVICE_DELETED" and message["data"].get("device") == self.leaving
        if message.get("id") == "order" and (fault or not self.leaving):
            self._send("control", f"error {fault}" if fault else "ok")
        elif gone:
            self.leaving = None
            self._send("control", "ok")

    def last_words(self):
        """Returns QEMU's own messages and how it ended, because it sometimes crashes."""
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            code = None
        with open(self.log.name) as text:
            words = text.read().strip()
        return words + ("" if code is None else f"\nqemu: exit code {code}")

    def stop(self):
        self.process.kill()
        self.process.wait()
