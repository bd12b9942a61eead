"""Writes archives in the format that the kernel unpacks at boot (cpio, format "newc")."""

import os
import stat


class Archive:
    """An archive in which root owns all files, for any user who writes it."""

    def __init__(self, stream):
        self.stream = stream
        self.inode = 0
        self.folders = {"", "."}

    def _entry(self, name, mode, data=b"", device=(0, 0)):
        self.inode += 1
        words = name.encode() + b"\0"
        fields = [self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(words), 0]
        self._padded(b"070701" + b"".join(b"%08X" % field for field in fields) + words)
        self._padded(data)

    def _padded(self, data):
        self.stream.write(data + b"\0" * (-len(data) % 4))

    def folder(self, name, mode=0o755):
        """Adds a folder and its parents."""
        if name in self.folders:
            return
        self.folder(os.path.dirname(name))
        self.folders.add(name)
        self._entry(name, stat.S_IFDIR | mode)

    def file(self, name, data, mode=0o644):
        self.folder(os.path.dirname(name))
        self._entry(name, stat.S_IFREG | mode, data)

    def link(self, name, target):
        self.folder(os.path.dirname(name))
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def node(self, name, mode, major, minor):
        self.folder(os.path.dirname(name))
        self._entry(name, mode, device=(major, minor))

    def tree(self, root):
        """Adds everything below a folder."""
        for path, folders, files in os.walk(root):
            inside = os.path.relpath(path, root)
            for name in sorted(folders + files):
                full = os.path.join(path, name)
                short = os.path.normpath(os.path.join(inside, name))
                mode = os.lstat(full).st_mode
                if stat.S_ISLNK(mode):
                    self.link(short, os.readlink(full))
                elif stat.S_ISDIR(mode):
                    self.folder(short)
                elif stat.S_ISREG(mode):
                    with open(full, "rb") as source:
                        self.file(short, source.read(), stat.S_IMODE(mode))

    def close(self):
        self._entry("TRAILER!!!", 0)
        # The kernel looks for the next archive at a multiple of four bytes, and QEMU adds no
        # padding.
        self.stream.write(b"\0" * (-self.stream.tell() % 512))
