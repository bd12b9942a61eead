#!/usr/bin/env python3
"""Delivers the events of a trip database to a webhook that answers wrongly, while publish is killed.

  webhook.py OBDSCAN DATABASE [--kills N]

The server checks the form and the token of each request. Exit code 0: it got each event that publish prints, repeats were
identical, and the one that it refused is kept and arrives with retry.
"""
import argparse
import http.server
import json
import os
import random
import subprocess
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("database")
parser.add_argument("--kills", type=int, default=4)
options = parser.parse_args()
TOKEN = "a-token-of-this-test"


def fail(words):
    print("webhook:", words, file=sys.stderr)
    sys.exit(1)


class Hook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    held, order, wrong, plan, refused = {}, [], [], [], None

    def log_message(self, *_):
        pass

    def reply(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if (self.headers["Content-Type"], self.path) != ("application/json", "/hook?who=fleet"):
            Hook.wrong.append((self.path, dict(self.headers)))
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return self.reply(401)
        fault = Hook.plan.pop(0) if Hook.plan else 204
        if fault == 429:
            return self.reply(429, Retry_After="1")
        if fault == 500:
            return self.reply(500)
        if body == Hook.refused:
            return self.reply(400)
        if body not in Hook.held:
            Hook.order.append(body)
        Hook.held[body] = Hook.held.get(body, 0) + 1
        if fault == "lost":
            # The event is taken, but nobody hears of it.
            self.close_connection = True
            return self.connection.close()
        self.reply(random.choice([200, 202, 204]))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"webhook+http://127.0.0.1:{server.server_port}/hook?who=fleet"
environment = {**os.environ, "OBDSCAN_PUBLISH_TOKEN": TOKEN}


def run(*words):
    return subprocess.run(
        [options.program, "publish", *words, "--db", options.database], env=environment, capture_output=True)


printed = run("--print", "--to", url)
expected = printed.stdout.splitlines()
kinds = [json.loads(line)["kind"] for line in expected]
if printed.returncode or "trip" not in kinds or "code" not in kinds:
    fail(f"no trip or no code: {kinds} {printed.stderr.decode()}")
# A wrong token ends the sink, and nothing is taken.
denied = subprocess.run(
    [options.program, "publish", "--to", url, "--drain", "--db", options.database],
    env={**environment, "OBDSCAN_PUBLISH_TOKEN": "other"}, capture_output=True)
if denied.returncode != 77 or Hook.held:
    fail(f"with a wrong token publish ends with {denied.returncode}: {denied.stderr.decode()}")
Hook.refused = expected[-1]
Hook.plan = [500, "lost", 429, "lost"]
for _ in range(options.kills):
    process = subprocess.Popen(
        [options.program, "publish", "--to", url, "--db", options.database, "--quiet"], env=environment,
        stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0.1, 1))
    process.kill()
    process.wait()
while True:
    done = run("--to", url, "--drain", "--quiet")
    if done.returncode != 75:
        break
if done.returncode or Hook.wrong:
    fail(f"publish ends with {done.returncode}: {done.stderr.decode()} {Hook.wrong}")
if set(Hook.held) != set(expected[:-1]):
    fail(f"missing {set(expected[:-1]) - set(Hook.held)}, too many {set(Hook.held) - set(expected[:-1])}")
if Hook.order != [line for line in expected if line in Hook.held]:
    fail(f"the order is {Hook.order}")
again = run("retry", "--to", url)
if again.returncode != 75:
    fail(f"an event that is refused again ends with {again.returncode}")
Hook.refused = None
again = run("retry", "--to", url)
if again.returncode or set(Hook.held) != set(expected):
    fail(f"retry ends with {again.returncode}: {again.stderr.decode()}")
repeats = sum(Hook.held.values()) - len(Hook.held)
print(f"{len(expected)} events ({', '.join(sorted(set(kinds)))}), {repeats} repeats, all identical")
