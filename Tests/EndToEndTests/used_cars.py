#!/usr/bin/env python3
"""Replays honest and doctored vehicles to "obdscan check" and compares the grades with the truth of each.

  used_cars.py OBDSCAN [FOLDER]    FOLDER keeps the recordings

Each vehicle is declared here with its truth: whether it is honest, which part was replaced, and which findings are
its own. A doctored vehicle must have a contradiction or something odd. An honest one must have no contradiction,
unless a part was replaced; then the part is among the explanations, and --known makes every finding of it a note.
"""
import json
import os
import subprocess
import sys
import tempfile

GOLF, OTHER, ACCORD = "WVWZZZAUZEW033333", "WVWZZZ1KZAW123456", "1HGCM82633A004352"
CRUZE, KIA = "1G1ZC5E00CF123456", "KNAC381AFL5012345"


def u(number, size):
    return int(number).to_bytes(size, "big")


def vin(text):
    return text.encode() if isinstance(text, str) else text


class ECU:
    """The answers of one ECU, by request."""

    def __init__(self, address, **facts):
        self.address, self.answers = address, {}
        pids = {0x01: u(facts.get("mil", 0) << 7 | facts.get("count", 0), 1) + bytes(
            [facts.get("kind", 0) | 7, facts.get("supported", 0xE5), facts.get("incomplete", 0)]),
                0x1C: b"\x06"}
        for name, pid, size in [("light_km", 0x21, 2), ("warm_ups", 0x30, 1), ("km", 0x31, 2), ("light_min", 0x4D, 2),
                                ("minutes", 0x4E, 2), ("fuel", 0x51, 1)]:
            if name in facts:
                pids[pid] = u(facts[name], size)
        if "hours" in facts:
            pids[0x7F] = b"\x01" + u(facts["hours"] * 3600, 4) + bytes(8)
        if "odometer" in facts:
            pids[0xA6] = u(facts["odometer"] * 10, 4)
        if "trim" in facts:
            pids[0x07] = bytes([facts["trim"]])
        pids.update(facts.get("pids", {}))
        self.maps(b"\x01", pids)
        infos = {}
        if "vin" in facts:
            infos[0x02] = b"\x01" + vin(facts["vin"])
        if "calibrations" in facts:
            names, numbers = zip(*facts["calibrations"])
            infos[0x04] = u(len(names), 1) + b"".join(name.encode().ljust(16, b"\0") for name in names)
            infos[0x06] = u(len(numbers), 1) + b"".join(bytes.fromhex(number) for number in numbers)
        if "cycles" in facts:
            conditions, cycles = facts["cycles"]
            rest = facts.get("rest", 7)
            infos[0x0B if facts.get("kind") else 0x08] = b"\x12" + b"".join(u(n, 2) for n in [conditions, cycles] + [rest] * 16) \
                if facts.get("kind") else b"\x14" + b"".join(u(n, 2) for n in [conditions, cycles] + [rest] * 18)
        if "evap" in facts:
            infos[0x14] = b"\x01" + u(facts["evap"], 2)
        if "lifetime" in facts:
            # Recent and lifetime distance, then fuel at 6.5 L/100 km.
            km = facts["lifetime"]
            infos[0x17] = b"\x01" + u(km * 10 // 2, 4) + u(km * 10, 4) + u(km * 6.5 // 2, 4) + u(km * 6.5, 4)
        infos.update(facts.get("infos", {}))
        self.maps(b"\x09", infos)
        for service, name in [(0x03, "stored"), (0x07, "pending"), (0x0A, "permanent")]:
            codes = facts.get(name, None if service == 0x0A and facts.get("no_permanent") else [])
            if codes is not None:
                self.answers[bytes([service])] = bytes([service | 0x40, len(codes)]) + b"".join(u(code, 2) for code in codes)
        for identifier, data in facts.get("data", {}).items():
            self.answers[b"\x22" + u(identifier, 2)] = b"\x62" + u(identifier, 2) + vin(data)

    def maps(self, service, values):
        """The values and the maps that announce them."""
        for number, data in values.items():
            self.answers[service + u(number, 1)] = bytes([service[0] | 0x40, number]) + data
        if not values:
            return
        for base in range(0, max(values) // 32 * 32 + 1, 32):
            bits = sum(1 << (31 - (n - base - 1)) for n in values if base < n <= base + 31)
            if max(values) > base + 32:
                bits |= 1
            self.answers[service + u(base, 1)] = bytes([service[0] | 0x40, base]) + u(bits, 4)


def frames(address, payload, form):
    """The lines of an answer."""
    if form == "k":
        # Data in messages of seven bytes; long service 09 answers in numbered parts.
        if payload[0] == 0x49 and len(payload) > 6:
            data = payload[3:].rjust(20, b"\0") if payload[1] == 2 else payload[3:]
            parts = [payload[:2] + bytes([n // 4 + 1]) + data[n:n + 4] for n in range(0, len(data), 4)]
        elif payload[0] in (0x43, 0x47):
            parts = [payload[:1] + payload[2:].ljust(6, b"\0")]
        elif payload[:2] == b"\x49\x00":
            parts = [payload[:2] + b"\x01" + payload[2:]]
        else:
            parts = [payload]
        lines = [bytes([0x48, 0x6B, 0x10]) + part for part in parts]
        return [(line + bytes([sum(line) & 0xFF])).hex(" ").upper() for line in lines]
    if form == "off":
        if len(payload) <= 7:
            return [payload.hex(" ").upper()]
        lines = [f"{len(payload):03X}", "0: " + payload[:6].hex(" ").upper()]
        for n, at in enumerate(range(6, len(payload), 7), 1):
            lines.append(f"{n & 15:X}: " + payload[at:at + 7].ljust(7, b"\0").hex(" ").upper())
        return lines
    if len(payload) <= 7:
        pieces = [bytes([len(payload)]) + payload]
    else:
        pieces = [u(0x1000 | len(payload), 2) + payload[:6]]
        pieces += [bytes([0x20 | n & 15]) + payload[at:at + 7] for n, at in enumerate(range(6, len(payload), 7), 1)]
    shown = f"{address:03X} " if form == "11" else " ".join(u(address, 4).hex(" ").upper().split()) + " "
    return [shown + piece.ljust(8, b"\xAA").hex(" ").upper() for piece in pieces]


def recording(ecus, modules=(), form="11", voltage="12.4V"):
    """A conversation in which every request of any ECU is answered, and modules at their own addresses."""
    out = []
    number = {"11": "6", "29": "7", "off": "6", "k": "3"}[form]
    for command in "ATZ ATD ATE0 ATL0 ATS0 ATH1 ATSP0 ATSP6 ATAL ATAT1 ATM0 ATCAF1 ATCFC1 ATI ATDPN ATRV".split():
        said = {"ATZ": "ELM327 v1.5", "ATI": "ELM327 v1.5", "ATDPN": "A" + number, "ATRV": voltage}.get(command, "OK")
        if command == "ATH1" and form == "off":
            said = "?"
        out += [">" + command, said]
    requests = sorted({request for ecu in ecus for request in ecu.answers}, key=lambda one: (len(one), one))
    for request in requests:
        out.append(">" + request.hex().upper())
        for ecu in ecus:
            if request in ecu.answers:
                out += frames(ecu.address, ecu.answers[request], form)
    if modules:
        by_request = {ecu.address - 8 if 0x7E8 <= ecu.address <= 0x7EF else ecu.address - 0x6A if ecu.address > 0x700 else ecu.address: ecu
                      for ecu in modules}
        # The filter for all answers, then every address in turn; one that is silent is recorded once.
        out += [">ATSH700", "OK", ">ATCF700", "OK", ">ATCM700", "OK", ">3E00", "NO DATA"]
        for address in range(0x701, 0x800):
            if address == 0x7DF or 0x7E8 <= address <= 0x7EF:
                continue
            ecu = by_request.get(address)
            out += [f">ATSH{address:03X}", "OK", ">3E00"]
            out += frames(ecu.address, b"\x7E\x00", form) if ecu else ["NO DATA"]
        for address, ecu in sorted(by_request.items()):
            out += [f">ATSH{address:03X}", "OK", f">ATCRA{ecu.address:03X}", "OK"]
            for identifier in [0xF187, 0xF188, 0xF189, 0xF18A, 0xF18B, 0xF18C, 0xF18E, 0xF190, 0xF191, 0xF192, 0xF193,
                               0xF194, 0xF195, 0xF196, 0xF197, 0xF199]:
                request = b"\x22" + u(identifier, 2)
                out.append(">" + request.hex().upper())
                out += frames(ecu.address, ecu.answers.get(request, b"\x7F\x22\x31"), form)
    return "\n".join(out) + "\n"


def engine(address=0x7E8, **facts):
    """An ordinary engine of 97,310 km: 6.1 km for each ignition cycle."""
    usual = dict(vin=GOLF, odometer=97310, warm_ups=167, km=2649, minutes=4000, cycles=(5600, 15900), light_km=0, light_min=0,
                 fuel=1, lifetime=97305, calibrations=[("04E906016E", "3DABE9BC")], trim=0x83)
    usual.update(facts)
    return ECU(address, **{key: value for key, value in usual.items() if value is not None})


def truck(odometer=600000, hours=9000, light_km=0, km=40000, light_min=0, minutes=60000, warm_ups=200, incomplete=0, permanent="00000000"):
    """A conversation with the engine of a truck on SAE J1939: DM1, DM5, DM21, DM26, DM28, VIN, hours and distance."""
    def little(number, size):
        return int(number).to_bytes(size, "little").hex().upper()

    out = []
    for command in "ATZ ATD ATE0 ATL0 ATS0 ATH1 ATSP0 ATTP6 ATTP7 ATTP8 ATTP9 ATTPA ATAL ATAT1 ATM0 ATI ATDPN ATRV".split():
        out += [">" + command, {"ATI": "ELM327 v2.2", "ATZ": "ELM327 v2.2", "ATDPN": "A", "ATRV": "27.8V"}.get(command, "OK")]
    out += [">0100", "UNABLE TO CONNECT", ">22F810", "NO DATA"]
    groups = {"FECA": "00FF00000000FFFF", "FECB": "00FF00000000FFFF", "FECF": "00FF00000000FFFF",
              "FD80": "00FF" + permanent + "FFFF", "FECE": "000014070010" + little(incomplete << 8, 2),
              "C100": little(light_km, 2) + little(km, 2) + little(light_min, 2) + little(minutes, 2),
              "FDB8": "0000" + little(warm_ups, 1) + "E01EE01EFF", "FEE5": little(hours * 20, 4) + "FFFFFFFF",
              "FEE0": "20130000" + little(odometer * 8, 4)}
    for group, data in groups.items():
        out += [">00" + group, f"60{group}00{data}"]
    out += [">00FEEC", "70ECFF0020120003FFECFE00", "70EBFF000134585842443554", "70EBFF000241314E58303030", "70EBFF00033331312AFFFFFF"]
    return "\n".join(out) + "\n"


# Name, what the vehicle is, ECUs, options of the recording, arguments, and the findings it must have with their grade.
# "honest": no contradiction; "doctored": a contradiction or odd; otherwise the part that was replaced.
SHOWN = ["--odometer", "97310"]
CASES = [
    ("ordinary", "honest", [engine()], {}, SHOWN, {}),
    ("ordinary, 29 bit", "honest", [engine(0x18DAF110), ECU(0x18DAF118, warm_ups=167, km=2649)], {"form": "29"}, SHOWN, {}),
    ("ordinary, headers off", "honest", [engine()], {"form": "off"}, SHOWN, {}),
    ("ordinary, nothing shown", "honest", [engine()], {}, [], {}),
    ("old, ISO 9141-2", "honest",
     [ECU(0x10, vin=OTHER, mil=0, warm_ups=40, km=900)], {"form": "k"}, ["--odometer", "212000"], {}),
    ("miles on the dashboard", "honest", [engine()], {}, ["--odometer", "60466"], {"counts-miles": "note"}),
    ("miles by --units", "honest", [engine()], {}, ["--odometer", "60466", "--units", "us"], {}),
    ("an odometer that is rounded", "honest", [engine()], {}, ["--odometer", "97300"], {}),
    ("counters at their end", "honest", [engine(warm_ups=255, km=65535, minutes=65535)], {}, SHOWN, {}),
    ("a distance that is not used", "honest",
     [engine(odometer=42000, lifetime=None, warm_ups=30, km=65535, cycles=(2000, 7000))], {}, ["--odometer", "42000"], {}),
    ("cleared for inspection", "honest", [engine(km=34, warm_ups=2, minutes=40, trim=0x80)], {}, SHOWN, {"just-cleared": "note"}),
    ("battery was off", "honest", [engine(minutes=0)], {}, SHOWN, {"battery-was-off": "note"}),
    ("gearbox with a blank VIN and a sleeping odometer", "honest",
     [engine(), ECU(0x7E9, vin=b"\xFF" * 17, warm_ups=167, km=2649, odometer=0)], {}, SHOWN,
     {"vin-blank": "note", "odometer-blank": "note"}),
    ("gearbox that counts for itself", "honest",
     [engine(), ECU(0x7E9, warm_ups=3, km=12, cycles=(0, 0), rest=0)], {}, SHOWN, {"just-cleared": "note"}),
    ("hybrid with few engine hours", "honest",
     [engine(fuel=0x11, hours=300, cycles=(0, 15900), lifetime=None)], {}, SHOWN, {}),
    ("monitors of a tank that is always full", "honest", [engine(incomplete=0x04)], {}, SHOWN, {"monitors-incomplete": "note"}),
    ("the light was on", "honest", [engine(light_km=12)], {}, SHOWN, {"light-was-on": "note"}),
    ("a fuel monitor that cannot be", "honest",
     [engine(infos={0x17: b"\x01" + u(1, 4) + u(4000000, 4) + u(1, 4) + u(5, 4)}, lifetime=None)], {}, SHOWN, {}),
    ("module that refuses everything", "honest", [engine()], {"modules": [ECU(0x77E)]}, SHOWN, {}),
    ("instruments with the same odometer", "honest", [engine()],
     {"modules": [ECU(0x77E, data={0xF190: GOLF, 0x2203: u(97310, 3)})]}, SHOWN, {}),
    ("grey import without permanent codes", "honest", [engine(vin=CRUZE, no_permanent=True)], {}, SHOWN, {"vin-year": "odd"}),

    ("a fault that went away", "honest", [engine(count=1, stored=[0x0420], light_km=300, light_min=400)], {}, SHOWN,
     {"codes-without-light": "note"}),
    ("a VIN that was masked", "honest", [engine(vin="1HGCM82630A000000")], {}, SHOWN, {}),
    ("a VIN in lower case", "honest", [engine(), ECU(0x7E9, vin=GOLF.lower())], {}, SHOWN, {}),
    ("plug-in hybrid, engine hardly runs", "honest", [engine(fuel=0x15, km=30000, warm_ups=90, minutes=900)], {}, SHOWN, {}),
    ("taxi that waits", "honest", [engine(km=9000, warm_ups=255, minutes=60000)], {}, SHOWN, {}),
    ("motorway since a clear", "honest", [engine(km=20000, warm_ups=30, minutes=11000)], {}, SHOWN, {}),
    ("old, only PID 01, cleared or without battery", "honest", [ECU(0x10, vin=OTHER, incomplete=0xE5)], {"form": "k"},
     ["--odometer", "212000"], {"no-monitor-has-run": "note"}),
    ("truck", "honest", truck(), {}, ["--odometer", "600000"], {}),
    ("truck, counters at their end", "honest", truck(light_km=0xFAFF, km=0xFAFF, light_min=0xFAFF, minutes=0xFAFF, warm_ups=0xFA), {},
     ["--odometer", "600000"], {}),
    ("truck, cleared for repair", "honest", truck(km=20, minutes=30, warm_ups=1, incomplete=0x10), {}, ["--odometer", "600000"],
     {"just-cleared": "note"}),
    ("new instruments", "cluster-replaced", [engine()], {}, ["--odometer", "12000"], {"lifetime-distance": "contradiction"}),
    ("new instruments, few counters", "cluster-replaced", [engine(odometer=None, lifetime=None, km=30000, minutes=40000)], {},
     ["--odometer", "12000"], {"counted-distance": "contradiction"}),
    ("new ECU", "ecu-replaced", [engine(odometer=0, lifetime=None, cycles=(0, 0), rest=0, km=0, warm_ups=0, minutes=0)], {}, SHOWN,
     {"counters-younger": "odd"}),
    ("used ECU of another car", "used-part", [engine(vin=OTHER, odometer=182000, lifetime=182003)], {},
     SHOWN + ["--vin", GOLF], {"lifetime-distance": "contradiction", "vin-differs": "contradiction"}),
    ("used instruments", "module-replaced", [engine()], {"modules": [ECU(0x77E, data={0xF190: OTHER})]}, SHOWN,
     {"vin-differs": "odd"}),

    ("truck, dashboard set back", "doctored", truck(odometer=1200000, hours=18000), {}, ["--odometer", "600000"],
     {"lifetime-distance": "contradiction"}),
    ("truck, hours remain", "doctored", truck(odometer=60000, hours=30000, km=20000), {}, ["--odometer", "60000"], {"counters-older": "odd"}),
    ("truck, only the counter since a clear remains", "doctored", truck(odometer=20000, hours=900, km=60000), {},
     ["--odometer", "20000"], {"counted-distance": "contradiction"}),
    ("truck, light for longer than since a clear", "doctored", truck(light_km=800, km=200, minutes=300, warm_ups=20), {},
     ["--odometer", "600000"], {"light-longer-than-clear": "odd"}),
    ("dashboard set back", "doctored", [engine(odometer=182344, lifetime=182340)], {}, SHOWN, {"lifetime-distance": "contradiction"}),
    ("dashboard and PID A6 set back", "doctored", [engine(lifetime=182340)], {}, SHOWN, {"lifetime-distance": "contradiction"}),
    ("only counters since a clear remain", "doctored", [engine(odometer=30000, lifetime=None, km=60000, warm_ups=255)], {}, [],
     {"counted-distance": "contradiction"}),
    ("ignition cycles remain", "doctored", [engine(odometer=39000, lifetime=None)], {}, ["--odometer", "39000"],
     {"counters-older": "odd"}),
    ("engine hours remain", "doctored", [engine(odometer=50000, lifetime=None, cycles=None, hours=15100)], {}, [],
     {"counters-older": "odd"}),
    ("instruments set back, read by module", "doctored", [engine()],
     {"walk": [ECU(0x77E, data={0xF190: GOLF})], "odometer": (0x714, 0x77E, 51000)}, [], {"odometers-differ": "contradiction"}),
    ("instruments set back to about the miles", "doctored", [engine()],
     {"walk": [ECU(0x77E, data={0xF190: GOLF})], "odometer": (0x714, 0x77E, 61000)}, [], {"odometers-differ": "odd"}),
    ("cleared with permanent codes", "doctored", [engine(km=8, warm_ups=1, minutes=20, permanent=[0x0420])], {}, SHOWN,
     {"permanent-codes": "odd"}),
    ("monitors kept from running", "doctored", [engine(incomplete=0x21)], {}, SHOWN, {"monitors-incomplete": "odd"}),
    ("two modules of another car", "doctored",
     [engine(vin=OTHER), ECU(0x7E9, vin=OTHER), ECU(0x7EA, vin=GOLF)], {}, SHOWN + ["--vin", GOLF],
     {"vin-differs": "contradiction"}),
    ("VIN in all modules at once", "doctored",
     [engine(data={0xF190: OTHER}), ECU(0x7E9, data={0xF190: OTHER}), ECU(0x7EA, data={0xF190: OTHER})], {}, SHOWN,
     {"vin-differs": "odd"}),
    ("VIN with a wrong check digit", "doctored", [engine(vin="1HGCM82633A004353")], {}, SHOWN, {"vin-check-digit": "odd"}),
    ("software that was changed", "doctored",
     [engine(), ECU(0x7E9, calibrations=[("04E906016E", "11223344")])], {}, SHOWN, {"calibration-number": "odd"}),
    ("ECU of another engine", "doctored", [engine(kind=8, fuel=1, cycles=None)], {}, SHOWN, {"engine-kind": "odd"}),
    ("30,000 km in an hour of running engine", "doctored", [engine(km=30000, warm_ups=255, minutes=60)], {}, SHOWN,
     {"clear-counters-differ": "odd"}),
    ("200 warm-ups in 60 km", "doctored", [engine(km=60, warm_ups=200, minutes=100)], {}, SHOWN, {"clear-counters-differ": "odd"}),
    ("every monitor has run in a minute", "doctored", [engine(km=0, warm_ups=0, minutes=1)], {}, SHOWN, {"monitors-too-early": "odd"}),
    ("the light for longer than since a clear", "doctored", [engine(mil=1, count=1, stored=[0x0420], light_min=9000)], {}, SHOWN,
     {"light-longer-than-clear": "odd"}),
    ("a permanent code beside another stored one", "doctored",
     [engine(mil=1, count=1, stored=[0x0171], permanent=[0x0171, 0x0420])], {}, SHOWN, {"permanent-codes": "odd"}),
    ("a stored code that never had the light", "doctored", [engine(count=1, stored=[0x0420])], {}, SHOWN,
     {"codes-without-light": "odd"}),
    ("codes that are counted and not listed", "doctored", [engine(mil=1, count=3)], {}, SHOWN, {"codes-missing": "odd"}),
    ("more drives than ignition cycles", "doctored", [engine(cycles=(16900, 15900))], {}, SHOWN, {"counters-exceed-cycles": "odd"}),
    ("a monitor that ran more often than the engine", "doctored", [engine(rest=17000)], {}, SHOWN, {"counters-exceed-cycles": "odd"}),
    ("2012 without a monitor of the catalyst", "doctored", [engine(vin=CRUZE, supported=0xE4)], {}, SHOWN, {"vin-year": "odd"}),
    ("monitors kept from running, no warm-ups", "doctored", [engine(incomplete=0x21, warm_ups=None)], {}, SHOWN,
     {"monitors-incomplete": "odd"}),
    ("2012 without CAN", "doctored", [ECU(0x10, vin=CRUZE)], {"form": "k"}, SHOWN, {"vin-year": "odd"}),
]


def text_of(ecus, options):
    if isinstance(ecus, str):
        return ecus
    options = dict(options)
    walk, odometer = options.pop("walk", ()), options.pop("odometer", None)
    text = recording(ecus, options.pop("modules", ()) or walk, **options)
    if odometer:
        # The pack's request for the odometer comes before the search for modules.
        request, responder, km = odometer
        asked = [f">ATSH{request:03X}", "OK", f">ATCRA{responder:03X}", "OK", ">222203"]
        asked += frames(responder, b"\x62\x22\x03" + u(km, 3), "11")
        at = text.index(">ATSH700")
        text = text[:at] + "\n".join(asked) + "\n" + text[at:]
    return text


def check(program, path, arguments):
    environment = dict(os.environ, OBDSCAN_CONFIG=os.devnull)
    run = subprocess.run([program, "check", "--json", "-d", "replay:" + path] + arguments, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=environment)
    if run.returncode:
        return None, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()], run.stderr


def faults_of(program, path, truth, arguments, expected):
    rows, said = check(program, path, arguments)
    if rows is None:
        return ["failed: " + said]
    found = [row for row in rows if row["kind"] == "finding"]
    grades = {row["id"]: row["grade"] for row in reversed(found)}
    faults = [f"{name} is {grades.get(name)}, not {grade}" for name, grade in expected.items() if grades.get(name) != grade]
    worst = {row["grade"] for row in found}
    listed = ", ".join(f"{row['grade']} {row['id']}" for row in found)
    if rows[0]["kind"] != "verdict":
        faults.append("the verdict does not come first")
    if truth == "honest":
        if "contradiction" in worst:
            faults.append("an honest vehicle has a contradiction: " + listed)
        if "odd" in worst and "odd" not in expected.values():
            faults.append("an honest vehicle is odd: " + listed)
    elif truth == "doctored":
        if not worst & {"contradiction", "odd"}:
            faults.append("nothing was noticed: " + listed)
    else:
        reason = truth.replace("-", " ").replace("ecu", "ECU")
        for row in found:
            if row["grade"] != "note" and reason not in row["explains"]:
                faults.append(f"{row['id']} does not list \"{reason}\"")
        rows, _ = check(program, path, arguments + ["--known", truth])
        left = [row["id"] for row in rows or [] if row["kind"] == "finding" and row["grade"] != "note"]
        if rows is None or left:
            faults.append(f"--known {truth} leaves {left}")
    return faults


def main():
    program = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    wrong = 0
    for number, (name, truth, ecus, options, arguments, expected) in enumerate(CASES, 1):
        path = os.path.join(folder, f"{number:02d}.txt")
        with open(path, "w") as file:
            file.write(f"# {name}: {truth}\n" + text_of(ecus, options))
        for fault in faults_of(program, path, truth, arguments, expected):
            print(f"{number} {name}: {fault}")
            wrong += 1
    print(f"{len(CASES)} vehicles, {wrong} faults")
    sys.exit(1 if wrong else 0)


main()
