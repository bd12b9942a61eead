#!/usr/bin/env python3
"""Runs every query of share/grafana's dashboards.

  dashboard_queries.py FOLDER DATABASE victoria|influx HOST:PORT

DATABASE is a trip database; HOST:PORT is a VictoriaMetrics, or an InfluxDB 1 with the database "cars", that
holds its trips. Queries of the other engine are left out, those of the database are always run. Prints how many rows each panel
gets and the last of them; the exit code is 1 when one has an error, no rows, or not the columns that its panel
wants. So the database must have positions, events, codes that came and went, and test results.
"""
import glob
import json
import os
import sqlite3
import sys
import time
import urllib.parse
import urllib.request

folder, database, engine, address = sys.argv[1:5]
connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
first, last = connection.execute("SELECT min(start_epoch), max(end_epoch) FROM trips").fetchone()
# The state of the computer is younger than the trips.
first, last = int(first) - 1, max(int(last), int(time.time())) + 2
faults = 0
deadline = time.time() + 15


def ask(path, **query):
    with urllib.request.urlopen(f"http://{address}{path}?{urllib.parse.urlencode(query)}") as answer:
        return json.load(answer)


if engine == "victoria":
    vehicle = ask("/api/v1/label/vehicle/values")["data"][0]
else:
    found = ask("/query", db="cars", q='SHOW TAG VALUES FROM "obd" WITH KEY = "vehicle"')
    vehicle = found["results"][0]["series"][0]["values"][0][1]


def run_sql(text):
    text = text.replace("$__from", str(first * 1000)).replace("$__to", str(last * 1000))
    cursor = connection.execute(text)
    return [column[0] for column in cursor.description], cursor.fetchall()


def run_metrics(text):
    text = text.replace("$vehicle", vehicle).replace("$__range", f"{last - first}s")
    answer = ask(
        "/api/v1/query_range", query=text, start=first, end=last, step=max(1, (last - first) // 500), nocache=1)
    if answer["status"] != "success":
        raise ValueError(answer)
    return ["time"], [pair for series in answer["data"]["result"] for pair in series["values"]]


def run_influx(text):
    text = text.replace("$timeFilter", f"time >= {first * 1000}ms AND time <= {last * 1000}ms")
    text = text.replace("$__interval", "1s").replace("$vehicle", vehicle)
    answer = ask("/query", db="cars", epoch="s", q=text)["results"][0]
    if "error" in answer:
        raise ValueError(answer["error"])
    return ["time"], [row for series in answer.get("series", []) for row in series["values"]]


for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
    with open(path) as file:
        board = json.load(file)
    for panel in board["panels"]:
        for target in panel["targets"]:
            name = f"{board['title']}: {panel['title']}"
            kinds = {"expr": ("victoria", run_metrics), "query": ("influx", run_influx)}
            word = next((key for key in kinds if key in target), "rawQueryText")
            where, run = kinds.get(word, (engine, run_sql))
            if where != engine:
                continue
            try:
                columns, rows = run(target[word])
                # An engine shows new points some seconds later.
                while not rows and where == engine and time.time() < deadline:
                    time.sleep(0.5)
                    columns, rows = run(target[word])
            except Exception as error:
                print(f"{name}: {error}")
                faults += 1
                continue
            print(f"{name}: {len(rows)} rows {rows[-1] if rows else ''}")
            if not rows:
                faults += 1
            for column in target.get("timeColumns", []):
                if rows and not isinstance(rows[0][columns.index(column)], (int, float)):
                    print(f"{name}: {column} is not in seconds")
                    faults += 1
sys.exit(1 if faults else 0)
