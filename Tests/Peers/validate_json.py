#!/usr/bin/env python3
"""Validates JSON Lines against share/obdscan/schema.json with a foreign validator.

Usage: validate_json.py SCHEMA [--every-kind] <lines
Prints how many objects of each kind were compared; exits with 1 when one does not fit. With --every-kind
it also fails when a kind of the schema did not occur, and when `kind` occurs that it does not have.
"""
import json
import sys

import fastjsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
definitions = schema["definitions"]
# Kinds that no whole-program suite without special hardware or servers prints, each with its reason.
ELSEWHERE = {
    "deviceEvent": "needs a USB device that comes and goes: Tests/System/guest/cases.py",
    "refusal": "needs a server that refuses single lines: Tests/EndToEndTests/deliveries.py counts them",
    "publishCheck": "needs VictoriaMetrics among the peers",
    "serving": "needs a server that runs until a signal ends it: JSONSchemaTests has one",
    "setupPublish": "needs a broker, whose tests read the text",
}
validators = {name: fastjsonschema.compile(kind) for name, kind in definitions.items()}
found = {}
wrong = 0
for number, line in enumerate(sys.stdin, 1):
    thing = json.loads(line)
    name = thing.get("kind")
    found[name] = found.get(name, 0) + 1
    try:
        if name not in validators:
            raise ValueError(f"no kind {name}")
        validators[name](thing)
    except (ValueError, fastjsonschema.JsonSchemaException) as error:
        wrong += 1
        print(f"line {number}: {error}: {line[:200].strip()}")
for name in sorted(found, key=str):
    print(f"{found[name]:8} {name}")
for name in sorted(set(ELSEWHERE) - set(found)):
    print(f"       - {name}: {ELSEWHERE[name]}")
missing = sorted(set(definitions) - set(found) - set(ELSEWHERE))
if missing and "--every-kind" in sys.argv:
    wrong += 1
    print("no object of:", *missing)
print(sum(found.values()), "objects of", len(found), "kinds")
sys.exit(1 if wrong else 0)
