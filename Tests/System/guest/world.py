"""What the cases work with: the program, the daemons, the cables, and functions that check results."""

import json
import os
import re
import select
import subprocess
import time

PROGRAM = "/test/obdscan"
ENVIRONMENT = {**os.environ, "LD_LIBRARY_PATH": "/test/lib", "HOME": "/tmp", "OBDSCAN_DB": "/tmp/obdscan.db"}


class Failed(Exception):
    """An expectation was not met."""


def expect(condition, *seen):
    if not condition:
        raise Failed("\n".join(str(thing) for thing in seen))


class Run:
    """A process of the program; its output is collected."""

    running = []

    def __init__(self, *arguments, user=None, program=PROGRAM, environment=ENVIRONMENT):
        self.arguments = arguments
        command = [program, *arguments]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, user=user,
                                        group=user, extra_groups=[] if user else None,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/tmp")
        self.texts = {self.process.stdout: b"", self.process.stderr: b""}
        self.open = set(self.texts)
        Run.running.append(self)

    @classmethod
    def end_all(cls, but):
        """Kills all running processes except those in `but`."""
        for run in cls.running:
            if run not in but and run.process.poll() is None:
                run.process.kill()
                run.process.wait()
        cls.running = [run for run in cls.running if run in but]

    @property
    def output(self):
        return self.texts[self.process.stdout].decode("utf-8", "replace")

    @property
    def errors(self):
        return self.texts[self.process.stderr].decode("utf-8", "replace")

    @property
    def objects(self):
        whole = self.output[:self.output.rfind("\n") + 1]
        return [json.loads(line) for line in whole.splitlines()]

    def __str__(self):
        return (f"obdscan {' '.join(self.arguments)}: exit code {self.process.returncode}\n"
                f"{self.output[-1500:]}{self.errors[-1500:]}")

    def _collect(self, deadline):
        """Takes the available output; returns false at the end of both streams or at the deadline."""
        if not self.open:
            return False
        ready, _, _ = select.select(self.open, [], [], max(0, deadline - time.monotonic()))
        for stream in ready:
            data = os.read(stream.fileno(), 65536)
            self.texts[stream] += data
            if not data:
                self.open.discard(stream)
        return bool(ready)

    def until(self, condition, seconds=60, what="what was waited for"):
        """Collects until `condition(self)` holds."""
        deadline = time.monotonic() + seconds
        while not condition(self):
            if not self._collect(deadline):
                raise Failed(f"{what} did not come within {seconds} s\n{self}")
        return self

    def end(self, seconds=120, signal=None):
        """Waits until the process ends."""
        if signal is not None:
            self.process.send_signal(signal)
        deadline = time.monotonic() + seconds
        while self._collect(deadline):
            pass
        try:
            self.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed(f"it did not end within {seconds} s\n{self}") from None
        return self

    @property
    def status(self):
        return self.process.returncode


def obdscan(*arguments, seconds=120, user=None):
    """Runs the program until it ends."""
    return Run(*arguments, user=user).end(seconds)


def succeeds(*arguments, **options):
    done = obdscan(*arguments, **options)
    expect(done.status == 0, done)
    return done


def fails(status, *words, of, within=120, user=None):
    """Expects that the program ends with `status`, prints all words on stderr, and gives a hint."""
    begin = time.monotonic()
    done = obdscan(*of, user=user, seconds=within)
    expect(done.status == status, f"expected {status}", done)
    for word in [*words, "hint: "]:
        expect(word in done.errors, f"“{word}” is missing after {time.monotonic() - begin:.1f} s", done)
    return done


def sh(line, seconds=60, check=True):
    """Runs a command line in the machine's own shell."""
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=seconds,
                          stdin=subprocess.DEVNULL)
    if check:
        expect(done.returncode == 0, f"{line}: {done.returncode}", done.stdout, done.stderr)
    return done.stdout


