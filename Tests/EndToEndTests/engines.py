"""A mosquitto that a test starts, kills and configures, and a subscriber that comes back when its broker does."""
import os
import shutil
import socket
import struct
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, ".build", "engine-programs")


def find(program):
    """A program of the system, or one that scripts/engines has unpacked; None where it is missing."""
    folders = [os.path.join(PROGRAMS, "usr", part) for part in ("bin", "sbin")]
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"] + folders))


def environment():
    machine = os.uname().machine
    folders = [f"{PROGRAMS}/usr/lib/{machine}-linux-gnu", f"{PROGRAMS}/lib/{machine}-linux-gnu"]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(folders)}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port, process):
    for _ in range(200):
        if process.poll() is not None:
            raise OSError("the server does not start")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise OSError("the server does not answer")


class Broker:
    """mosquitto on a port of its own; `lines` are added to its configuration."""

    def __init__(self, folder, lines=("allow_anonymous true",)):
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.configuration = os.path.join(folder, f"mosquitto-{self.port}.conf")
        with open(self.configuration, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nmax_queued_messages 0\n")
            if os.geteuid() == 0:
                file.write("user root\n")
            file.write("".join(line + "\n" for line in lines))

    def start(self):
        self.process = subprocess.Popen(
            [find("mosquitto"), "-c", self.configuration], env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port, self.process)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()


class Subscriber(threading.Thread):
    """An MQTT 3.1.1 subscriber with a lasting session, which comes back when its broker does."""

    def __init__(self, address, topic, name="deliveries"):
        super().__init__(daemon=True)
        self.address, self.topic, self.name_there = address, topic, name
        self.messages, self.ready, self.changed = [], threading.Event(), time.monotonic()

    def run(self):
        while True:
            try:
                self.session()
            except OSError:
                time.sleep(0.05)

    def packet(self, link):
        first = self.take(link, 1)[0]
        size, shift = 0, 0
        while True:
            byte = self.take(link, 1)[0]
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return first, self.take(link, size)

    def take(self, link, count):
        data = b""
        while len(data) < count:
            piece = link.recv(count - len(data))
            if not piece:
                raise OSError("closed")
            data += piece
        return data

    def session(self):
        host, port = self.address.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=60) as link:
            def text(value):
                return struct.pack(">H", len(value)) + value.encode()

            body = text("MQTT") + bytes([4, 0]) + struct.pack(">H", 0) + text(self.name_there)
            link.sendall(bytes([0x10, len(body)]) + body)
            if self.packet(link)[1][1]:
                raise OSError("refused")
            body = struct.pack(">H", 1) + text(self.topic) + b"\1"
            link.sendall(bytes([0x82, len(body)]) + body)
            while True:
                first, body = self.packet(link)
                if first >> 4 == 9:
                    self.ready.set()
                if first >> 4 != 3:
                    continue
                length = struct.unpack(">H", body[:2])[0]
                topic, rest = body[2:2 + length].decode(), body[2 + length:]
                if first & 6:
                    link.sendall(b"\x40\x02" + rest[:2])
                    rest = rest[2:]
                self.messages.append((topic, rest, first & 1))
                self.changed = time.monotonic()


def send(address, topic, payload, retain=False):
    """Publishes one message of QoS 0."""
    def text(value):
        return struct.pack(">H", len(value)) + value.encode()

    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=20) as link:
        body = text("MQTT") + bytes([4, 2]) + struct.pack(">H", 0) + text("sender")
        link.sendall(bytes([0x10, len(body)]) + body)
        link.recv(4)
        body = text(topic) + payload.encode()
        link.sendall(bytes([0x31 if retain else 0x30, len(body)]) + body + b"\xe0\x00")
        # Until the broker has read it all and closes.
        while link.recv(64):
            pass
