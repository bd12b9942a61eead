"""python-OBD as a second decoder of the recorded conversations, answer by answer.

    second_decoder.py OBDSCAN FOLDER DISAGREEMENTS

Takes every conversation of FOLDER whose name says the vehicle's protocol. Gives the lines of each answer with
headers to python-OBD's own protocol classes and decoders. Compares the results with those of
`OBDSCAN decode` for the same lines: the sender, the length, and every value that python-OBD knows. Prints one
line per difference that DISAGREEMENTS does not explain, and per explanation that is not needed any more;
then the counts. Exit code 0 = no such line.

It also compares an artificial conversation that has every record that python-OBD knows.

DISAGREEMENTS: tab-separated; file, line (* in the artificial one), service, PID, python-OBD's value, and why
it is wrong.
"""

import json
import logging
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

import obd
from obd.protocols import protocol_can, protocol_legacy
from obd.protocols.protocol import Message

logging.disable(logging.CRITICAL)

# By the beginning of a conversation's name: the form of a line with a header, and python-OBD's
# class.
FAMILIES = {
    "can11": (re.compile(r"^7[0-9A-F]{2}( ?[0-9A-F]{2}){2,8}$"), protocol_can.ISO_15765_4_11bit_500k),
    "can29": (re.compile(r"^18 ?DA ?F1( ?[0-9A-F]{2}){3,9}$"), protocol_can.ISO_15765_4_29bit_500k),
    "iso9141": (re.compile(r"^48 ?6B( ?[0-9A-F]{2}){4,9}$"), protocol_legacy.ISO_9141_2),
    "vpw": (re.compile(r"^48 ?6B( ?[0-9A-F]{2}){4,9}$"), protocol_legacy.SAE_J1850_VPW),
    "pwm": (re.compile(r"^41 ?6B( ?[0-9A-F]{2}){4,9}$"), protocol_legacy.SAE_J1850_PWM),
    "kwp": (re.compile(r"^8[1-7] ?F1( ?[0-9A-F]{2}){3,9}$"), protocol_legacy.ISO_14230_4_fast),
}

# python-OBD's names of readiness tests, and our names.
MONITORS = {
    "MISFIRE_MONITORING": "misfire",
    "FUEL_SYSTEM_MONITORING": "fuelSystem",
    "COMPONENT_MONITORING": "components",
    "CATALYST_MONITORING": "catalyst",
    "HEATED_CATALYST_MONITORING": "heatedCatalyst",
    "EVAPORATIVE_SYSTEM_MONITORING": "evaporative",
    "SECONDARY_AIR_SYSTEM_MONITORING": "secondaryAir",
    "OXYGEN_SENSOR_MONITORING": "oxygenSensor",
    "OXYGEN_SENSOR_HEATER_MONITORING": "oxygenSensorHeater",
    "EGR_VVT_SYSTEM_MONITORING": "egrVvt",
    "NMHC_CATALYST_MONITORING": "nmhcCatalyst",
    "NOX_SCR_AFTERTREATMENT_MONITORING": "noxSCR",
    "BOOST_PRESSURE_MONITORING": "boostPressure",
    "EXHAUST_GAS_SENSOR_MONITORING": "exhaustGasSensor",
    "PM_FILTER_MONITORING": "pmFilter",
}

UNITS = {
    "km/h": "kph", "°C": "degC", "%": "percent", "kPa": "kilopascal", "Pa": "pascal", "V": "volt",
    "mV": "millivolt", "mA": "milliampere", "g/s": "grams_per_second", "km": "kilometer",
    "s": "second", "ms": "millisecond", "min": "minute", "rpm": "revolutions_per_minute",
    "°": "degree", "L/h": "liters_per_hour", "g": "gram",
}  # fmt: skip

# The artificial conversation with every record that python-OBD knows.
SWEEP = "can11-sweep"

counts = Counter()


def exchanges(text):
    """The request and the (line number, line) pairs of each answer."""
    request, answer = None, []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip("\r \x00")
        if line.startswith("#"):
            continue
        if line.startswith(">"):
            if request:
                yield request, answer
            request, answer = line[1:].replace(" ", "").upper(), []
        elif line:
            answer.append((number, line.upper()))
    if request:
        yield request, answer


def messages_of(family, mode, lines):
    """python-OBD's messages from lines with headers. Without headers: the complete lines, with their line
    numbers."""
    shape, peer = family
    digits = [line for _, line in lines if re.match("^[0-9A-F ]+$", line)]
    good = [line for line in digits if shape.match(line)]
    if good and len(good) == len(digits):
        # If it has not seen an answer to 0100, it knows no ECUs and takes all lines in their order.
        return [(message, None) for message in peer([])(good) if message.data]
    messages = []
    for number, line in lines:
        data = line.replace(" ", "")
        if not re.match("^([0-9A-F]{2}){2,7}$", data) or not data.startswith("%02X" % (mode + 0x40)):
            continue
        message = Message([])
        message.data = bytearray.fromhex(data)
        if mode == 3 and len(data) == 14:
            # Before CAN there is no count, but python-OBD's decoder needs one.
            message.data.insert(1, 0)
        messages.append((message, number))
    return messages


