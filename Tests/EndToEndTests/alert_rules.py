#!/usr/bin/env python3
"""Runs every alert rule of share on a good and on a bad fleet in a VictoriaMetrics.

  alert_rules.py SHARE VMALERT HOST:PORT

SHARE is the folder share, VMALERT the program vmalert, HOST:PORT an empty VictoriaMetrics. Writes the points of two vehicles
and two computers, of which the second ones have all faults, and lets vmalert judge them. The exit code is 0 if each rule of
share/alerts names exactly the second one, and if Grafana's rules are the same.
"""
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from engines import free_port, wait_for_port

share, vmalert, address = sys.argv[1:4]
now = time.time()


def fail(words):
    print("alert_rules:", words, file=sys.stderr)
    sys.exit(1)


def write(lines):
    body = "".join(f"{line} {int((now - age) * 1e9)}\n" for line, age in lines).encode()
    urllib.request.urlopen(f"http://{address}/write?precision=ns", body).read()


def vehicle(name, light, voltage, coolant, fuel):
    series = f"obd,vehicle={name},vin=X,ecu=7E8,signal="
    return [
        (f"{series}MIL value={light}", 86_400), (f"{series}ECT,unit=°C value={coolant}", 60),
        (f"{series}FLI,unit=% value={fuel}", 86_400),
        (f"obd,vehicle={name},vin=X,signal=ADAPTER_VOLTAGE,unit=V value={voltage}", 3_600),
        # The values of a freeze frame are not those of now.
        (f"obd,vehicle={name},vin=X,ecu=7E8,frame=0,signal=ECT,unit=°C value=130", 60)]


def machine(name, age, free=5e9, is_set=1, waiting=10):
    fields = f"clock_set={is_set},recording=0,uptime=3600,disk_free={free:.0f},waiting={waiting}"
    return [(f"obd_machine,machine={name},version=1 {fields}", age)]


write(
    vehicle("good", 0, 12.6, 90, 50) + vehicle("good-truck", 0, 25.2, 90, 50)
    + vehicle("bad", 1, 11.6, 120, 0) + vehicle("bad-truck", 0, 23.4, 90, 50)
    + [("obd_code,vehicle=bad,vin=X,ecu=7E8,status=stored,code=P0301 value=1", 600),
       ("obd_code,vehicle=good,vin=X,ecu=7E8,status=pending,code=P0302 value=1", 600)]
    + machine("good", 60) + machine("silent", 3_600)
    + [point for age in range(0, 3_600, 60)
       for point in machine("bad", age, free=0, is_set=0, waiting=1e6) + machine("good", age)])

expected = {
    "CheckEngineLight": {"bad"}, "TroubleCode": {"bad"}, "BatteryLow": {"bad", "bad-truck"}, "CoolantHot": {"bad"},
    "FuelLow": {"bad"}, "ComputerSilent": {"silent"}, "ComputerDiskFull": {"bad"}, "ComputerClockNotSet": {"bad"},
    "ReadingsWaiting": {"bad"}}


def rules(path, name):
    """The expression of each rule, by its name."""
    with open(path) as file:
        text = file.read()
    return {
        name: expression.replace("''", "'")
        for name, expression in re.findall(rf"{name}: (\w+)\n.*?expr: '(.*?)'\n", text, re.DOTALL)}


ours = rules(share + "/alerts/obdscan-rules.yml", "- alert")
if ours.keys() != expected.keys():
    fail(f"other rules than expected: {ours.keys() ^ expected.keys()}")
if rules(share + "/grafana/provisioning/alerting/obdscan.yaml", "title") != ours:
    fail("Grafana's rules are not those of vmalert")

for attempt in range(30):
    with urllib.request.urlopen(f"http://{address}/api/v1/query?query=count(obd_machine_uptime)&nocache=1") as answer:
        if json.load(answer)["data"]["result"]:
            break
    time.sleep(1)

# Grafana calls a value of 0 normal, so no expression may fire with it.
for name, expression in ours.items():
    query = urllib.parse.urlencode({"query": expression, "nocache": 1})
    with urllib.request.urlopen(f"http://{address}/api/v1/query?{query}") as answer:
        for series in json.load(answer)["data"]["result"]:
            if float(series["value"][1]) == 0:
                fail(f"{name} fires with 0: {series}")

with tempfile.TemporaryDirectory() as folder:
    port = free_port()
    process = subprocess.Popen(
        [vmalert, f"-rule={share}/alerts/obdscan-rules.yml", f"-datasource.url=http://{address}",
         "-notifier.url=http://127.0.0.1:9", f"-httpListenAddr=127.0.0.1:{port}", "-evaluationInterval=1s"],
        stdout=subprocess.DEVNULL, stderr=open(folder + "/log", "w"))
    try:
        wait_for_port(port, process)
        fired = {}
        for attempt in range(60):
            # Pending alerts count: they wait for their time.
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/alerts") as answer:
                alerts = json.load(answer)["data"]["alerts"] or []
            fired = {}
            for alert in alerts:
                labels = alert["labels"]
                fired.setdefault(alert["name"], set()).add(labels.get("vehicle") or labels["machine"])
                if "{{" in alert["annotations"]["summary"] or "<no value>" in alert["annotations"]["summary"]:
                    fail(f"{alert['name']}: {alert['annotations']['summary']}")
            if fired == expected:
                print(f"{len(fired)} rules name what is wrong, and nothing else")
                sys.exit(0)
            time.sleep(1)
        with open(folder + "/log") as log:
            fail(f"fired: {fired}\nexpected: {expected}\n{log.read()[-2000:]}")
    finally:
        process.kill()
        process.wait()
