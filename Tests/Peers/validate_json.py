#!/usr/bin/env python3
"""Compares JSON Lines with share/obdscan/schema.json by a foreign validator.

Usage: validate_json.py SCHEMA <lines
Prints how many objects of how many kinds were compared; exits with 1 when one does not fit.
"""
import json
import sys

import fastjsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
definitions = schema["definitions"]
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
print(sum(found.values()), "objects of", len(found), "kinds")
sys.exit(1 if wrong else 0)
