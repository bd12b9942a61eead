"""A foreign adapter on an RFCOMM channel: elm.py ADDRESS CHANNEL [drop]."""

import socket
import sys

ANSWERS = {"0100": "410080180000", "010C": "410C1AF8", "010D": "410D2A", "ATI": "ELM327 v1.5", "ATRV": "12.6V",
           "ATDPN": "A6", "AT@1": "OBDII to RS232 Interpreter"}


def serve(link):
    echo, line = True, b""
    while data := link.recv(256):
        for byte in data:
            if byte != 0x0D:
                line += bytes([byte]) if byte >= 0x20 else b""
                continue
            text, line = line.decode("latin-1"), b""
            command = text.replace(" ", "").upper()
            said = text + "\r" if echo else ""
            if command in ("ATZ", "ATWS"):
                echo, answer = True, "ELM327 v1.5"
            elif command.startswith("ATE"):
                echo, answer = command == "ATE1", "OK"
            elif command[:4] in ANSWERS and command[:2] == "01":
                answer = ANSWERS[command[:4]]
                answer = f"7E8{len(answer) // 2:02X}{answer}"
            elif command in ANSWERS:
                answer = ANSWERS[command]
            elif command.startswith("AT"):
                answer = "OK"
            elif command and all(digit in "0123456789ABCDEF" for digit in command):
                answer = "NO DATA"
            else:
                answer = "?"
            link.sendall(f"{said}{answer}\r\r>".encode("latin-1"))


listener = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_STREAM, socket.BTPROTO_RFCOMM)
listener.bind((sys.argv[1], int(sys.argv[2])))
listener.listen(1)
print("listening", flush=True)
while True:
    link, _ = listener.accept()
    try:
        serve(link)
    except OSError:
        pass
    link.close()
