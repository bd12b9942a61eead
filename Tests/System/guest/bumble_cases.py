"""What the cases with adapters of Bumble share: how they start and end, and the log that loses its link."""

import os
import signal
import subprocess
import sys
import time
import traceback

from world import Failed, Run, expect, names, sh, succeeds, wait

CASES = []
HEARD = "/run/bumble.log"


def case(function):
    CASES.append(function)
    return function


def by_name(function):
    """A case that runs only if it is named: it is long."""
    function.is_long = True
    return case(function)


class Peers:
    """The adapters, whose process also has the kernel's controller, and BlueZ's daemon."""

    adapter = None
    daemon = None


def start_daemon():
    with open("/run/bluetoothd.log", "a") as out:
        Peers.daemon = subprocess.Popen(["/usr/libexec/bluetooth/bluetoothd", "--nodetach"], stdout=out, stderr=out)
    wait(lambda: "Controller" in sh("bluetoothctl list </dev/null", check=False), "bluetoothd", 240)
    sh("bluetoothctl power on </dev/null", check=False)
    wait(lambda: "UP RUNNING" in sh("hciconfig hci0", check=False), "hci0", 240)


def start(program, word):
    """Starts the adapters first, which print `word` when they are there."""
    log = open(HEARD, "w")
    Peers.adapter = subprocess.Popen([sys.executable, f"/test/{program}"], stdout=log, stderr=log,
                                     env={**os.environ, "PYTHONPATH": "/test/site", "PYTHONDONTWRITEBYTECODE": "1"})
    wait(lambda: word in open(HEARD).read(), "the adapters", 400)
    wait(lambda: names("/sys/class/bluetooth"), "the controller", 240)
    start_daemon()


def told(since, word):
    """What the adapters printed after `word`, as text."""
    with open(HEARD) as file:
        file.seek(since)
        return [line.rstrip("\n").partition(word)[2].strip() for line in file if word in line]


def now():
    return os.path.getsize(HEARD)


def readings(run):
    return [line for line in run.objects if line["kind"] == "reading" and line["signal"] == "RPM"]


def forget(address):
    """Makes BlueZ forget a device and its keys."""
    sh(f"bluetoothctl remove {address} </dev/null", check=False)


def lossy_log(place, losses):
    """`log` while the link is lost at a request: what the adapter answered is in the trip once, and nothing else."""
    sh("rm -f /tmp/loss.db*")
    since, begin = now(), time.monotonic()
    log = Run("log", "RPM", "--format", "json", "-d", place, "--db", "/tmp/loss.db")
    log.until(lambda run: len(readings(run)) > 5, 60, "readings")
    for _ in range(losses):
        before = len(readings(log))
        Peers.adapter.send_signal(signal.SIGUSR2)
        log.until(lambda run: len(readings(run)) > before + 5, 90, "readings after the loss")
    # So that no request is under way at the end.
    Peers.adapter.send_signal(signal.SIGUSR2)
    log.until(lambda run: run.errors.count("the link was lost") > losses, 60, "word of the last loss")
    log.end(signal=signal.SIGINT)
    expect(log.status in (0, 130), log)
    printed = [line["raw"] for line in readings(log)]
    stored = [line["raw"] for line in readings(succeeds("export", "--format", "json", "--db", "/tmp/loss.db"))]
    sent = [f"{int(number):04X}" for number in told(since, " sent ")]
    print(f"  | {losses + 1} losses in {time.monotonic() - begin:.0f} s: {len(sent)} answered, {len(printed)} printed, "
          f"{len(stored)} stored")
    expect(printed == sent, "printed and answered differ", sent[-5:], printed[-5:])
    expect(stored == sent, "stored and answered differ", sent[-5:], stored[-5:])


def main(program, word):
    with open("/test/selected") as file:
        selected = [word for word in file.read().split("\n") if word]
    failed = 0
    try:
        start(program, word)
    except Exception:
        print("FAILED the adapters start")
        for line in f"{traceback.format_exc()}\n{open(HEARD).read()[-1000:]}".splitlines():
            print(f"  | {line}", flush=True)
        return 1
    for one in CASES:
        name = one.__name__.replace("_", " ")
        if not any(word in name for word in selected) and (selected or hasattr(one, "is_long")):
            continue
        begin, since = time.monotonic(), now()
        try:
            one()
            print(f"ok {name} ({time.monotonic() - begin:.1f} s)", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAILED {name}", flush=True)
            if Peers.daemon.poll() is not None:
                print(f"  | bluetoothd ended: {Peers.daemon.returncode}", flush=True)
                start_daemon()
            text = str(error) if isinstance(error, Failed) else traceback.format_exc()
            with open(HEARD) as file:
                file.seek(since)
                heard = file.read().splitlines()[-30:]
            for line in text.splitlines() + open("/run/bluetoothd.log").read().splitlines()[-8:] + heard:
                print(f"  | {line}", flush=True)
        Run.end_all([])
    return 1 if failed else 0