def wait(condition, what, seconds=60):
    """Waits until the condition is true."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Failed(f"waited {seconds} s for {what}")
        time.sleep(0.02)
    return value


# The cables.

with open("/dev/ttyS1", "r+b", buffering=0) as _line:
    CONTROL = os.dup(_line.fileno())


def order(text):
    """Sends a command to the program that runs the machine."""
    os.write(CONTROL, text.encode() + b"\n")
    answer = b""
    while not answer.endswith(b"\n"):
        expect(select.select([CONTROL], [], [], 10)[0], f"no answer to “{text}”")
        answer += os.read(CONTROL, 64)
    expect(answer.strip() == b"ok", f"{text}: {answer.decode()}")


def plug(cable, serial):
    """Plugs a cable in; returns its device node after udev has named it."""
    order(f"plug {cable} {serial}")
    name = wait(lambda: next((name for name in names("/dev/serial/by-id")
                       if serial in name and not name.startswith(".")), None),
                f"the by-id name of {serial}")
    sh("udevadm settle -t 5")
    return os.path.realpath(f"/dev/serial/by-id/{name}")


def unplug(cable, node):
    order(f"unplug {cable}")
    wait(lambda: not os.path.exists(node), f"{node} to go")


def names(folder):
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


# The controllers.

class Controllers:
    """Two virtual Bluetooth controllers within reach of each other, and BlueZ's daemon."""

    def __init__(self):
        self.daemon = None
        self.emulator = None
        self.addresses = []

    def start(self):
        self.emulator = subprocess.Popen(["btvirt", "-l2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(lambda: len(names("/sys/class/bluetooth")) == 2, "two controllers")
        # The emulated controllers crash when a search for LE devices ends.
        with open("/etc/bluetooth/main.conf", "w") as file:
            file.write("[General]\nControllerMode = bredr\nDiscoverableTimeout = 0\n[Policy]\nAutoEnable = true\n")
        with open("/run/bluetoothd.log", "w") as log:
            self.daemon = subprocess.Popen(["/usr/libexec/bluetooth/bluetoothd", "--compat", "--nodetach"],
                                           stdout=log, stderr=log)
        wait(lambda: os.path.exists("/run/sdp"), "bluetoothd")
        # The daemon never recognizes a controller that was used before the daemon found it.
        wait(lambda: sh("bluetoothctl list </dev/null", check=False).count("Controller") >= 2,
             "both controllers in bluetoothd", 30)
        for place in (0, 1):
            wait(lambda: sh(f"hciconfig hci{place} up", check=False) is not None and self.is_up(place),
                 f"hci{place}", 60)
            # Set the name first: without pairing, an inquiry does not report a new name.
            sh(f"btmgmt --index {place} name OBDII-{place} </dev/null", check=False)
            # Secure Simple Pairing fails with the emulated controller.
            sh(f"btmgmt --index {place} ssp off </dev/null", check=False)
            self.let_be_found(place)
        self.addresses = [re.search("BD Address: (\\S+)", sh(f"hciconfig hci{place}"))[1] for place in (0, 1)]

    @staticmethod
    def is_up(place):
        return "UP RUNNING" in sh(f"hciconfig hci{place}", check=False)

    def switch(self, place, on):
        sh(f"btmgmt --index {place} power {'on' if on else 'off'} </dev/null")
        wait(lambda: self.is_up(place) == on, f"hci{place} to be switched {'on' if on else 'off'}")
        if on:
            self.let_be_found(place)

    @staticmethod
    def let_be_found(place):
        """Makes the controller visible. The daemon hides it again while it starts."""
        sh(f"btmgmt --index {place} connectable on </dev/null", check=False)
        sh(f"btmgmt --index {place} discov yes </dev/null", check=False)
        wait(lambda: "PSCAN ISCAN" in sh(f"hciconfig hci{place} piscan; hciconfig hci{place}", check=False),
             f"hci{place} to be visible")

    def stop(self):
        for process in (self.daemon, self.emulator):
            process.terminate()
            process.wait()
        wait(lambda: not names("/sys/class/bluetooth"), "the controllers to go")
