#!/usr/bin/env python3
"""Tries the faults that a user can meet while publishing, and checks the messages.

  publish_faults.py OBDSCAN DATABASE [CASE...]

Cases: heartbeat, button, setup, password, forbidden, https and names (certificates), poisoned, full (needs root), moved, deleted. Each prints a
line; exit code 1 where one is wrong, 77 where nothing could be tried.
"""
import gzip
import http.server
import json
import os
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from engines import Broker, Subscriber, environment, find, free_port, send

PROGRAM, DATABASE = sys.argv[1:3]
faults = []


class Skipped(Exception):
    pass


def run(*arguments, variables=None, database=DATABASE):
    done = subprocess.run(
        [PROGRAM, *arguments, "--db", database], capture_output=True, text=True, timeout=120,
        env={**os.environ, **(variables or {})})
    return done.returncode, done.stdout, done.stderr


def expect(name, outcome, status, *words):
    code, output, errors = outcome
    missing = [word for word in words if word not in errors + output]
    if code != status or missing:
        faults.append(name)
        print(f"{name}: ends with {code}, not {status}; missing {missing}: {output}{errors}")
    else:
        print(f"{name}: {errors.strip().splitlines()[0] if errors.strip() else 'as it should'}")


def sql(database, *statements):
    connection = sqlite3.connect(database, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def need(*programs):
    for program in programs:
        if not find(program):
            raise Skipped(f"no {program}")


def password(folder):
    """A wrong password: the broker's refusal, exit code 77, and no part of the password in the messages."""
    need("mosquitto", "mosquitto_passwd")
    file = os.path.join(folder, "passwords")
    subprocess.run(
        [find("mosquitto_passwd"), "-b", "-c", file, "car", "right"], env=environment(), check=True)
    broker = Broker(folder, ["allow_anonymous false", f"password_file {file}"]).start()
    try:
        url = f"mqtt://car@{broker.address}"
        plain = f"mqtt://{broker.address}"
        outcome = run("publish", "--to", url, "--drain", variables={"OBDSCAN_PUBLISH_PASSWORD": "wrong-one"})
        expect("wrong password", outcome, 77, "the sink needs a user or a token")
        if "wrong-one" in outcome[1] + outcome[2]:
            faults.append("the password is shown")
        expect("no password", run("publish", "--to", plain, "--drain"), 77, "OBDSCAN_PUBLISH_PASSWORD")
        expect("right password", run(
            "publish", "--to", url, "--drain", "--quiet", variables={"OBDSCAN_PUBLISH_PASSWORD": "right"}), 0)
    finally:
        broker.kill()


def heartbeat(folder):
    """A parked vehicle, a computer that died and one that ended look different at the broker."""
    need("mosquitto")
    broker = Broker(folder).start()
    try:
        # The vehicle has been parked for an hour.
        database = os.path.join(folder, "parked.db")
        sql(DATABASE, f"VACUUM INTO '{database}'")
        sql(database, "UPDATE trip SET start = start - 3600000000")
        file = os.path.join(folder, "heartbeat.toml")
        with open(file, "w") as settings:
            settings.write(f'[publish.home]\nto = "mqtt://{broker.address}"\nclient = "pi"\nheartbeat = "10s"\n')
        variables = {"OBDSCAN_SYSTEM_CONFIG": file}

        def state():
            """The retained messages: the computer's, whether it is there, and whether the vehicle is."""
            found = retained(broker, f"look{time.monotonic_ns()}")
            online = {message for topic, message in found.items() if topic.endswith("/availability")}
            return found.get("obdscan/bridge/pi"), found.get("obdscan/bridge/pi/machine"), online

        def settled(bridge):
            for _ in range(100):
                found = state()
                if found[0] == bridge and found[1]:
                    break
                time.sleep(0.1)
            return found

        process = subprocess.Popen(
            [PROGRAM, "publish", "--db", database, "--quiet"], env={**os.environ, **variables})
        bridge, machine, vehicle = settled(b"online")
        object = json.loads(machine or b"{}")
        if (bridge, vehicle) != (b"online", {b"offline"}) or object.get("recording") is not False:
            faults.append(f"parked: {bridge} {machine} {vehicle}")
        missing = {"version", "diskFree", "waiting", "clockSet", "error", "time", "lastRecord"} - object.keys()
        if missing or not object["diskFree"]:
            faults.append(f"the state of the computer lacks {missing}: {machine}")
        # It goes on without any news of the vehicle.
        for _ in range(150):
            if json.loads(state()[1])["time"] != object["time"]:
                break
            time.sleep(0.1)
        else:
            faults.append("no second heartbeat within 15 s")
        process.kill()
        process.wait()
        bridge, machine, _ = settled(b"offline")
        if bridge != b"offline" or not machine:
            faults.append(f"dead: {bridge} {machine}")
        topics = retained(broker, "devices")
        if "homeassistant/device/obdscan_machine_pi/config" not in topics:
            faults.append("the computer is not announced")
        expect("forgotten", run(
            "publish", "forget", "home", variables=variables, database=database), 0, "home is forgotten")
        left = [topic for topic in retained(broker, "left") if "machine" in topic]
        if left:
            faults.append(f"after forget, there is still {left}")
        print("heartbeat: a parked vehicle, a dead computer and a forgotten one look different")
    finally:
        broker.kill()


def forbidden(folder):
    """A topic that the broker's rules forbid: MQTT 5 says so (reason 135), and publish names the topic."""
    need("mosquitto")
    rules = os.path.join(folder, "rules")
    with open(rules, "w") as file:
        file.write("topic write obdscan/bridge/#\n")
    broker = Broker(folder, ["allow_anonymous true", f"acl_file {rules}"]).start()
    try:
        expect(
            "forbidden topic", run("publish", "--to", f"mqtt://{broker.address}", "--drain"), 77,
            "the broker forbids obdscan/", "is not allowed to write")
    finally:
        broker.kill()


CERTIFICATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "certificates")
CA = os.path.join(CERTIFICATES, "ca.pem")


