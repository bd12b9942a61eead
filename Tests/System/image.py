"""Makes the kernel and the root file system of the test machine from Debian packages.

Packages are unpacked, never installed: none of their scripts run, and the user need not be root.
"""

import glob
import hashlib
import lzma
import os
import re
import shutil
import stat
import struct
import subprocess
import tempfile

from cpio import Archive

# The programs that run in the machine, and the modules that they need.
PACKAGES = ["busybox-static", "udev", "dbus", "bluez", "bluez-test-tools", "python3-minimal",
            "libpython3-stdlib", "libsqlite3-0", "libbluetooth3", "libstdc++6", "tzdata", "e2fsprogs",
            # What `publish` opens when it is used.
            "libcurl4", "zlib1g",
            # CAN: interfaces, queues, and ECUs that are not ours.
            "iproute2", "can-utils"]
MODULES = ["hci_vhci", "rfcomm", "xhci_pci", "ftdi_sio", "cdc_acm",
           # The kernel does not register Bluetooth controllers without these.
           "cmac", "ecb", "aes_generic", "sha256_generic", "hmac", "ecdh_generic",
           # The emulated controllers calculate with these.
           "algif_hash", "algif_skcipher",
           # CAN without hardware, the kernel's ISO-TP for foreign ECUs, and a queue that can be full.
           "vcan", "can_raw", "can_isotp", "sch_netem",
           # The disk whose power is cut (scripts/power-cut).
           "virtio_pci", "virtio_blk", "crc32c_generic", "ext4"]
# Packages that are needed for installing, but not for running the programs.
BALLAST = re.compile("perl|libperl|adduser|dpkg|passwd|debconf|usrmerge|tar$|libdb5|libgdbm|libpam|media-types"
                     "|libsemanage|libsepol|libfile-|libtext-|libnumber-|init-system|sysvinit|lsb-base|gcc-")


class Unavailable(Exception):
    """The machine cannot be made here; the text says why."""


def run(*command, **options):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode:
        raise Unavailable(f"{' '.join(command[:3])} …: {done.stderr.strip()[-400:]}")
    return done.stdout


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "obdscan-system-test")


def closure(scratch):
    """The packages to download, so that a machine without any package gets PACKAGES and a kernel."""
    status = os.path.join(scratch, "status")
    open(status, "w").close()
    options = ["-o", f"Dir::State::status={status}", "-o", "APT::Install-Recommends=false",
               "-o", "Debug::NoLocking=true"]
    plan = run("apt-get", *options, "-s", "install", *PACKAGES)
    packages = [found for found in re.findall(r"^Inst (\S+) \((\S+)", plan, re.M)
                if not BALLAST.match(found[0])]
    return packages


def kernel_package(scratch):
    """The newest kernel that Debian has for this release, and the options with which apt finds it.

    Linux 6.1.192 of Debian 12 crashes when Bluetooth sockets are closed in a certain order (hci_chan_del).
    The kernel of the backports does not.
    """
    with open("/etc/os-release") as file:
        release = re.search(r"^VERSION_CODENAME=(\w+)", file.read(), re.M)
    archive = release and re.search(rf"(https?://\S+) {release[1]}/main", run("apt-cache", "policy"))
    options = []
    if archive:
        folder = os.path.join(scratch, "backports")
        os.makedirs(os.path.join(folder, "lists/partial"))
        with open(os.path.join(folder, "list"), "w") as file:
            file.write(f"deb {archive[1]} {release[1]}-backports main\n")
        options = ["-o", f"Dir::Etc::sourcelist={folder}/list", "-o", "Dir::Etc::sourceparts=/dev/null",
                   "-o", f"Dir::State::lists={folder}/lists", "-o", f"Dir::Cache={folder}",
                   "-o", "Debug::NoLocking=true", "-o", "APT::Sandbox::User=root"]
        try:
            run("apt-get", *options, "-qq", "update")
        except Unavailable:
            options = []
    for options in [options, []]:
        name = re.search(r"Depends: (linux-image-[0-9]\S+)", run("apt-cache", *options, "depends", "linux-image-amd64"))
        if name:
            version = re.search(r"^Version: (\S+)", run("apt-cache", *options, "show", name[1]), re.M)[1]
            return (name[1], version), options
    raise Unavailable("apt knows no package linux-image-amd64")


