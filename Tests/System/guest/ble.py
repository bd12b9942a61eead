"""Tests Bluetooth LE on a real kernel and BlueZ, with an adapter that uses a foreign Bluetooth stack."""

import json
import os
import signal
import subprocess
import sys
import time
import traceback

from world import ENVIRONMENT, Failed, Run, expect, names, sh, succeeds, fails, wait

ADDRESS = "D2:E0:2F:8D:54:D5"
CASES = []


def case(function):
    CASES.append(function)
    return function


def start():
    """Starts the adapter first: its process also has the kernel's controller."""
    log = open("/run/bumble.log", "w")
    adapter = subprocess.Popen([sys.executable, "/test/bumble_adapter.py"], stdout=log, stderr=log,
                               env={**os.environ, "PYTHONPATH": "/test/site", "PYTHONDONTWRITEBYTECODE": "1"})
    wait(lambda: "advertising" in open("/run/bumble.log").read(), "the adapter", 120)
    wait(lambda: names("/sys/class/bluetooth"), "the controller")
    with open("/run/bluetoothd.log", "w") as out:
        subprocess.Popen(["/usr/libexec/bluetooth/bluetoothd", "--nodetach"], stdout=out, stderr=out)
    wait(lambda: "Controller" in sh("bluetoothctl list </dev/null", check=False), "bluetoothd", 60)
    sh("bluetoothctl power on </dev/null", check=False)
    wait(lambda: "UP RUNNING" in sh("hciconfig hci0", check=False), "hci0", 60)
    return adapter


def readings(run):
    return [line for line in run.objects if line["kind"] == "reading"]


@case
def an_adapter_that_was_never_seen_is_found_and_read():
    begin = time.monotonic()
    done = succeeds("read", "rpm", "--format", "json", "-d", f"ble:{ADDRESS}")
    expect(readings(done)[0]["value"] == 1726, done)
    print(f"  | first reading after {time.monotonic() - begin:.1f} s")


@case
def every_layout_is_spoken():
    for service in ["FFF0", "FFE0", "18F0", "FEE0"]:
        done = succeeds("read", "rpm", "--format", "json", "-d", f"ble:{ADDRESS}?service={service}")
        expect(readings(done)[0]["value"] == 1726, service, done)


@case
def any_user_may():
    done = succeeds("read", "rpm", "--format", "json", "-d", f"ble:{ADDRESS}", "--db", "/tmp/tester.db",
                    user="tester")
    expect(readings(done)[0]["value"] == 1726, done)


@case
def a_name_leads_to_it():
    done = succeeds("read", "rpm", "--format", "json", "-d", "bluetooth:OBDBLE")
    expect(readings(done)[0]["value"] == 1726, done)


@case
def a_lost_link_is_restored_under_log():
    log = Run("log", "RPM", "--format", "json", "--duration", "40", "-d", f"ble:{ADDRESS}?service=FFF0")
    log.until(lambda run: len(readings(run)) > 5, 60, "readings")
    before = len(readings(log))
    ADAPTER.send_signal(signal.SIGUSR1)
    log.until(lambda run: len(readings(run)) > before + 10, 60, "readings after the loss")
    log.end(signal=signal.SIGINT)
    expect(log.status in (0, 130, -2), log)
    times = [line["time"] for line in readings(log)]
    expect(times == sorted(set(times)), "readings are doubled or out of order")


@case
def an_adapter_that_is_not_there():
    fails(69, "was not seen", of=["info", "-d", "ble:00:11:22:33:44:55"])


def main():
    global ADAPTER
    with open("/test/selected") as file:
        selected = file.read().split("\n")
    failed = 0
    ADAPTER = start()
    for one in CASES:
        name = one.__name__.replace("_", " ")
        if any(selected) and not any(word and word in name for word in selected):
            continue
        begin = time.monotonic()
        try:
            one()
            print(f"ok {name} ({time.monotonic() - begin:.1f} s)", flush=True)
        except Exception as error:
            failed += 1
            print(f"FAILED {name}", flush=True)
            text = str(error) if isinstance(error, Failed) else traceback.format_exc()
            for line in text.splitlines() + open("/run/bluetoothd.log").read().splitlines()[-8:]:
                print(f"  | {line}", flush=True)
        Run.end_all([])
    return 1 if failed else 0


sys.exit(main())