def certificate(name):
    """`right` is for localhost and 127.0.0.1, `elsewhere` for another host."""
    return tuple(os.path.join(CERTIFICATES, f"{name}.{kind}") for kind in ("pem", "key"))


class Taker(http.server.BaseHTTPRequestHandler):
    """Takes all lines, but those that are poisoned."""

    protocol_version = "HTTP/1.1"
    held, poison, requests, count, gate = set(), b"", 0, 0, None

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        type(self).requests += 1
        lines = body.splitlines()
        type(self).count += len(lines)
        if self.gate:
            self.gate.wait(60)
        bad = bool(self.poison) and self.poison in lines
        if not bad:
            self.held.update(lines)
        text = b'{"error":"unable to parse"}' if bad else b""
        self.send_response(400 if bad else 204)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def serve(poison=b"", tls=None):
    handler = type("One", (Taker,), {"held": set(), "poison": poison, "requests": 0})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, handler


def https(folder):
    """TLS with an own CA: taken with --ca-file, refused without, and refused for another name."""
    server, handler = serve(tls=certificate("right"))
    url = f"influx+https://localhost:{server.server_port}"
    expect("HTTPS without its CA", run("publish", "--to", url, "--drain"), 78, "certificate", "ca-file")
    if handler.held:
        faults.append("lines went to a server that is not trusted")
    expect("HTTPS with its CA", run("publish", "--to", url, "--ca-file", CA, "--drain", "--quiet"), 0)
    if not handler.held:
        faults.append("nothing came over HTTPS")
    server.shutdown()
    server, handler = serve(tls=certificate("elsewhere"))
    url = f"influx+https://localhost:{server.server_port}"
    expect("HTTPS of another name", run("publish", "--to", url, "--ca-file", CA, "--drain"), 78, "name", "localhost")
    if handler.held:
        faults.append("lines went to a server of another name")
    server.shutdown()


