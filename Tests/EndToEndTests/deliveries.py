#!/usr/bin/env python3
"""Compares the data of engines with a trip database, while publish is killed and servers fail.

  deliveries.py OBDSCAN DATABASE victoria HOST:PORT [--kills N]
  deliveries.py OBDSCAN DATABASE influx HOST:PORT [--kills N]
  deliveries.py OBDSCAN DATABASE mqtt HOST:PORT [--kills N]
  deliveries.py OBDSCAN DATABASE faults [--kills N]
  deliveries.py OBDSCAN DATABASE broker [--kills N]

`faults` is a server of its own that answers wrongly: 429 with Retry-After, 500, 503, 413, half an answer, a
reset, silence, and 400 for lines with a certain time. `broker` is a mosquitto of its own that is killed
while a trip is recorded and publish follows it. Exit code 0: the set received is the set in the
database, and what came twice was identical.
"""
import argparse
import gzip
import http.server
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from engines import Broker, Subscriber


def fail(words):
    print("deliveries:", words, file=sys.stderr)
    sys.exit(1)


class Program:
    def __init__(self, path, database):
        self.path, self.database = path, database

    def lines(self):
        """The lines that should arrive: those that publish prints."""
        done = subprocess.run(
            [self.path, "publish", "--print", "--to", "influx+http://localhost:1", "--db", self.database],
            check=True, capture_output=True)
        return done.stdout.splitlines()

    def publish(self, url, *options):
        return subprocess.Popen(
            [self.path, "publish", "--to", url, "--db", self.database, "--drain", "--quiet", *options],
            stderr=subprocess.PIPE)

    def drain(self, url, kills, *options, meanwhile=None, measures=True, under_way=None, calmer=None):
        """Publishes to the end with `kills` kills on the way; returns the number of kills.

        A kill comes at any moment of a delivery, or soon after `under_way`, which waits for a request. `calmer` is
        called after the last kill."""
        killed = 0
        # How long it takes where nothing disturbs it: kills hit each moment of that, on any machine.
        begin = time.monotonic()
        longest = 0.3
        if measures:
            process = self.publish(url, *options)
            process.communicate()
            longest = min(time.monotonic() - begin, 2)
        if measures and process.returncode == 0:
            subprocess.run(
                [self.path, "publish", "forget", url, "--db", self.database, "--quiet"], check=True)
        while True:
            process = self.publish(url, *options)
            if killed < kills:
                if under_way:
                    under_way(process)
                    time.sleep(random.uniform(0, 0.05))
                else:
                    time.sleep(random.uniform(0.1, 1) * longest)
                if meanwhile:
                    meanwhile()
                if process.poll() is None:
                    process.kill()
                    process.communicate()
                    killed += 1
                    continue
                process.communicate()
                if process.returncode == 0:
                    # Everything arrived before the last kill. Start again: sending all lines twice
                    # must change nothing.
                    subprocess.run(
                        [self.path, "publish", "forget", url, "--db", self.database, "--quiet"], check=True)
                    killed += 1
                continue
            if calmer:
                calmer()
            errors = process.communicate()[1].decode()
            if process.returncode != 75:
                return process.returncode, errors, killed


def key(line):
    """A point of line protocol: series, field and time in nanoseconds, and the value."""
    head, fields, moment = line.decode().rsplit(" ", 2)
    value = dict(part.split("=", 1) for part in fields.split(","))["value"]
    return head, int(moment), float(value)


def tags(head):
    return tuple(sorted(
        tuple(part.replace("\\ ", " ").replace("\\,", ",").replace("\\=", "=").split("=", 1))
        for part in split_unescaped(head)[1:]))


def split_unescaped(text):
    parts, part, escaped = [], "", False
    for sign in text:
        if escaped:
            part += "\\" + sign
            escaped = False
        elif sign == "\\":
            escaped = True
        elif sign == ",":
            parts.append(part)
            part = ""
        else:
            part += sign
    return parts + [part]


def compare(expected, received, what):
    missing, extra = expected.keys() - received.keys(), received.keys() - expected.keys()
    wrong = [point for point in expected.keys() & received.keys() if expected[point] != received[point]]
    if missing or extra or wrong:
        fail(f"{what}: {len(missing)} missing, {len(extra)} extra, {len(wrong)} with another value, "
             f"of {len(expected)}; for example {sorted(missing)[:1]} {sorted(extra)[:1]} {wrong[:1]}")


