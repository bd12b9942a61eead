"""Reads exports with other programs and compares them with the JSON Lines of the same trip.

    foreign_readers.py long CSV JSONL
    foreign_readers.py wide CSV JSONL
    foreign_readers.py influx LINES JSONL INFLUXD

DuckDB reads CSV, a real InfluxDB reads line protocol. Prints how many values were the same. Prints the first
differences and exits with 1 if there are any.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from datetime import datetime, timezone

# obdscan-export(1) recommends these types to users of DuckDB.
TYPES = "types = {'ecu': 'VARCHAR', 'service': 'VARCHAR', 'pid': 'VARCHAR', 'value': 'VARCHAR', 'raw': 'VARCHAR'}"
differences = []


def compare(what, one, other):
    if one != other:
        differences.append(f"{what}: {one!r} is not {other!r}")


def microseconds(moment):
    if isinstance(moment, str):
        moment = datetime.strptime(moment, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return int((moment - datetime.fromtimestamp(0, timezone.utc).replace(microsecond=0)).total_seconds()) * 1_000_000 \
        + moment.microsecond


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def table(query):
    import duckdb
    connection = duckdb.connect()
    relation = connection.sql(query)
    return relation.columns, relation.fetchall()


def long(path, readings):
    """Compares each cell, with the types of the manual page. DuckDB guesses the types of time and code."""
    columns, rows = table(f"SELECT * REPLACE (epoch_us(time) AS time) FROM read_csv('{path}', {TYPES})")
    # A table with objects of one kind has no column for the kind.
    compare("columns", set().union(*readings) - set(columns), {"kind"})
    compare("rows", len(rows), len(readings))
    same = 0
    for row, reading in zip(rows, readings):
        for column, cell in zip(columns, row):
            value = reading.get(column)
            if column == "time":
                value = microseconds(value)
            elif column == "value" and isinstance(value, bool):
                value = str(value).lower()
            elif column == "value" and isinstance(value, (int, float)):
                cell = float(cell)
            compare(f"{reading['time']} {reading['signal']} {column}", cell, value)
            same += 1
    # A query that calculates with the values.
    _, found = table(f"SELECT avg(try_cast(value AS DOUBLE)), count(*) FROM read_csv('{path}', {TYPES})"
                        " WHERE ecu = '7E8' AND signal = 'RPM'")
    numbers = [one["value"] for one in readings if (one["ecu"], one["signal"]) == ("7E8", "RPM")]
    compare("count of RPM", found[0][1], len(numbers))
    if abs(found[0][0] - sum(numbers) / len(numbers)) > 1e-9:
        differences.append(f"mean of RPM: {found[0][0]}")
    return f"{same} cells"


def wide(path, readings):
    """Lets DuckDB guess the types. Each column holds one signal and so has one type."""
    types = dict(row[:2] for row in table(f"DESCRIBE SELECT * FROM read_csv('{path}')")[1])
    # Get times as integers: DuckDB needs another package to make Python's own.
    columns, rows = table(f"SELECT * REPLACE (epoch_us(time) AS time) FROM read_csv('{path}')")
    compare("type of time", types["time"], "TIMESTAMP WITH TIME ZONE")
    left = {(microseconds(one["time"]), one["signal"], one["ecu"]): one["value"] for one in readings}
    ecus = {}
    for _, signal, ecu in left:
        ecus.setdefault(signal, set()).add(ecu)
    same = 0
    for place, column in enumerate(columns):
        # Positions are no readings.
        if column.split(" (")[0] in ("time", "latitude", "longitude", "altitude", "GPS speed", "bearing"):
            continue
        ecu, signal = re.fullmatch(r"(?:([0-9A-F]+) )?(\w+)(?: \(.*\))?", column).groups()
        if ecu is None:
            (ecu,) = ecus[signal]
        for row in rows:
            if row[place] is None:
                continue
            value = left.pop((row[0], signal, ecu), None)
            compare(f"{column} at {row[0]}", row[place], value)
            compare(f"type of {column}", isinstance(value, str), types[column] == "VARCHAR")
            same += 1
    compare("readings in no cell", list(left)[:3], [])
    return f"{same} readings"


def influx(path, readings, others, program):
    """Writes to its own server, queries everything, and looks for each reading and position."""
    with tempfile.TemporaryDirectory(prefix="obdscan-influx-") as folder:
        settings = os.path.join(folder, "settings")
        with open(settings, "w") as file:
            file.write(f"""reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
dir = "{folder}/meta"
[data]
dir = "{folder}/data"
wal-dir = "{folder}/wal"
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:0"
log-enabled = false
""")
        server = subprocess.Popen([program, "-config", settings], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  text=True, env={"HOME": folder})
        try:
            heard = None
            for line in server.stderr:
                heard = re.search(r"Listening on HTTP.* addr=(\S+)", line)
                if heard:
                    break
            base = f"http://{heard[1]}"

            def ask(place, body, **query):
                request = urllib.request.Request(f"{base}/{place}?{urllib.parse.urlencode(query)}", body, method="POST")
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
                    return answer.status, answer.read()

            def rows(what):
                _, text = ask("query", b"", db="car", q=f"SELECT * FROM {what}", epoch="ns")
                series = json.loads(text)["results"][0].get("series", [])
                return [dict(zip(one["columns"], values)) for one in series for values in one["values"]]
            ask("query", b"", q="CREATE DATABASE car")
            with open(path, "rb") as file:
                status, _ = ask("write", file.read(), db="car")
            compare("answer to the lines", status, 204)
            found = {(row["time"], row["ecu"], row["signal"]): row for row in rows("obd")}
            places = {row["time"]: row for row in rows("position")}
        finally:
            server.terminate()
            server.wait()
    compare("readings", len(found), len(readings))
    for reading in readings:
        key = microseconds(reading["time"]) * 1000, reading["ecu"], reading["signal"]
        row = found.get(key, {})
        value, code = reading["value"], reading.get("code")
        is_text = isinstance(value, str)
        compare(f"{key} value", row.get("value"), code if is_text else int(value) if isinstance(value, bool) else value)
        compare(f"{key} label", row.get("label"), value if is_text and code is not None else None)
        compare(f"{key} text", row.get("text"), value if is_text and code is None else None)
        compare(f"{key} unit", row.get("unit"), reading["unit"])
    # For each series and time the server keeps only the last point. All points of a recorded track
    # come at once.
    positions = {one["time"]: one for one in others if one.get("kind") == "position"}.values()
    compare("positions", len(places), len(positions))
    for one in positions:
        row = places.get(microseconds(one["time"]) * 1000, {})
        for name in ("latitude", "longitude", "altitude", "speed", "course"):
            compare(f"{one['time']} {name}", row.get(name), one.get(name))
    return f"{len(found)} readings, {len(places)} positions"


def main():
    mode, path, lines, *more = sys.argv[1:]
    objects = read(lines)
    readings = [one for one in objects if "signal" in one]
    others = [one for one in objects if "signal" not in one]
    if mode == "influx":
        same = influx(path, readings, others, more[0])
    else:
        same = {"long": long, "wide": wide}[mode](path, readings)
    if differences:
        print(f"{len(differences)} differences", *differences[:10], sep="\n")
        sys.exit(1)
    print(f"the same: {same}")


main()
