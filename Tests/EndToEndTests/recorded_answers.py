"""Reads the answers that ELM327-emulator has recorded for its scenario `car` from the installed package.

Prints one JSON object. For each PID of service 01 on the command line it has the data bytes of every recorded
answer by ECU, {"0C": {"7E8": ["1AF8", ...]}}. Under "VIN" it has the recorded texts.
"""

import json
import re
import sys

from elm.obd_message import ObdMessage

FRAME = re.compile(r"<header>(\w+)</header><size>\w+</size><data>([0-9A-F ]+)</data>")
SEVERAL = re.compile(r"<pos_answer>([0-9A-F ]+)</pos_answer>")


def entry(request):
    for value in ObdMessage["car"].values():
        if re.match(value.get("Request") or "$^", request) and value.get("Response"):
            answers = value["Response"]
            return [answers] if isinstance(answers, str) else answers
    sys.exit(f"{request} is not in the scenario")


def main():
    result = {}
    for pid in sys.argv[1:]:
        ecus = {}
        for answer in entry("01" + pid):
            for ecu, data in FRAME.findall(answer):
                payload = data.replace(" ", "")
                if payload.startswith("41" + pid):
                    ecus.setdefault(ecu, set()).add(payload[4:])
        result[pid] = {ecu: sorted(values) for ecu, values in ecus.items()}
    result["VIN"] = [
        bytes.fromhex(data)[1:].decode("ascii")
        for answer in entry("0902")
        for data in SEVERAL.findall(answer)
    ]
    print(json.dumps(result))


main()
