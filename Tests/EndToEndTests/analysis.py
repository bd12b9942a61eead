#!/usr/bin/env python3
"""Runs the recipes of docs/publishing.md: DuckDB turns a trip database into partitioned Parquet, which pandas
reads, and which Spark can read.

  analysis.py DOCUMENT DATABASE FOLDER

Needs duckdb and duckdb-extension-sqlite-scanner of the same version, pandas and pyarrow (PyPI).
"""
import glob
import os
import re
import sys

import duckdb
import duckdb_extension_sqlite_scanner
import pyarrow.parquet

document, database, folder = sys.argv[1:4]
places = os.path.join(os.path.dirname(duckdb_extension_sqlite_scanner.__file__), "extensions", "*")
extension = glob.glob(os.path.join(places, "sqlite_scanner.duckdb_extension"))[0]
with open(document) as file:
    text = file.read()
recipe = re.search(r"```sql\n(.*?)```", text, re.S).group(1)
reading = re.search(r"```python\n(.*?)```", text, re.S).group(1)
recipe = recipe.replace("INSTALL sqlite;\n", "").replace("LOAD sqlite;", f"LOAD '{extension}';")
recipe = recipe.replace("obdscan.db", database).replace("'fleet'", f"'{folder}'")
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
connection.execute(recipe)
types = {name: kind for name, kind, *_ in connection.execute("DESCRIBE o.samples").fetchall()}
for column, kind in {"number": "DOUBLE", "epoch": "DOUBLE", "trip": "BIGINT", "signal": "VARCHAR"}.items():
    if types[column] != kind:
        sys.exit(f"samples.{column} is {types[column]}, not {kind}")
there = connection.execute(f"SELECT count(*), count(value) FROM '{folder}/**/*.parquet'").fetchone()
here = connection.execute("SELECT count(*), count(value) FROM o.reading").fetchone()
if there != here:
    sys.exit(f"{there} in Parquet, {here} in the database")
names = {}
exec(reading.replace("'fleet'", repr(folder)), names)
wanted = connection.execute(
    "SELECT count(*), sum(r.value) FROM o.reading AS r JOIN o.channel AS c ON c.id = r.channel"
    " WHERE c.signal = 'RPM'").fetchone()
found = names["rpm"]
if (len(found), found["value"].sum()) != wanted or str(found["time"].dtype) != "datetime64[us]":
    sys.exit(f"pandas has {len(found)}, {found['value'].sum()}, {found['time'].dtype}; the database {wanted}")
# Spark knows folders called vin=…, and times in microseconds; it refuses nanoseconds.
for path in glob.glob(f"{folder}/**/*.parquet", recursive=True):
    schema = pyarrow.parquet.read_schema(path)
    if not os.path.basename(os.path.dirname(path)).startswith("vin="):
        sys.exit(f"{path} is in no folder of a VIN")
    if str(schema.field("time").type) != "timestamp[us]" or str(schema.field("value").type) != "double":
        sys.exit(f"{path}: {schema}")
print(f"{there[0]} readings, {len(found)} of them RPM by pandas")
