"""One run of a machine whose power is cut: reports what is on the disk, then logs to it.

LIFE=first makes the file system, LIFE=last ends regularly.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from datetime import datetime, timezone

sys.path.insert(0, "/test")
sys.dont_write_bytecode = True
from world import CONTROL, ENVIRONMENT, PROGRAM

HOST = os.fdopen(os.dup(CONTROL), "w", encoding="ascii")
LIFE = os.environ.get("LIFE")
DATABASE = "/disk/trips.db"


def say(*words):
    print(*words, file=HOST, flush=True)


def sh(line, good=(0,)):
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in good:
        print(f"  | {line}: {done.returncode}\n  | {done.stdout}{done.stderr}", flush=True)
        sys.exit(1)


def examine():
    """Reads a copy with SQLite, so that obdscan itself does the recovery."""
    os.makedirs("/tmp/copy", exist_ok=True)
    for end in ["", "-wal"]:
        if os.path.exists(DATABASE + end):
            shutil.copy(DATABASE + end, "/tmp/copy")
    database = sqlite3.connect("/tmp/copy/trips.db")
    say("found", json.dumps({
        "integrity": [row[0] for row in database.execute("PRAGMA integrity_check")],
        "trips": database.execute("SELECT id, end_reason FROM trip ORDER BY id").fetchall(),
        "readings": database.execute(
            "SELECT start + t, signal, ecu FROM reading JOIN channel ON channel.id = channel"
            " JOIN trip ON trip.id = trip WHERE trip = (SELECT max(id) FROM trip) ORDER BY t, sequence").fetchall()}))
    database.close()
    shutil.rmtree("/tmp/copy")


def microseconds(text):
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


os.makedirs("/disk")
if LIFE == "first":
    # Use the full path: BusyBox's shell has its own mke2fs, which makes no journal.
    sh("/usr/sbin/mke2fs -q -t ext4 -b 4096 /dev/vda")
# This check runs at each start of a machine. 1 means "errors corrected": the journal's last commit
# was cut in two.
sh("/usr/sbin/e2fsck -p /dev/vda", good=(0, 1))
sh("mount -t ext4 /dev/vda /disk")
if LIFE != "first":
    examine()
log = [PROGRAM, "log", "rpm", "speed", "--format", "json", "--db", DATABASE, "-d", "sim:?latency=5ms"]
if LIFE == "last":
    log += ["--duration", "1s"]
process = subprocess.Popen(log, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/tmp")
for line in process.stdout:
    reading = json.loads(line)
    if "signal" in reading:
        say("reading", microseconds(reading["time"]), reading["signal"], reading["ecu"])
process.wait()
if LIFE == "last":
    examine()
    sh(f"LD_LIBRARY_PATH=/test/lib {PROGRAM} db check --db {DATABASE}")
    sh("umount /disk")
    # After a regular end, a full check finds no damage from the cuts.
    sh("/usr/sbin/e2fsck -fn /dev/vda")
sys.exit(process.returncode)
