#!/usr/bin/env python3
"""Runs the recipe of docs/publishing.md: DuckDB turns a trip database into partitioned Parquet.

  analysis.py DOCUMENT DATABASE FOLDER EXTENSION
"""
import re
import sys

import duckdb

document, database, folder, extension = sys.argv[1:5]
with open(document) as file:
    recipe = re.search(r"```sql\n(.*?)```", file.read(), re.S).group(1)
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
print(f"{there[0]} readings")