def sender(message, family, objects):
    """Our name for python-OBD's sender: 0 to 7 with 11-bit identifiers, otherwise the last byte."""
    if not message.frames:
        return None
    mask = 0x07 if family == "can11" else 0xFF
    for item in objects:
        ecu = item.get("ecu")
        if ecu and "/" not in ecu and int(ecu, 16) & mask == message.tx_id & mask:
            return ecu
    return None


def number(quantity, unit):
    if unit in UNITS:
        try:
            return quantity.to(UNITS[unit]).magnitude
        except Exception:
            pass
    return quantity.magnitude


def near(left, right):
    return abs(left - right) <= max(2e-3, abs(right) * 2e-3)


def ids(bits, first):
    return " ".join("%02X" % (first + index) for index, bit in enumerate(bits) if bit)


def verdict(mode, pid, value, items):
    """None if both agree, otherwise python-OBD's value. Counts the compared values."""
    readings = [item for item in items if item.get("signal")]
    if mode == 1 and pid in (0x01, 0x41):
        wrong = []
        if pid == 0x01:
            for signal, said in (("MIL", value.MIL), ("DTC_CNT", value.DTC_count)):
                counts["values"] += 1
                ours = [item["value"] for item in readings if item["signal"] == signal]
                if ours != [said]:
                    wrong.append("%s %s" % (signal, said))
        ours = {item["monitor"]: item for item in items if item.get("kind") == "monitor"}
        for name, monitor in MONITORS.items():
            test = getattr(value, name, None)
            if test is None or test.name == "" or monitor not in ours:
                continue
            counts["values"] += 1
            found = ours[monitor]
            complete = test.complete if test.available else None
            if found["supported"] != test.available or found["complete"] != complete:
                wrong.append("%s %s/%s" % (monitor, test.available, test.complete))
        return ", ".join(wrong) or None
    if mode in (3, 7):
        counts["values"] += max(1, len(value))
        ours = [item["code"] for item in items if item.get("kind") == "code" and item["status"] in ("stored", "pending")]
        said = [code.upper() for code, _ in value]
        return None if ours == said else " ".join(said) or "no codes"
    if mode == 6 and hasattr(value, "tests"):
        wrong = []
        ours = {item["tid"]: item for item in items if item.get("kind") == "monitorTest"}
        for test in value.tests:
            found = ours.get("%02X" % test.tid)
            if found is None:
                wrong.append("test %02X" % test.tid)
                continue
            for key in ("value", "min", "max"):
                said = getattr(test, key)
                # It scales this ID as a comparison and returns a truth value, which is not a
                # quantity.
                if not isinstance(said, obd.Unit.Quantity) or found[key] is None:
                    continue
                counts["values"] += 1
                if not near(found[key], number(said, found["unit"])):
                    wrong.append("test %02X %s %s" % (test.tid, key, said))
        return "; ".join(wrong) or None
    if not readings:
        return str(value)
    counts["values"] += 1
    if isinstance(value, obd.Unit.Quantity):
        for item in readings:
            if isinstance(item["value"], (int, float)) and not isinstance(item["value"], bool):
                if near(item["value"], number(value, item.get("unit"))):
                    return None
        return "%s" % value
    if isinstance(value, (bytearray, bytes)):
        said = value.decode("latin-1").strip("\x00 \xff")
        ours = [str(item["value"]) for item in readings]
        return None if said in ours or said.replace("\x00", "") in ours else said
    if type(value).__name__ == "BitArray":
        said = ids([value[index] for index in range(32)], pid + 1)
        return None if readings[0]["value"] == said else said
    if isinstance(value, str):
        # Texts differ in their words. Only the CVN consists of digits.
        if re.match(r"^(0x)?[0-9A-Fa-f]{8}$", value):
            return None if value[-8:].upper() in str(readings[0]["value"]) else value
        counts["values"] -= 1
        counts["texts"] += 1
        return None
    if isinstance(value, tuple) and len(value) == 2 and pid in (0x13, 0x1D):
        flags = [bool(flag) for bank in value for flag in bank]
        ours = [item["value"] for item in readings]
        return None if sorted(ours) == sorted(flags[: len(ours)]) or ours == flags else str(value)
    counts["values"] -= 1
    counts["texts"] += 1
    return None