def fetch(packages, folder, options=()):
    """Downloads packages into a folder; returns their paths."""
    def path(name, version):
        found = glob.glob(os.path.join(folder, f"{name}_{version.replace(':', '%3a')}_*.deb"))
        return found[0] if found else None
    missing = [f"{name}={version}" for name, version in packages if not path(name, version)]
    if missing:
        run("apt-get", *options, "download", "-qq", *missing, cwd=folder)
    paths = [path(name, version) for name, version in packages]
    if None in paths:
        raise Unavailable(f"apt did not fetch {packages[paths.index(None)][0]}")
    return paths


def unpack(archive, root):
    """Unpacks a package, without the files that a test does not need."""
    source = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
    # The links in `root` merge /usr, and tarfile.extractall would refuse that.
    tar = subprocess.run(["tar", "-x", "-C", root, "--keep-directory-symlink", "--no-same-owner",
                          "--no-same-permissions", "--exclude=./usr/share/doc", "--exclude=./usr/share/man",
                          "--exclude=./usr/share/locale", "--exclude=./usr/lib/udev/hwdb.d",
                          "--exclude=./usr/share/i18n", "--exclude=./usr/lib/x86_64-linux-gnu/gconv"],
                         stdin=source.stdout, stderr=subprocess.PIPE, text=True)
    if source.wait() or tar.returncode:
        raise Unavailable(f"{archive}: {tar.stderr.strip()[-300:]}")


def kernel_image(path):
    """Returns the unpacked kernel if possible: an emulated machine unpacks slowly."""
    with open(path, "rb") as file:
        image = file.read()
    # Documentation/arch/x86/boot.rst: setup_sects, payload_offset, payload_length.
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = ((image[0x1F1] or 4) + 1) * 512 + offset
    payload = image[start:start + length]
    if payload.startswith(b"\xfd7zXZ\0"):
        unpacked = lzma.decompress(payload[:-4] if payload[-2:] != b"YZ" else payload)
        if unpacked.startswith(b"\x7fELF"):
            return unpacked
    return image


def modules(folder, names):
    """The files of the modules and of all that they depend on, in the order in which to load them."""
    files = {}
    for path in glob.glob(os.path.join(folder, "**", "*.ko*"), recursive=True):
        files[re.sub(r"\.ko.*", "", os.path.basename(path)).replace("-", "_")] = path

    def text(path):
        with open(path, "rb") as file:
            data = file.read()
        return lzma.decompress(data) if path.endswith(".xz") else data

    order = {}

    def add(name):
        name = name.replace("-", "_")
        # A module without a file is built into the kernel.
        if name in order or name not in files:
            return
        data = text(files[name])
        needs = re.search(rb"\0depends=([^\0]*)", data)
        soft = re.findall(rb"\0softdep=pre: ([^\0]*)", data)
        for other in (needs[1] if needs else b"").split(b",") + b" ".join(soft).split():
            if other:
                add(other.decode())
        order[name] = data
    for name in names:
        add(name)
    return order


