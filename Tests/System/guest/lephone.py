"""`obdscan simulate --ble` on a real kernel and BlueZ, with a phone of a foreign stack at the other end."""

import json
import os
import select
import subprocess
import sys

from world import ENVIRONMENT, PROGRAM, names, sh, wait


def line(stream, seconds):
    return stream.readline() if select.select([stream], [], [], seconds)[0] else b""


def main():
    log = open("/run/phone.log", "w")
    phone = subprocess.Popen([sys.executable, "/test/bumble_central.py"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=log,
                             env={**os.environ, "PYTHONPATH": "/test/site", "PYTHONDONTWRITEBYTECODE": "1"})
    try:
        assert line(phone.stdout, 120) == b"ready\n", "the phone did not start"
        wait(lambda: names("/sys/class/bluetooth"), "the controller")
        out = open("/run/bluetoothd.log", "w")
        subprocess.Popen(["/usr/libexec/bluetooth/bluetoothd", "--nodetach"], stdout=out, stderr=out)
        wait(lambda: "Controller" in sh("bluetoothctl list </dev/null", check=False), "bluetoothd", 60)
        sh("bluetoothctl power on </dev/null", check=False)
        wait(lambda: "UP RUNNING" in sh("hciconfig hci0", check=False), "hci0", 60)
        car = subprocess.Popen([PROGRAM, "simulate", "--ble", "My car"], env=ENVIRONMENT, user="tester",
                               stdout=subprocess.PIPE, stderr=open("/run/car.log", "w"), stdin=subprocess.DEVNULL)
        address = line(car.stdout, 60).decode().strip()
        assert address.startswith("ble:"), f"no address: {address!r}"
        phone.stdin.write(b"My car\n")
        phone.stdin.flush()
        answers = {}
        while text := line(phone.stdout, 60):
            one = json.loads(text)
            answers[one["command"]] = one
        print(f"  | {address}: {answers}", flush=True)
        assert "410C" in answers["010C"]["answer"].replace(" ", ""), "no engine speed"
        assert answers["0902"]["answer"].endswith(">"), "no VIN"
        assert 20 < max(one["longest"] for one in answers.values()) <= 244, "pieces do not follow the MTU"
    except Exception as error:
        print(f"FAILED a phone reads the simulated adapter\n  | {error!r}", flush=True)
        for name in ("phone", "car", "bluetoothd"):
            if os.path.exists(f"/run/{name}.log"):
                for text in open(f"/run/{name}.log").read().splitlines()[-10:]:
                    print(f"  | {name}: {text}", flush=True)
        return 1
    print("ok a phone reads the simulated adapter", flush=True)
    return 0


sys.exit(main())
