#!/usr/bin/env python3
"""Sends the state of an electric vehicle to a server in the place of A Better Route Planner's, while a trip is recorded.

  abrp.py OBDSCAN DATABASE

Exit code 0: the server got points with the token and the key, each newer than the one before, none while it did not answer, and
the newest one after that. No output, no file and no address had the secrets.
"""
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

program, database = sys.argv[1:]
TOKEN, KEY = "a token+of/this&test", "the-key-of-this-test"
environment = {**os.environ, "OBDSCAN_PUBLISH_TOKEN": TOKEN, "OBDSCAN_PUBLISH_API_KEY": KEY}


def fail(words):
    print("abrp:", words, file=sys.stderr)
    sys.exit(1)


class Service(http.server.BaseHTTPRequestHandler):
    points, wrong, plan = [], [], []

    def log_message(self, *_):
        pass

    def do_POST(self):
        fields = urllib.parse.parse_qs(
            self.rfile.read(int(self.headers["Content-Length"])).decode(), strict_parsing=True)
        if (self.path, self.headers["Content-Type"], sorted(fields)) != (
                "/1/tlm/send", "application/x-www-form-urlencoded", ["api_key", "tlm", "token"]):
            Service.wrong.append((self.path, dict(self.headers), sorted(fields)))
        status, answer = 200, {"status": "ok"}
        if fields["token"] != [TOKEN] or fields["api_key"] != [KEY]:
            status, answer = 401, {"status": "error", "message": f"no such token {fields['token'][0]}"}
        elif Service.plan:
            status, answer = Service.plan.pop(0)
        else:
            Service.points.append((time.time(), json.loads(fields["tlm"][0])))
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"abrp+http://127.0.0.1:{server.server_port}"
printed = ""


def run(*words, **variables):
    global printed
    done = subprocess.run(
        [program, "publish", *words, "--db", database], env={**environment, **variables}, capture_output=True,
        text=True)
    printed += done.stdout + done.stderr
    return done


def wait(condition, words):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    fail(f"{words}: {Service.points} {Service.wrong}")


log = subprocess.Popen(
    [program, "log", "-d", "sim:electric", "--db", database, "--quiet"], env=environment, stderr=subprocess.DEVNULL)
follow = None
try:
    wait(lambda: os.path.exists(database) and run("--print", "--to", url).stdout, "nothing to send")
    missing = run("--to", url, "--drain", OBDSCAN_PUBLISH_API_KEY="")
    if missing.returncode != 78 or "API key" not in missing.stderr:
        fail(f"without a key: {missing}")
    denied = run("--to", url, "--drain", OBDSCAN_PUBLISH_TOKEN="another-token")
    if denied.returncode != 77 or "another-token" in denied.stderr or Service.points:
        fail(f"with a wrong token: {denied}")
    follow = subprocess.Popen(
        [program, "publish", "--to", url, "--db", database], env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    wait(lambda: len(Service.points) >= 2, "no two points")
    # The service refuses a point in an answer of 200, and is away for three requests.
    Service.plan = [(200, {"status": "error", "message": f"no {KEY}"})] + [(503, {})] * 3
    wait(lambda: not Service.plan, "it is not tried again")
    seen = len(Service.points)
    wait(lambda: len(Service.points) > seen, "no point after the pause")
    # Points have whole seconds: the end of the trip is another one.
    wait(lambda: time.time() > Service.points[-1][1]["utc"] + 1.5, "the clock stands")
finally:
    for process in (follow, log):
        if process:
            process.send_signal(signal.SIGINT)
            printed += process.communicate(timeout=30)[0] or ""
# The rest of a trip is its newest state, and nothing is sent twice.
count = len(Service.points)
if run("--to", url, "--drain").returncode or len(Service.points) > count + 1:
    fail(f"the end of the trip: {Service.points[count:]}")
count = len(Service.points)
if run("--to", url, "--drain").returncode or len(Service.points) != count:
    fail("a point was sent twice")
times = [point["utc"] for _, point in Service.points]
if times != sorted(set(times)) or Service.wrong:
    fail(f"{times} {Service.wrong}")
for arrived, point in Service.points:
    # The last point is that of the end of the trip.
    if not {"soc", "speed", "voltage"} <= set(point) or not -2 < arrived - point["utc"] < 60:
        fail(f"{arrived}: {point}")
refused = run("status", "--refused")
if "no ***" not in refused.stdout or "newest values" not in refused.stdout:
    fail(f"status: {refused}")
for name in os.listdir(os.path.dirname(database)):
    with open(os.path.join(os.path.dirname(database), name), "rb") as file:
        printed += file.read().decode("latin-1")
for secret in (TOKEN, KEY, urllib.parse.quote(TOKEN, safe="")):
    if secret in printed:
        fail(f"{secret} was printed or stored")
print(f"{len(times)} points, each newer than the one before")