def compare(path, program, explained):
    family = FAMILIES.get(path.name.split("-")[0])
    if family is None:
        return
    text = path.read_bytes().decode("latin-1")
    run = subprocess.run(
        [program, "decode", "--format", "json", str(path)], capture_output=True, check=False
    )
    by_line = defaultdict(list)
    for line in run.stdout.decode().splitlines():
        item = json.loads(line)
        by_line[item["line"]].append(item)
    counts["conversations"] += 1
    for request, answer in exchanges(text):
        if not re.match(r"^0[1-9A][0-9A-F]*$", request) or not answer:
            continue
        digits = request if len(request) % 2 == 0 else request[:-1]
        mode = int(digits[:2], 16)
        # A freeze frame has the records of service 01. python-OBD cannot read requests for several
        # PIDs.
        length = {1: 4, 2: 6, 3: 2, 6: 4, 7: 2, 9: 4}.get(mode)
        if len(digits) != length:
            continue
        pid = int(digits[2:4], 16) if len(digits) > 2 else None
        counts["answers"] += 1
        items = [item for number, _ in answer for item in by_line[number]]
        for message, line in messages_of(family, mode, answer):
            if message.data[0] != mode + 0x40:
                continue
            if pid is not None and (len(message.data) < 2 or message.data[1] != pid):
                continue
            if mode == 2:
                del message.data[2]
                message.data[0] = 0x41
            if pid is None:
                command = obd.commands[mode][0]
            else:
                table = 1 if mode == 2 else mode
                known = obd.commands.has_pid(table, pid)
                command = obd.commands[table][pid] if known else None
            counts["messages"] += 1
            if command is None:
                counts["unknown"] += 1
                continue
            ecu = sender(message, path.name.split("-")[0], items)
            own = [item for item in items if item.get("ecu") == ecu and line in (None, item["line"])]
            try:
                # python-OBD decodes only for the engine. Here every ECU is decoded.
                message.ecu = obd.ECU.ENGINE
                value = command([message]).value
            except Exception as fault:  # python-OBD cannot decode this, so there is nothing to compare
                counts["failed"] += 1
                continue
            if value is None:
                counts["unknown"] += 1
                continue
            said = verdict(1 if mode == 2 else mode, pid, value, own)
            if said is None:
                continue
            place = ("%02X" % mode, "" if pid is None else "%02X" % pid)
            key = (path.stem, "*" if path.stem == SWEEP else str(answer[0][0])) + place
            if key in explained:
                explained[key] = True
                counts["explained"] += 1
            else:
                print("\t".join(key) + "\t" + said + "\tours: " + json.dumps(own)[:300])
                counts["disagreements"] += 1


def frames(payload):
    """The lines of one message by ISO 15765-2, with the header 7E8."""
    if len(payload) < 8:
        return [[len(payload)] + payload + [0] * (7 - len(payload))]
    lines = [[0x10 | len(payload) >> 8, len(payload) & 0xFF] + payload[:6]]
    for number, start in enumerate(range(6, len(payload), 7), 1):
        part = payload[start : start + 7]
        lines.append([0x20 | number & 0x0F] + part + [0] * (7 - len(part)))
    return lines


def sweep(folder):
    """Writes a conversation with every record of services 01 and 06 that python-OBD knows, with these data:
    all bits 0, all bits 1, only the sign bit, and random bytes."""
    chance = random.Random(1)
    lines = [">ATSP6", "OK", ">ATH1", "OK"]

    def say(request, payload):
        lines.append(">" + request)
        lines.extend("7E8 " + " ".join("%02X" % byte for byte in frame) for frame in frames(payload))

    for command in obd.commands[1]:
        # The length includes the service and the PID. A map of PIDs is not a value.
        length = command.bytes - 2
        if command.pid % 0x20 == 0 or length < 1:
            continue
        fixed = [[0x00] * length, [0xFF] * length, [0x80] + [0x00] * (length - 1)]
        made_up = [[chance.randrange(256) for _ in range(length)] for _ in range(8)]
        for data in fixed + made_up:
            say("01%02X" % command.pid, [0x41, command.pid] + data)
    for scaling in sorted(obd.UnitsAndScaling.UAS_IDS):
        for _ in range(4):
            limits = [chance.randrange(256) for _ in range(6)]
            say("0601", [0x46, 0x01, 0x80, scaling] + limits)
    path = folder / (SWEEP + ".txt")
    path.write_text("\n".join(lines) + "\n")
    return path


def main():
    program, folder, table = sys.argv[1:4]
    explained = {}
    for row in pathlib.Path(table).read_text().splitlines()[1:]:
        if row and not row.startswith("#"):
            explained[tuple(row.split("\t")[:4])] = False
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        compare(path, program, explained)
    with tempfile.TemporaryDirectory() as place:
        compare(sweep(pathlib.Path(place)), program, explained)
    for key, is_used in explained.items():
        if not is_used:
            print("explains nothing any more: " + "\t".join(key))
            counts["disagreements"] += 1
    print(
        "%(conversations)d conversations, %(answers)d answers, %(messages)d messages of ECUs, "
        "%(values)d values compared, %(texts)d texts not compared, %(unknown)d messages that "
        "python-OBD does not know, %(failed)d that it fails at, %(explained)d explained, "
        "%(disagreements)d not" % defaultdict(int, counts)
    )
    sys.exit(1 if counts["disagreements"] else 0)


main()
