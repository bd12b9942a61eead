#!/usr/bin/env python3
"""Runs the recipes of docs/publishing.md: DuckDB turns a trip database into partitioned Parquet, which pandas
reads, and which Spark can read.

  analysis.py DOCUMENT DATABASE FOLDER

Needs duckdb and duckdb-extension-sqlite-scanner of the same version, pandas and pyarrow (PyPI).
"""
import glob
import os
import re
import shutil
import sqlite3
import sys

import duckdb
import duckdb_extension_sqlite_scanner
import pyarrow.parquet

document, recorded, folder = sys.argv[1:4]
# A copy with a freeze frame, a text, a position and a code, and with a deleted trip that has each, too.
database = folder + ".db"
source, copy = sqlite3.connect(recorded), sqlite3.connect(database)
source.backup(copy)
copy.executescript("""
    INSERT INTO channel (id, ecu, service, identifier, frame, dtc, signal, name, unit, kind)
        VALUES (9001, '7E8', 2, 12, 0, 'P0301', 'RPM', 'Engine speed', 'rpm', 'number'),
               (9002, '7E8', 9, 4, NULL, NULL, 'CALID', 'Calibration', '', 'text'),
               (9003, '7E8', 1, 81, NULL, NULL, 'FUEL_X', 'Fuel type', '', 'enumeration');
    INSERT INTO channel_label VALUES (9003, 4, 'diesel');
    INSERT INTO trip (id, purpose, vehicle, start, monotonic, end_reason, deleted)
        SELECT 9000, 'log', vehicle, start + 1000000000, 0, 'stopped', 1 FROM trip WHERE id = 1;
""")
for trip in (1, 9000):
    copy.executescript(f"""
        INSERT INTO reading VALUES ({trip}, 1, 9001, 9001, 800, x'00', NULL), ({trip}, 1, 9002, 9002, NULL, x'00', 'ABC'),
            ({trip}, 1, 9003, 9003, 4, x'04', NULL), ({trip}, 1, 9004, 9003, NULL, x'00', 2);
        INSERT INTO position (trip, t, sequence, latitude, longitude) VALUES ({trip}, 1, 9005, 48.5, 9.25);
        INSERT INTO code_report (trip, t, sequence, ecu, kind, code) VALUES ({trip}, 1, 9006, '7E8', 'stored', 'P0301');
    """)
copy.commit()
places = os.path.join(os.path.dirname(duckdb_extension_sqlite_scanner.__file__), "extensions", "*")
extension = glob.glob(os.path.join(places, "sqlite_scanner.duckdb_extension"))[0]
with open(document) as file:
    text = file.read()
recipe = re.search(r"```sql\n(.*?)```", text, re.S).group(1)
reading = re.search(r"```python\n(.*?)```", text, re.S).group(1)
recipe = recipe.replace("INSTALL sqlite;\n", "").replace("LOAD sqlite;", f"LOAD '{extension}';")
recipe = recipe.replace("obdscan.db", database).replace("'fleet-", f"'{folder}-")
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
connection.execute(recipe)
types = {name: kind for name, kind, *_ in connection.execute("DESCRIBE o.samples").fetchall()}
for column, kind in {"number": "DOUBLE", "epoch": "DOUBLE", "trip": "BIGINT", "signal": "VARCHAR"}.items():
    if types[column] != kind:
        sys.exit(f"samples.{column} is {types[column]}, not {kind}")
types = {name: kind for name, kind, *_ in connection.execute("DESCRIBE o.trip_totals").fetchall()}
for column, kind in {"id": "BIGINT", "start_epoch": "DOUBLE", "distance_km": "DOUBLE", "vin": "VARCHAR"}.items():
    if types[column] != kind:
        sys.exit(f"trip_totals.{column} is {types[column]}, not {kind}")
there = connection.execute(f"SELECT count(*), count(value) FROM '{folder}-readings/**/*.parquet'").fetchone()
# DuckDB cannot read the column `detail`, which holds texts and numbers.
here = copy.execute(
    "SELECT count(*), count(CASE WHEN r.detail IS NULL THEN r.value END) FROM reading AS r"
    " JOIN channel AS c ON c.id = r.channel WHERE c.frame IS NULL AND r.trip NOT IN (SELECT id FROM trip WHERE deleted IS NOT NULL)").fetchone()
if there != here:
    sys.exit(f"{there} in Parquet, {here} in the database")
texts = connection.execute(
    f"SELECT signal, text, status FROM '{folder}-readings/**/*.parquet' WHERE signal IN ('CALID', 'FUEL_X') ORDER BY ALL"
).fetchall()
if texts != [("CALID", "ABC", None), ("FUEL_X", "diesel", None), ("FUEL_X", None, "notAvailable")]:
    sys.exit(f"texts: {texts}")
for table, columns, row in (
    ("positions", "latitude, longitude", (48.5, 9.25)), ("codes", "ecu, kind, code", ("7E8", "stored", "P0301")),
):
    rows = connection.execute(
        f"SELECT {columns} FROM '{folder}-{table}/**/*.parquet' WHERE trip IN (1, 9000)").fetchall()
    if rows != [row]:
        sys.exit(f"{table}: {rows}")
names = {}
exec(reading.replace("'fleet-", f"'{folder}-"), names)
wanted = copy.execute(
    "SELECT count(*), sum(r.value) FROM reading AS r JOIN channel AS c ON c.id = r.channel"
    " WHERE c.signal = 'RPM' AND c.frame IS NULL AND r.trip NOT IN (SELECT id FROM trip WHERE deleted IS NOT NULL)").fetchone()
found = names["rpm"]
if (len(found), found["value"].sum()) != wanted or str(found["time"].dtype) != "datetime64[us]":
    sys.exit(f"pandas has {len(found)}, {found['value'].sum()}, {found['time'].dtype}; the database {wanted}")
# Spark knows folders called vin=…, and times in microseconds; it refuses nanoseconds.
for path in glob.glob(f"{folder}-readings/**/*.parquet", recursive=True):
    schema = pyarrow.parquet.read_schema(path)
    if not os.path.basename(os.path.dirname(path)).startswith("vin="):
        sys.exit(f"{path} is in no folder of a VIN")
    if str(schema.field("time").type) != "timestamp[us]" or str(schema.field("value").type) != "double":
        sys.exit(f"{path}: {schema}")
print(f"{there[0]} readings, {len(found)} of them RPM by pandas")
