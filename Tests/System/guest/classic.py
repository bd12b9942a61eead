"""Pairs Bluetooth Classic adapters with a PIN, and loses their links, on a real kernel and BlueZ."""

import subprocess
import sys
import time

from bumble_cases import by_name, case, forget, lossy_log, main, now, told
from leplaces import CLASSIC
from world import ENVIRONMENT, Run, expect, obdscan, sh, wait

PLACE = f"rfcomm:{CLASSIC['1234']}/1"


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
    lossy_log(PLACE, 3)


@by_name
def a_long_log_with_ten_losses():
    lossy_log(PLACE, 10)


sys.exit(main("bumble_classic.py", "listening"))