def write_base(root, kernel_root, path):
    """Writes the part of the root file system that does not change from run to run."""
    with open(path, "wb") as stream:
        archive = Archive(stream)
        for folder in ["proc", "sys", "dev", "run", "tmp", "root", "test", "var/lib/bluetooth", "var/lib/dbus"]:
            archive.folder(folder)
        archive.link("var/run", "/run")
        archive.node("dev/console", stat.S_IFCHR | 0o600, 5, 1)
        archive.tree(root)
        busybox = os.path.join(root, "usr/bin/busybox")
        for name in run(busybox, "--list").split():
            if not any(os.path.lexists(os.path.join(root, "usr", place, name)) for place in ("bin", "sbin")):
                archive.link(f"usr/bin/{name}", "busybox")
        users = ["root:x:0:0::/root:/bin/sh", "messagebus:x:100:100::/:/bin/false",
                 "tester:x:1000:1000::/tmp:/bin/sh"]
        # udev's rules name these groups.
        groups = ["root:x:0:", "tty:x:5:", "disk:x:6:", "lp:x:7:", "kmem:x:15:", "dialout:x:20:", "cdrom:x:24:",
                  "tape:x:26:", "audio:x:29:", "video:x:44:", "messagebus:x:100:", "bluetooth:x:102:",
                  "input:x:103:", "sgx:x:104:", "kvm:x:105:", "render:x:106:", "tester:x:1000:"]
        archive.file("etc/passwd", "\n".join(users + [""]).encode())
        archive.file("etc/group", "\n".join(groups + [""]).encode())
        archive.file("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files\n")
        archive.file("etc/hosts", b"127.0.0.1 localhost\n::1 localhost\n")
        archive.file("etc/machine-id", b"0123456789abcdef0123456789abcdef\n")
        order = modules(os.path.join(kernel_root, "lib/modules"), MODULES)
        for name, data in order.items():
            archive.file(f"modules/{name}.ko", data)
        archive.file("modules/order", "".join(f"{name}\n" for name in order).encode())
        archive.close()


def current_stamp():
    """A value that changes if apt has other packages, or if this script changes."""
    digest = hashlib.sha256()
    for path in [__file__, Archive.__init__.__code__.co_filename]:
        with open(path, "rb") as source:
            digest.update(source.read())
    for path in sorted(glob.glob("/var/lib/apt/lists/*_Packages*")):
        digest.update(f"{path} {os.path.getmtime(path)}".encode())
    return digest.hexdigest()[:16]


def provide():
    """Returns the paths of the kernel and of the base archive; makes them if the cache is out of date."""
    for tool in ["apt-get", "apt-cache", "dpkg-deb", "tar"]:
        if not shutil.which(tool):
            raise Unavailable(f"there is no {tool}: the machine is made of Debian packages")
    if os.uname().machine != "x86_64":
        raise Unavailable(f"no image is made on {os.uname().machine}")
    cache = cache_folder()
    archives = os.path.join(cache, "packages")
    os.makedirs(archives, exist_ok=True)
    stamp = current_stamp()
    place = os.path.join(cache, stamp)
    if not os.path.exists(place):
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            packages = closure(scratch)
            kernel, options = kernel_package(scratch)
            made = os.path.join(scratch, "image")
            root = os.path.join(scratch, "root")
            kernel_root = os.path.join(scratch, "kernel")
            for folder in [made, kernel_root, root, *(f"{root}/usr/{name}" for name in ("bin", "sbin", "lib", "lib64"))]:
                os.makedirs(folder)
            for name in ["bin", "sbin", "lib", "lib64"]:
                os.symlink(f"usr/{name}", os.path.join(root, name))
            for archive in fetch(packages, archives):
                unpack(archive, root)
            unpack(fetch([kernel], archives, options)[0], kernel_root)
            with open(os.path.join(made, "kernel"), "wb") as file:
                file.write(kernel_image(glob.glob(f"{kernel_root}/boot/vmlinuz-*")[0]))
            write_base(root, kernel_root, os.path.join(made, "base"))
            # Another process has made the same one meanwhile.
            if not os.path.exists(place):
                os.rename(made, place)
            for old in os.listdir(cache):
                if re.fullmatch("[0-9a-f]{16}", old) and old != stamp:
                    shutil.rmtree(os.path.join(cache, old), ignore_errors=True)
    return os.path.join(place, "kernel"), os.path.join(place, "base")
