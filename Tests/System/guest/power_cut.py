"""One run of a machine whose power is cut: reports what is on the disk, then logs to it.

LIFE=first makes the file system, LIFE=last ends in good order. With PUBLISH=1 `publish` follows the database
meanwhile, and a server says each line that it has taken before it answers.
"""

import gzip
import http.server
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from datetime import datetime, timezone

sys.path.insert(0, "/test")
sys.dont_write_bytecode = True
from world import CONTROL, ENVIRONMENT, PROGRAM

HOST = os.fdopen(os.dup(CONTROL), "w", encoding="ascii")
LIFE = os.environ.get("LIFE")
DATABASE = "/disk/trips.db"
SAYING = threading.Lock()
URL = "influx+http://127.0.0.1:8428"
PUBLISH = [PROGRAM, "publish", "--to", URL, "--db", DATABASE]


class Taker(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        for line in body.decode().splitlines():
            say("taken", line)
        self.send_response(204)
        self.end_headers()


def say(*words):
    with SAYING:
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
publish = None
if os.environ.get("PUBLISH"):
    sh("ip link set lo up || ifconfig lo 127.0.0.1 up")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8428), Taker)
    threading.Thread(target=server.serve_forever, daemon=True).start()
log = [PROGRAM, "log", "rpm", "speed", "--format", "json", "--db", DATABASE, "-d", "sim:?latency=5ms",
       "--commit-every", os.environ["COMMIT_EVERY"]]
if LIFE == "last":
    log += ["--duration", "1s"]
process = subprocess.Popen(log, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/tmp")
for line in process.stdout:
    if not publish and os.environ.get("PUBLISH"):
        publish = subprocess.Popen(PUBLISH + ["--quiet"], env=ENVIRONMENT, stdin=subprocess.DEVNULL, cwd="/tmp")
    reading = json.loads(line)
    if "signal" in reading:
        say("reading", microseconds(reading["time"]), reading["signal"], reading["ecu"])
process.wait()
if publish and LIFE == "last":
    publish.terminate()
    publish.wait()
    code = subprocess.call(PUBLISH + ["--drain", "--quiet"], env=ENVIRONMENT, stdin=subprocess.DEVNULL, cwd="/tmp")
    # With --quiet it would print nothing.
    printed = subprocess.run(PUBLISH + ["--print"], env=ENVIRONMENT, stdout=subprocess.PIPE, cwd="/tmp")
    for line in printed.stdout.decode().splitlines():
        say("holds", line)
    say("drained", code)
if LIFE == "last":
    examine()
    sh(f"LD_LIBRARY_PATH=/test/lib {PROGRAM} db check --db {DATABASE}")
    sh("umount /disk")
    # After a regular end, a full check finds no damage from the cuts.
    sh("/usr/sbin/e2fsck -fn /dev/vda")
sys.exit(process.returncode)