def names(folder):
    """The same at a broker."""
    right, wrong, ca = certificate("right"), certificate("elsewhere"), CA
    need("mosquitto")
    for title, pair, options, status, words in [
        ("MQTT over TLS with its CA", right, ["--ca-file", ca, "--quiet"], 0, []),
        ("MQTT over TLS without its CA", right, [], 78, ["the broker's certificate is not trusted"]),
        ("MQTT over TLS of another name", wrong, ["--ca-file", ca], 78,
         ["the broker's certificate is not for this host name"]),
    ]:
        broker = Broker(
            folder, ["allow_anonymous true", f"certfile {pair[0]}", f"keyfile {pair[1]}"]).start()
        try:
            url = f"mqtts://localhost:{broker.port}"
            expect(title, run("publish", "--to", url, "--drain", *options), status, *words)
        finally:
            broker.kill()


def poisoned(folder):
    """One line among thousands that the server does not take: the others are stored, it is kept and shown."""
    lines = run("publish", "--print", "--to", "influx+http://localhost:1")[1].encode().splitlines()
    poison = lines[len(lines) // 2]
    bad = {poison}
    server, handler = serve(poison=poison)
    url = f"influx+http://127.0.0.1:{server.server_port}"
    outcome = run("publish", "--to", url, "--drain", "--quiet")
    if handler.held != set(lines) - bad:
        faults.append("poisoned")
    shown = run("publish", "status", "--refused", "--json")[1]
    refused = [json.loads(line) for line in shown.splitlines() if '"refusal"' in line]
    mine = [row for row in refused if row["sink"] == url]
    if {row["line"].encode() for row in mine} != bad or "unable to parse" not in mine[0]["reason"]:
        faults.append("the refused line is not shown")
    expect("poisoned line", outcome, 0)
    print(f"poisoned line: {len(lines)} lines, {len(bad)} refused, {handler.requests} requests")
    handler.poison = b""
    expect("retry", run("publish", "retry", "--to", url), 0, f"{len(bad)} line{'' if len(bad) == 1 else 's'} taken, 0 refused again")
    if handler.held != set(lines):
        faults.append("retry")
    server.shutdown()


def full(folder):
    """A full disk for the file of cursors: everything is delivered, and once more after a restart."""
    if os.geteuid() != 0:
        raise Skipped("only root mounts a small disk")
    mount = os.path.join(folder, "small")
    os.mkdir(mount)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", mount], capture_output=True).returncode:
        raise Skipped("no tmpfs can be mounted")
    try:
        database = os.path.join(mount, "obdscan.db")
        sql(DATABASE, f"VACUUM INTO '{database}'")
        server, handler = serve()
        url = f"influx+http://127.0.0.1:{server.server_port}"
        lines = run("publish", "--print", "--to", url, database=database)[1].encode().splitlines()
        handler.gate = threading.Event()
        process = subprocess.Popen(
            [PROGRAM, "publish", "--to", url, "--drain", "--db", database], stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL, text=True)
        # The first request is there, and nothing of it is noted yet.
        deadline = time.monotonic() + 60
        while not handler.requests and time.monotonic() < deadline:
            time.sleep(0.05)
        fill(os.path.join(mount, "filler"))
        handler.gate.set()
        said = process.communicate(timeout=60)[1]
        if process.returncode or handler.held != set(lines):
            faults.append("full disk")
        if "cannot be written: after a restart more is sent again" not in said:
            faults.append("a full disk is not said")
        print(f"full disk: {len(handler.held)} of {len(lines)} lines; {said.strip().splitlines()}")
        # It begins with the space that was reserved for it.
        expect(
            "a start with a full disk", run("publish", "--to", url, "--drain", "--quiet", database=database), 0)
        if handler.held != set(lines):
            faults.append("full disk: what is sent after the start differs")
        os.remove(os.path.join(mount, "filler"))
        before, handler.count = set(handler.held), 0
        expect("after it", run("publish", "--to", url, "--drain", "--quiet", database=database), 0)
        if handler.held != before:
            faults.append("full disk: what is repeated differs")
        print(f"full disk: {handler.count} lines were sent again, all identical")
        server.shutdown()
    finally:
        subprocess.run(["umount", mount])


def fill(path):
    """Takes all of the disk that is left."""
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        while True:
            os.write(descriptor, b"x" * 4096)
    except OSError:
        os.close(descriptor)


def moved(folder):
    """A vehicle that is renamed leaves nothing under its old name, and forget leaves nothing at all."""
    need("mosquitto")
    broker = Broker(folder).start()
    try:
        url = f"mqtt://{broker.address}"
        for name in ("golf", "polo"):
            expect(f"published as {name}", run("publish", "--to", url, "--id", name, "--drain", "--quiet"), 0)
        there = retained(broker, "one")
        if not any(topic.startswith("obdscan/polo/") for topic in there):
            faults.append("polo is not there")
        old = [topic for topic in there if "golf" in topic]
        if old:
            faults.append("renamed")
            print(f"renamed: {old} are left")
        expect("forget", run("publish", "forget", url, "--quiet"), 0)
        left = [topic for topic in retained(broker, "two") if "polo" in topic]
        if left:
            faults.append("forget")
            print(f"forgotten: {left} are left")
        print(f"renamed: {len(there)} retained topics, none of the old name; after forget none")
    finally:
        broker.kill()


def retained(broker, name):
    """The topics that a new subscriber gets at once, and their messages."""
    subscriber = Subscriber(broker.address, "#", name)
    subscriber.start()
    subscriber.ready.wait(20)
    while time.monotonic() - subscriber.changed < 0.7:
        time.sleep(0.1)
    return {topic: payload for topic, payload, is_retained in subscriber.messages if is_retained and payload}


def deleted(folder):
    """A trip that a configured sink has not had is not deleted without --force."""
    config = os.path.join(folder, "obdscan")
    os.makedirs(config, exist_ok=True)
    server, _ = serve()
    database = os.path.join(folder, "copy.db")
    sql(DATABASE, f"VACUUM INTO '{database}'")
    with open(os.path.join(config, "config.toml"), "w") as file:
        file.write(f'[publish.fleet]\nto = "influx+http://127.0.0.1:{server.server_port}"\n')
    own = {"XDG_CONFIG_HOME": folder}
    # The sink is known, and has had nothing: nobody answers while it is tried first.
    expect("delivered", run("publish", "fleet", "--drain", "--quiet", variables=own, database=database), 0)
    cursors = os.path.join(folder, "copy.publish.db")
    sql(cursors, "DELETE FROM delivery WHERE trip = 1", "DELETE FROM cursor WHERE trip = 1")
    expect(
        "delete before delivery", run("trips", "delete", "1", "--yes", variables=own, database=database), 1,
        "trip 1 is not delivered to fleet", "--force")
    expect("delete by force", run("trips", "delete", "1", "--yes", "--force", variables=own, database=database), 0)
    expect("drain after it", run("publish", "fleet", "--drain", "--quiet", variables=own, database=database), 0)
    server.shutdown()


def button(folder):
    """The button reads codes once a minute, and never while a trip is recorded; an old press does nothing."""
    need("mosquitto")
    broker = Broker(folder).start()
    config = os.path.join(folder, "obdscan")
    os.makedirs(config)
    database = os.path.join(folder, "own.db")
    with open(os.path.join(config, "config.toml"), "w") as file:
        file.write(f'[publish.ha]\nto = "mqtt://{broker.address}"\nid = "golf"\ncommands = true\n')
    own = {"XDG_CONFIG_HOME": folder}
    adapter = os.path.join(folder, "adapter")
    vehicle = subprocess.Popen(
        [PROGRAM, "simulate", "petrol?latency=5ms", "--link", adapter], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    vehicle.stdout.readline()
    expect("a trip", run("log", "-d", adapter, "--duration", "1s", "-q", database=database, variables=own), 0)
    send(broker.address, "obdscan/golf/command", "read-codes", retain=True)
    subscriber = Subscriber(broker.address, "obdscan/golf/codes", "button")
    process = subprocess.Popen(
        [PROGRAM, "publish", "ha", "--db", database], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        env={**os.environ, **own})
    said, arrived = [], threading.Condition()

    def listen():
        for line in process.stderr:
            with arrived:
                said.append(line.strip())
                arrived.notify_all()

    def wait_for(words):
        with arrived:
            return arrived.wait_for(lambda: any(words in line for line in said), 30)

    threading.Thread(target=listen, daemon=True).start()
    try:
        subscriber.start()
        deadline = time.monotonic() + 30
        while not subscriber.messages and time.monotonic() < deadline:
            time.sleep(0.1)
        # A press that was kept by the broker is not this user's: nothing came of it.
        time.sleep(1)
        if any("codes" in line for line in said):
            faults.append(f"a retained press did something: {said}")
        send(broker.address, "obdscan/golf/command", "clear-codes")
        send(broker.address, "obdscan/golf/command", "read-codes")
        if not wait_for("ha: golf: codes were read"):
            faults.append(f"the button reads no codes: {said}")
        send(broker.address, "obdscan/golf/command", "read-codes")
        if not wait_for("not read more than once a minute"):
            faults.append(f"a second press is not refused: {said}")
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            payload = json.loads(subscriber.messages[-1][1])
            if payload["count"]:
                break
            time.sleep(0.2)
        if payload["codes"] != ["P0301", "P0420"]:
            faults.append(f"the codes that were read do not arrive: {payload}")
        print(f"button: {payload}")
    finally:
        for one in (process, vehicle):
            one.terminate()
            one.wait(20)
        broker.kill()


def setup(folder):
    """setup --publish tries an address before it keeps it."""
    need("mosquitto")
    config = os.path.join(folder, "obdscan")
    os.makedirs(config)
    own = {"XDG_CONFIG_HOME": folder}

    def call(*words):
        done = subprocess.run(
            [PROGRAM, "setup", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
            env={**os.environ, **own})
        return done.returncode, done.stdout, done.stderr

    broker = Broker(folder).start()
    try:
        expect("setup of a broker", call("--publish", f"mqtt://{broker.address}"), 0, "works. Saved as publish.home")
    finally:
        broker.kill()
    server, _ = serve()
    address = f"127.0.0.1:{server.server_port}"
    expect("setup of a server", call("--publish", f"influx+http://{address}", "--name", "fleet"), 0, "publish.fleet")
    server.shutdown()
    closed = free_port()
    expect("setup of nobody", call("--publish", f"mqtt://127.0.0.1:{closed}", "--name", "none"), 75, "refused")
    expect("setup without an address", call("--publish"), 64, "no address is given")
    with open(os.path.join(config, "config.toml")) as file:
        text = file.read()
    if "publish.home" not in text or "publish.fleet" not in text or "none" in text:
        faults.append(f"setup keeps {text}")


cases = [heartbeat, button, setup, password, forbidden, https, names, poisoned, full, moved, deleted]
wanted = sys.argv[3:] or [case.__name__ for case in cases]
tried = 0
for case in cases:
    if case.__name__ not in wanted:
        continue
    with tempfile.TemporaryDirectory() as place:
        try:
            case(place)
            tried += 1
        except Skipped as reason:
            print(f"{case.__name__}: skipped, {reason}")
if faults:
    print("wrong:", ", ".join(faults))
sys.exit(1 if faults else 0 if tried else 77)
