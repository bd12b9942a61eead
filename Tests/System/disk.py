"""A disk that forgets what was not flushed when its power is cut.

Network Block Device protocol, newstyle (github.com/NetworkBlockDevice/nbd, doc/proto.md): this process is
QEMU's disk. A write is durable after a flush, or at once if it asks for that (FUA). At a power cut a real
disk keeps some of the other writes. Here a random choice decides for each sector. A flush takes time, as on
a memory card, so that some cuts come during one.
"""

import socket
import struct
import threading
import time

SECTOR = 512
GO, ABORT, ACK, INFO, UNSUPPORTED = 7, 2, 1, 3, 0x80000001
READ, WRITE, DISCONNECT, FLUSH = range(4)
FORCE_UNIT_ACCESS = 1
# The disk supports flags, flush, and force unit access.
ABLE = 1 | 4 | 8


class Disk:
    """The disk. Its data survive from one machine to the next."""

    def __init__(self, size, path, flush_seconds):
        self.size = size
        self.flush_seconds = flush_seconds
        self.durable = bytearray(size)
        self.current = bytearray(size)
        self.unflushed = []
        self.flushes = 0
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(1)
        threading.Thread(target=self._serve, daemon=True).start()

    def cut_power(self, generator):
        """Forgets data; returns the number of unflushed sectors, and how many of them were forgotten."""
        with self.lock:
            written = forgotten = 0
            for start, data in self.unflushed:
                for offset in range(0, len(data), SECTOR):
                    written += 1
                    if generator.random() < 0.5:
                        forgotten += 1
                    else:
                        piece = data[offset:offset + SECTOR]
                        self.durable[start + offset:start + offset + len(piece)] = piece
            self.unflushed = []
            self.current = bytearray(self.durable)
        return written, forgotten

    def _serve(self):
        while True:
            stream, _ = self.listener.accept()
            try:
                if self._greet(stream):
                    while self._answer(stream):
                        pass
            except OSError:
                pass
            stream.close()

    @staticmethod
    def _take(stream, count):
        data = bytearray()
        while len(data) < count:
            piece = stream.recv(count - len(data))
            if not piece:
                raise ConnectionResetError
            data += piece
        return bytes(data)

    def _greet(self, stream):
        stream.sendall(b"NBDMAGICIHAVEOPT" + struct.pack(">H", 3))
        self._take(stream, 4)
        while True:
            _, option, length = struct.unpack(">QII", self._take(stream, 16))
            self._take(stream, length)

            def reply(kind, data=b""):
                stream.sendall(struct.pack(">QIII", 0x3E889045565A9, option, kind, len(data)) + data)
            if option == GO:
                reply(INFO, struct.pack(">HQH", 0, self.size, ABLE))
                reply(ACK)
                return True
            if option == ABORT:
                reply(ACK)
                return False
            reply(UNSUPPORTED)

    def _answer(self, stream):
        _, flags, kind, handle, offset, length = struct.unpack(">IHHQQI", self._take(stream, 28))
        data = self._take(stream, length) if kind == WRITE else b""
        if kind == DISCONNECT:
            return False
        fault = 0
        if kind == FLUSH and self.unflushed:
            time.sleep(self.flush_seconds)
        with self.lock:
            if kind == READ:
                data = self.current[offset:offset + length]
            elif kind == WRITE:
                self.current[offset:offset + length] = data
                if flags & FORCE_UNIT_ACCESS:
                    self._keep(offset, data)
                else:
                    self.unflushed.append((offset, data))
            elif kind == FLUSH:
                for start, piece in self.unflushed:
                    self.durable[start:start + len(piece)] = piece
                self.unflushed = []
                self.flushes += 1
            else:
                fault = 22
        stream.sendall(struct.pack(">IIQ", 0x67446698, fault, handle) + (data if kind == READ else b""))
        return True

    def _keep(self, offset, data):
        """Makes data durable. Older unflushed data of the same sectors must not overwrite them later."""
        self.durable[offset:offset + len(data)] = data
        end = offset + len(data)
        left = []
        for start, piece in self.unflushed:
            if start < offset:
                left.append((start, piece[:offset - start]))
            if start + len(piece) > end:
                left.append((max(start, end), piece[max(0, end - start):]))
        self.unflushed = left
