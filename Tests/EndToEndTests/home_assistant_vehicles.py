#!/usr/bin/env python3
"""Publishes a drive of each vehicle of a folder, and compares the entities in a real Home Assistant.

  home_assistant_vehicles.py OBDSCAN PYTHON VEHICLES

PYTHON has homeassistant 2025.4.4 and paho-mqtt. Each *.vehicle of the folder VEHICLES is logged for two
seconds and published to one mosquitto: first while nothing is published any more (what lasts keeps its value,
the rest is unavailable), then renamed, then forgotten. Home Assistant must have exactly the entities and
states that `publish --print` says, and no warning in its log. Exit code 77 when something is missing.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

from engines import Broker, find

OBDSCAN, PYTHON, VEHICLES = sys.argv[1:4]
HERE = os.path.dirname(os.path.abspath(__file__))


def run(*arguments):
    done = subprocess.run([OBDSCAN, *arguments], capture_output=True, text=True, timeout=300)
    if done.returncode:
        sys.exit(f"{arguments}: {done.returncode} {done.stderr}")
    return done.stdout


def look(broker, expected, folder):
    """The entities of Home Assistant, compared with the expected ones."""
    file = os.path.join(folder, "expected.json")
    with open(file, "w") as output:
        json.dump(expected, output)
    done = subprocess.run(
        [PYTHON, os.path.join(HERE, "home_assistant.py"), broker.address, "4", file], capture_output=True, text=True,
        timeout=120)
    if done.returncode:
        sys.exit(f"Home Assistant: {done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def states(printed):
    """The expected value of each enabled entity after the publisher has gone: printed topics and payloads."""
    topics = dict(line.split(" ", 1) for line in printed.splitlines())
    found = {}
    for topic, payload in topics.items():
        if not topic.startswith("homeassistant/"):
            continue
        for key, component in json.loads(payload)["components"].items():
            if component.get("enabled_by_default") is False or "unique_id" not in component:
                continue
            state = "unavailable"
            if "availability" not in component:
                message = json.loads(topics.get(component.get("state_topic"), "null"))
                state = value(key, component, message)
            found[component["unique_id"]] = state
    return found


def value(key, component, message):
    if message is None:
        return "unknown"
    names = {"codes": "count", "readiness": "count", "check_engine": "mil", "trip": "seconds",
             "trip_distance": "distanceKm"}
    if key in ("trip_fuel", "trip_consumption"):
        found = message[{"trip_fuel": "fuel", "trip_consumption": "per100Km"}[key]]
        return str(found) if message["fuelUnit"] == "L" and found is not None else "unknown"
    found = message[names.get(key, "value")]
    if component["platform"] == "binary_sensor":
        return "unknown" if found is None else "on" if found else "off"
    return "unknown" if found is None else str(found)


def main():
    if not find("mosquitto"):
        print("no mosquitto")
        sys.exit(77)
    names = sorted(glob.glob(os.path.join(VEHICLES, "*.vehicle")))
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker(folder).start()
        url = f"mqtt://{broker.address}"
        expected, databases = {}, {}
        for path in names:
            name = os.path.basename(path).removesuffix(".vehicle")
            database = databases[name] = os.path.join(folder, f"{name}.db")
            device = f"sim:{path}?latency=5ms"
            run("log", "-d", device, "--duration", "2s", "--quiet", "--db", database)
            options = ["publish", "--to", url, "--id", name, "--db", database]
            run(*options, "--drain", "--quiet")
            own = states(run(*options, "--print"))
            expected.update(own)
            print(f"{name}: {len(own)} entities")
        lines = look(broker, expected, folder)
        print(f"{len(names)} vehicles in Home Assistant without a warning: {lines[-1]}")
        for line in lines[:-1]:
            print("  " + line)
        name, database = next(iter(databases.items()))
        options = ["publish", "--to", url, "--id", "renamed", "--db", database]
        run(*options, "--drain", "--quiet")
        expected = {key: state for key, state in expected.items() if not key.startswith(f"obdscan_{name}_")}
        expected.update(states(run(*options, "--print")))
        look(broker, expected, folder)
        print(f"{name} renamed: its entities are gone, those of its new name are there")
        for database in databases.values():
            run("publish", "forget", url, "--quiet", "--db", database)
        look(broker, {}, folder)
        print("all forgotten: no entity is left")
        broker.kill()


main()
