"""Pairs Bluetooth Classic adapters with a PIN, and loses their links, on a real kernel and BlueZ."""

import os
import signal
import subprocess
import sys
import time
import traceback

from leplaces import CLASSIC
from world import ENVIRONMENT, Failed, Run, expect, names, obdscan, sh, succeeds, wait

CASES = []
HEARD = "/run/bumble.log"


def case(function):
    CASES.append(function)
    return function


def by_name(function):
    """A case that runs only if it is named: it is long."""
    function.is_long = True
    return case(function)


def start():
    log = open(HEARD, "w")
    adapter = subprocess.Popen([sys.executable, "/test/bumble_classic.py"], stdout=log, stderr=log,
                               env={**os.environ, "PYTHONPATH": "/test/site", "PYTHONDONTWRITEBYTECODE": "1"})
    wait(lambda: "listening" in open(HEARD).read(), "the adapters", 400)
    wait(lambda: names("/sys/class/bluetooth"), "the controller", 240)
    with open("/run/bluetoothd.log", "w") as out:
        subprocess.Popen(["/usr/libexec/bluetooth/bluetoothd", "--nodetach"], stdout=out, stderr=out)
    wait(lambda: "Controller" in sh("bluetoothctl list </dev/null", check=False), "bluetoothd", 240)
    sh("bluetoothctl power on </dev/null", check=False)
    wait(lambda: "UP RUNNING" in sh("hciconfig hci0", check=False), "hci0", 240)
    return adapter


def told(since, word):
    with open(HEARD) as file:
        file.seek(since)
        return [line.rstrip("\n").partition(word)[2].strip() for line in file if word in line]


def now():
    return os.path.getsize(HEARD)


def readings(run):
    return [line for line in run.objects if line["kind"] == "reading" and line["signal"] == "RPM"]


def forget(address):
    sh(f"bluetoothctl remove {address} </dev/null", check=False)


def is_paired(address):
    return "Paired: yes" in sh(f"bluetoothctl info {address} </dev/null", check=False)


def be_seen(pin):
    """Waits until BlueZ knows the adapter by its name, which takes longer here than a user's search lasts."""
    scan = subprocess.Popen(["bluetoothctl"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        scan.stdin.write(b"scan on\n")
        scan.stdin.flush()
        wait(lambda: f"OBDII-{pin}" in sh("bluetoothctl devices </dev/null", check=False), f"the name OBDII-{pin}", 120)
    finally:
        scan.kill()
        scan.wait()


@case
def setup_pairs_with_the_usual_PINs():
    for pin in ("1234", "0000"):
        for user in (None, "tester"):
            address = CLASSIC[pin]
            be_seen(pin)
            since, begin = now(), time.monotonic()
            environment = {**ENVIRONMENT, "XDG_CONFIG_HOME": f"/tmp/config-{user}", "OBDSCAN_DB": f"/tmp/{user}.db"}
            done = Run("setup", "-d", f"bluetooth:OBDII-{pin}", user=user, environment=environment).end()
            expect(done.status == 0 and "is paired" in done.output + done.errors, done)
            expect(is_paired(address), sh(f"bluetoothctl info {address} </dev/null", check=False))
            tried = [line.split()[1] for line in told(since, "pin ")]
            expect(tried == (["1234"] if pin == "1234" else ["1234", "0000"]), tried)
            print(f"  | {user or 'root'}, {pin}: {time.monotonic() - begin:.1f} s, tried {tried}")
            forget(address)


@case
def without_a_person_to_ask_an_unusual_PIN_is_said_to_be_wrong():
    be_seen("4711")
    done = obdscan("setup", "-d", "bluetooth:OBDII-4711")
    expect(done.status == 77 and "the PIN was wrong" in done.errors and "hint: " in done.errors, done)
    expect(not is_paired(CLASSIC["4711"]), "it is paired")


@case
def nothing_is_lost_or_doubled_over_losses():
    lossy_log(3)


@by_name
def a_long_log_with_ten_losses():
    lossy_log(10)


def lossy_log(losses):
    """`log` while the link is lost at a request: what the adapter answered is in the trip once, and nothing else."""
    sh("rm -f /tmp/loss.db*")
    since, begin = now(), time.monotonic()
    log = Run("log", "RPM", "--format", "json", "-d", f"rfcomm:{CLASSIC['1234']}/1", "--db", "/tmp/loss.db")
    log.until(lambda run: len(readings(run)) > 5, 60, "readings")
    for _ in range(losses):
        before = len(readings(log))
        ADAPTER.send_signal(signal.SIGUSR2)
        log.until(lambda run: len(readings(run)) > before + 5, 90, "readings after the loss")
    # So that no request is under way at the end.
    ADAPTER.send_signal(signal.SIGUSR2)
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


def main():
    global ADAPTER
    with open("/test/selected") as file:
        selected = [word for word in file.read().split("\n") if word]
    failed = 0
    try:
        ADAPTER = start()
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
            text = str(error) if isinstance(error, Failed) else traceback.format_exc()
            with open(HEARD) as file:
                file.seek(since)
                heard = file.read().splitlines()[-30:]
            for line in text.splitlines() + open("/run/bluetoothd.log").read().splitlines()[-8:] + heard:
                print(f"  | {line}", flush=True)
        Run.end_all([])
    return 1 if failed else 0


sys.exit(main())
