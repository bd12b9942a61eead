"""Runs a suite of cases in the test machine beside foreign programs in Python and C."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time

import image
import machine
from cpio import Archive

HERE = os.path.dirname(os.path.abspath(__file__))


def add_folder(path, folder):
    """Adds Python packages to what is in the initial RAM disk already."""
    with open(path, "ab") as stream:
        archive = Archive(stream)
        for place, folders, files in os.walk(folder):
            folders[:] = [name for name in folders if name not in ("__pycache__", "tests", "grpc", "aiohttp")]
            for name in files:
                full = os.path.join(place, name)
                with open(full, "rb") as source:
                    archive.file(f"test/site/{os.path.relpath(full, folder)}", source.read(), 0o644)
        archive.close()


def add_programs(path, programs):
    """Adds programs that are built on this machine."""
    with open(path, "ab") as stream:
        archive = Archive(stream)
        for program in programs:
            with open(program, "rb") as source:
                archive.file(f"test/{os.path.basename(program)}", source.read(), 0o755)
        archive.close()


def run(suite, title, packages, build=None, parameters=None):
    """Runs guest/SUITE.py in the machine and ends this process with its result.

    `packages` maps the folder of Python packages to the module that shows that they are there; `build`
    builds programs in a folder and returns their paths; `parameters` are for the kernel."""
    def skip(why):
        print(f"{title} test skipped: {why}")
        sys.exit(77)
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=int, default=1200, help="end the machine after this time")
    options.add_argument("--keep", action="store_true", help="show all lines of the console")
    options.add_argument("cases", nargs="*", help="words in the names of cases (default: all cases)")
    options = options.parse_args()
    program = os.environ.get("OBDSCAN") or os.path.join(HERE, "../../.build/debug/obdscan")
    if not os.path.exists(program):
        sys.exit(f"{program} does not exist: swift build --product obdscan")
    for folder, module in packages.items():
        if not os.path.isdir(os.path.join(folder, module)):
            skip(f"there is no {module} in {folder}: scripts/test --system installs it")
    if not shutil.which("qemu-system-x86_64"):
        skip("there is no qemu-system-x86_64: apt-get install qemu-system-x86")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    begin = time.monotonic()
    try:
        kernel, base = image.provide()
    except image.Unavailable as reason:
        skip(str(reason))
    with tempfile.TemporaryDirectory(prefix=f"obdscan-{suite}-") as folder:
        ramdisk = os.path.join(folder, "ramdisk")
        machine.write_initial_ram_disk(ramdisk, base, program, os.path.join(HERE, "guest"), options.cases)
        for packages_folder in packages:
            add_folder(ramdisk, packages_folder)
        if build:
            add_programs(ramdisk, build(folder))
        acceleration = "kvm" if os.environ.get("OBDSCAN_SYSTEM_KVM") == "1" else "tcg"
        vm = machine.Machine(folder, kernel, ramdisk, {}, acceleration, options.seconds,
                             environment={"TEST": suite, **(parameters or {})})
        tail = []

        def show(line):
            tail.append(line)
            if options.keep or line.startswith(("ok ", "FAILED ", "  | ")):
                print(line, flush=True)
        try:
            code = vm.run(show)
            words = "" if code is not None else vm.last_words()
        finally:
            vm.stop()
    if code is None:
        print("\n".join([*tail[-40:], words]))
        print(f"{title} test: the machine gave no result within {options.seconds} s, or crashed")
        sys.exit(1)
    print(f"{title} test {'failed' if code else 'passed'}: {time.monotonic() - begin:.1f} s")
    sys.exit(1 if code else 0)
