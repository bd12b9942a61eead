"""python-OBD as a foreign client of a simulated vehicle that is served.

Reads the expected values as JSON from standard input, connects, sends requests, compares, and prints one line
per difference. Exit code 0 = no difference, 1 = some.

    {"address": "/dev/pts/3" or "socket://127.0.0.1:35000", "protocol": "6",
     "values": [{"pid": 12, "signal": "RPM", "value": 2165.4, "step": 0.25}, ...],
     "vin": "..." or null, "stored": ["P0301"], "pending": [] or null, "mil": true}
"""

import json
import signal
import sys

import obd

# SAE J1979-DA names, and python-OBD's names.
NAMES = {
    "RPM": "RPM",
    "VSS": "SPEED",
    "ECT": "COOLANT_TEMP",
    "LOAD_PCT": "ENGINE_LOAD",
    "MAP": "INTAKE_PRESSURE",
    "IAT": "INTAKE_TEMP",
    "MAF": "MAF",
    "TP": "THROTTLE_POS",
    "RUNTM": "RUN_TIME",
    "MIL_DIST": "DISTANCE_W_MIL",
    "FLI": "FUEL_LEVEL",
    "WARM_UPS": "WARMUPS_SINCE_DTC_CLEAR",
    "CLR_DIST": "DISTANCE_SINCE_DTC_CLEAR",
    "BARO": "BAROMETRIC_PRESSURE",
    "VPWR": "CONTROL_MODULE_VOLTAGE",
    "AAT": "AMBIANT_AIR_TEMP",
    "EOT": "OIL_TEMP",
    "FUEL_RATE": "FUEL_RATE",
    "SPARKADV": "TIMING_ADVANCE",
    "SHRTFT1": "SHORT_FUEL_TRIM_1",
    "LONGFT1": "LONG_FUEL_TRIM_1",
    "LOAD_ABS": "ABSOLUTE_LOAD",
    "EVAP_PCT": "EVAPORATIVE_PURGE",
    "CATEMP11": "CATALYST_TEMP_B1S1",
    "FRP_DI": "FUEL_RAIL_PRESSURE_DIRECT",
    "EGR_PCT": "COMMANDED_EGR",
    "BAT_PWR": "HYBRID_BATTERY_REMAINING",
}

faults = []


def fault(text):
    faults.append(text)
    print(text, flush=True)


def overdue(*_):
    print("python-OBD did not finish within 90 s", flush=True)
    sys.exit(1)


def compare_values(connection, expected):
    known = 0
    for entry in expected:
        name = NAMES.get(entry["signal"])
        if name is None:
            continue
        known += 1
        command = obd.commands[name]
        if command not in connection.supported_commands:
            fault(f"{name} is not among the supported commands")
            continue
        answer = connection.query(command)
        if answer.is_null():
            fault(f"{name}: no answer, expected {entry['value']}")
            continue
        difference = abs(answer.value.magnitude - entry["value"])
        if difference > entry["step"] * 0.501:
            fault(f"{name}: {answer.value.magnitude}, expected {entry['value']}")
    if known < 12:
        fault(f"only {known} of the expected values have a name in python-OBD")


def compare_codes(connection, name, expected):
    answer = connection.query(obd.commands[name])
    codes = [code for code, _ in answer.value] if not answer.is_null() else None
    if codes != expected:
        fault(f"{name}: {codes}, expected {expected}")


def main():
    signal.signal(signal.SIGALRM, overdue)
    signal.alarm(90)
    expected = json.load(sys.stdin)
    obd.logger.setLevel(40)
    # Over TCP python-OBD needs a rate. Without one it probes and gives up.
    connection = obd.OBD(expected["address"], baudrate=38400)
    if connection.status() != obd.OBDStatus.CAR_CONNECTED:
        fault(f"not connected: {connection.status()}")
        return
    if connection.protocol_id() != expected["protocol"]:
        fault(f"protocol {connection.protocol_id()}, expected {expected['protocol']}")
    compare_values(connection, expected["values"])
    compare_codes(connection, "GET_DTC", expected["stored"])
    if expected["pending"] is not None:
        compare_codes(connection, "GET_CURRENT_DTC", expected["pending"])
    status = connection.query(obd.commands.STATUS).value
    if status is None or status.MIL != expected["mil"] or status.DTC_count != len(expected["stored"]):
        fault(f"STATUS: {status and (status.MIL, status.DTC_count)}, expected {expected['mil']}")
    if expected["vin"] is not None:
        vin = connection.query(obd.commands.VIN).value
        if vin is None or vin.decode() != expected["vin"]:
            fault(f"VIN: {vin}, expected {expected['vin']}")
    if obd.commands.ETHANOL_PERCENT in connection.supported_commands:
        fault("ETHANOL_PERCENT is among the supported commands, the vehicle has no such sensor")
    # python-OBD repeats equal requests as a single carriage return, and later ones with a count
    # digit.
    repeated = [connection.query(obd.commands.RPM).value for _ in range(5)]
    if len(set(map(str, repeated))) != 1 or repeated[0] is None:
        fault(f"RPM of a vehicle that stands still in time: {repeated}")
    connection.close()


main()
sys.exit(1 if faults else 0)