def digits(value):
    """VictoriaMetrics uses one exponent per block of values and loses digits after about the tenth."""
    return f"{value:.9g}"


def victoria(program, address, kills):
    status, errors, killed = program.drain(f"influx+http://{address}", kills)
    if status:
        fail(f"publish ends with {status}: {errors}")
    expected = {}
    for line in program.lines():
        head, moment, value = key(line)
        expected[tags(head), moment // 1_000_000] = digits(value)
    for attempt in range(30):
        received, repeats = {}, 0
        with urllib.request.urlopen(
            f"http://{address}/api/v1/export?match%5B%5D=obd_value&match%5B%5D=obd_code_value"
            "&match%5B%5D=obd_trip_value"
            "&reduce_mem_usage=1") as answer:
            for row in answer:
                row = json.loads(row)
                series = tuple(sorted((k, v) for k, v in row["metric"].items() if k != "__name__"))
                for moment, value in zip(row["timestamps"], row["values"]):
                    point, value = (series, moment), digits(value)
                    if point in received:
                        repeats += 1
                        if received[point] != value:
                            fail(f"{point} came with {received[point]} and {value}")
                    received[point] = value
        if len(received) >= len(expected):
            break
        time.sleep(1)
    compare(expected, received, "victoria")
    return len(expected), killed, repeats


def influx(program, address, kills):
    def ask(query, post=False):
        data = urllib.parse.urlencode({"q": query, "db": "cars", "epoch": "ns"})
        url = f"http://{address}/query"
        body = urllib.request.urlopen(url, data.encode()) if post else urllib.request.urlopen(url + "?" + data)
        return json.load(body)

    ask("CREATE DATABASE cars", post=True)
    status, errors, killed = program.drain(f"influx+http://{address}?db=cars", kills)
    if status:
        fail(f"publish ends with {status}: {errors}")
    expected = {}
    for line in program.lines():
        head, moment, value = key(line)
        expected[tags(head), moment] = value
    received = {}
    for result in ask("SELECT value FROM obd, obd_code, obd_trip GROUP BY *")["results"]:
        for series in result.get("series", []):
            name = tuple(sorted((k, v) for k, v in series["tags"].items() if v))
            for moment, value in series["values"]:
                received[name, moment] = float(value)
    compare(expected, received, "influx")
    return len(expected), killed, 0


def mqtt(program, address, kills, meanwhile=None):
    subscriber = Subscriber(address, "obdscan/+/readings")
    subscriber.start()
    if not subscriber.ready.wait(20):
        fail("the broker does not answer")
    status, errors, killed = program.drain(
        f"mqtt://{address}", kills, "--history", "influx", meanwhile=meanwhile)
    if status:
        fail(f"publish ends with {status}: {errors}")
    while time.monotonic() - subscriber.changed < 2:
        time.sleep(0.1)
    count, repeats = compare_messages(program, subscriber)
    return count, killed, repeats


def compare_messages(program, subscriber):
    expected = {}
    for line in program.lines():
        head, moment, value = key(line)
        expected[head, moment] = value
    received, repeats = {}, 0
    for topic, payload, retained in subscriber.messages:
        for line in payload.splitlines():
            head, moment, value = key(line)
            if (head, moment) in received:
                repeats += 1
                if received[head, moment] != value:
                    fail(f"{head} {moment} came with {received[head, moment]} and {value}")
            received[head, moment] = value
    compare(expected, received, "mqtt")
    return len(expected), repeats


def broker(program, _, kills):
    """Kills a broker while a trip is recorded; publish comes back by itself each time."""
    with tempfile.TemporaryDirectory() as folder:
        engine = Broker(folder)
        engine.start()
        subscriber = Subscriber(engine.address, "obdscan/+/readings")
        subscriber.start()
        if not subscriber.ready.wait(20):
            fail("the broker does not answer")
        url = f"mqtt://{engine.address}"
        log = subprocess.Popen(
            [program.path, "log", "-d", "sim:?latency=5ms", "--db", program.database, "--quiet"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(program.database + "-wal"):
            time.sleep(0.1)
        publish = subprocess.Popen(
            [program.path, "publish", "--to", url, "--db", program.database, "--quiet", "--history", "influx"],
            stderr=subprocess.DEVNULL)
        for _ in range(kills):
            time.sleep(random.uniform(0.5, 2.5))
            engine.kill()
            subscriber.ready.clear()
            engine.start()
            # publish waits for most of a second: who listens is there before it.
            if not subscriber.ready.wait(20):
                fail("the subscriber does not come back")
        log.send_signal(signal.SIGINT)
        log.wait(30)
        publish.send_signal(signal.SIGINT)
        if publish.wait(30):
            fail(f"publish ends with {publish.returncode}")
        status, errors, _ = program.drain(url, 0, "--history", "influx")
        if status:
            fail(f"publish ends with {status}: {errors}")
        while time.monotonic() - subscriber.changed < 2:
            time.sleep(0.1)
        count, repeats = compare_messages(program, subscriber)
        engine.kill()
    return count, kills, repeats


class Faults(http.server.BaseHTTPRequestHandler):
    """A server that answers wrongly more often than correctly. It holds the lines that it accepted."""

    protocol_version = "HTTP/1.1"
    held, poison, answers, plan = {}, set(), {}, []
    asked = threading.Event()

    def log_message(self, *_):
        pass

    def reply(self, status, text="", **headers):
        Faults.answers[status] = Faults.answers.get(status, 0) + 1
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_POST(self):
        Faults.asked.set()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        fault = Faults.plan.pop(0) if Faults.plan else "ok"
        if fault == "429":
            return self.reply(429, "slowly", Retry_After="1")
        if fault in ("500", "503"):
            return self.reply(int(fault), "broken")
        if fault == "413":
            return self.reply(413, "too large")
        if fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            Faults.answers["reset"] = Faults.answers.get("reset", 0) + 1
            return self.connection.close()
        lines = body.splitlines()
        if any(line.rsplit(b" ", 1)[1] in Faults.poison for line in lines):
            return self.reply(400, json.dumps({"error": "unable to parse: this line is poisoned"}))
        for line in lines:
            Faults.held[line] = Faults.held.get(line, 0) + 1
        if fault == "half":
            # The server takes the lines, but the client does not get to know it.
            self.wfile.write(b"HTTP/1.1 204 No Con")
            self.close_connection = True
            Faults.answers["half"] = Faults.answers.get("half", 0) + 1
            return
        self.reply(204)


def faults(program, _, kills):
    expected = program.lines()
    Faults.poison = {expected[len(expected) // 2].rsplit(b" ", 1)[1]}
    Faults.plan = ["429", "500", "half", "reset", "503", "413", "half"] + [
        random.choice(["ok", "ok", "ok", "500", "half", "reset", "413"]) for _ in range(kills)]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Faults)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{server.server_port}"

    def under_way(process):
        Faults.asked.clear()
        while not Faults.asked.wait(0.1) and process.poll() is None:
            pass

    def calmer():
        # After each fault publish waits for seconds: those that no kill used up would take minutes.
        del Faults.plan[12:]

    status, errors, killed = program.drain(
        f"influx+http://{address}", kills, measures=False, under_way=under_way, calmer=calmer)
    if status:
        fail(f"publish ends with {status}: {errors}")
    good = {line for line in expected if line.rsplit(b" ", 1)[1] not in Faults.poison}
    if good != set(Faults.held):
        fail(f"{len(good - set(Faults.held))} missing, {len(set(Faults.held) - good)} extra, of {len(good)}")
    status = json.loads(subprocess.run(
        [program.path, "publish", "status", "--db", program.database, "--json"],
        check=True, capture_output=True).stdout.splitlines()[-1])
    if status["waiting"] or status["refused"] < len(expected) - len(good):
        fail(f"status says {status}")
    print("answers:", Faults.answers, file=sys.stderr)
    return len(good), killed, sum(Faults.held.values()) - len(good)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("obdscan")
    parser.add_argument("database")
    parser.add_argument("engine", choices=["victoria", "influx", "mqtt", "faults", "broker"])
    parser.add_argument("address", nargs="?")
    parser.add_argument("--kills", type=int, default=0)
    arguments = parser.parse_args()
    program = Program(arguments.obdscan, arguments.database)
    for ending in ("", "-wal", "-shm"):
        path = arguments.database.removesuffix(".db") + ".publish.db" + ending
        if os.path.exists(path):
            os.remove(path)
    count, killed, repeats = globals()[arguments.engine](program, arguments.address, arguments.kills)
    print(f"{arguments.engine}: {count} readings, {killed} kills, {repeats} repeats, all identical")


if __name__ == "__main__":
    main()
