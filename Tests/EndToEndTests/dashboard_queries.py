#!/usr/bin/env python3
"""Runs every query of share/grafana's dashboards.

  dashboard_queries.py FOLDER DATABASE [HOST:PORT]

DATABASE is a trip database, HOST:PORT a VictoriaMetrics that holds its trips. Prints how many rows each panel
gets and the last of them; the exit code is 1 when one has an error, no rows, or not the columns that its panel
wants. So the database must have positions, events, codes that came and went, and test results.
"""
import glob
import json
import os
import sqlite3
import sys
import urllib.parse
import urllib.request

folder, database = sys.argv[1:3]
metrics = sys.argv[3] if len(sys.argv) > 3 else None
connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
first, last = connection.execute("SELECT min(start_epoch), max(end_epoch) FROM trips").fetchone()
first, last = int(first) - 1, int(last) + 2
vehicle = None
if metrics:
    with urllib.request.urlopen(f"http://{metrics}/api/v1/label/vehicle/values") as answer:
        vehicle = json.load(answer)["data"][0]
faults = 0


def run_sql(text):
    text = text.replace("$__from", str(first * 1000)).replace("$__to", str(last * 1000))
    cursor = connection.execute(text)
    return [column[0] for column in cursor.description], cursor.fetchall()


def run_metrics(text):
    text = text.replace("$vehicle", vehicle).replace("$__range", f"{last - first}s")
    data = urllib.parse.urlencode({"query": text, "start": first, "end": last, "step": max(1, (last - first) // 500), "nocache": 1})
    with urllib.request.urlopen(f"http://{metrics}/api/v1/query_range?{data}") as answer:
        answer = json.load(answer)
    if answer["status"] != "success":
        raise ValueError(answer)
    return ["time"], [pair for series in answer["data"]["result"] for pair in series["values"]]


for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
    with open(path) as file:
        board = json.load(file)
    for panel in board["panels"]:
        for target in panel["targets"]:
            name = f"{board['title']}: {panel['title']}"
            if "expr" in target and not metrics:
                continue
            try:
                columns, rows = (
                    run_metrics(target["expr"]) if "expr" in target else run_sql(target["rawQueryText"]))
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
