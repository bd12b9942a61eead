"""Tests Bluetooth LE on a real kernel and BlueZ, with adapters that use a foreign Bluetooth stack."""

import os
import pty
import select
import signal
import sys
import time

from bumble_cases import HEARD, Peers, by_name, case, forget, lossy_log, main, now, readings, start_daemon, told
from leplaces import BONDED, KEY, KEYED, MUTE, OPEN, PRINTER, SMALL, WATCH
from world import ENVIRONMENT, PROGRAM, Run, expect, obdscan, sh, succeeds, fails, wait

# The services of the open adapter, and how it is told that each is used.
LAYOUTS = ["FFF0", "FFE0", "18F0", "FEE0", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
           "49535343-FE7D-4AE5-8FA9-9FAFD205E455", "E7810A71-73AE-499D-8C15-FAA9AEF0C3F2", "ABF0"]
LOGGED = f"ble:{OPEN}?service=FFF0"


def heard(name, word, since=0):
    """What the adapter told after `word`, as text."""
    with open(HEARD) as file:
        file.seek(since)
        lines = [line.rstrip("\n") for line in file]
    start = f"{name} {word}"
    return [line[len(start):].strip() for line in lines if line.startswith(start)]


def reads(*place, **options):
    """Reads the engine speed, which has to be the number that the adapter sent last."""
    since = now()
    done = succeeds("read", "rpm", "--format", "json", "-d", *place, **options)
    sent = [int(number) for number in told(since, " sent ")]
    expect([int(line["raw"], 16) for line in readings(done)] == sent[-1:], sent, done)
    return done


@case
def an_adapter_that_was_never_seen_is_found_and_read():
    begin = time.monotonic()
    reads(f"ble:{OPEN}")
    print(f"  | first reading after {time.monotonic() - begin:.1f} s")


@case
def every_layout_is_spoken():
    for service in LAYOUTS:
        begin = time.monotonic()
        reads(f"ble:{OPEN}?service={service}")
        print(f"  | {service}: {time.monotonic() - begin:.1f} s")


@case
def any_user_may():
    reads(f"ble:{OPEN}", "--db", "/tmp/tester.db", user="tester")


@case
def a_name_leads_to_it():
    reads("bluetooth:OBDBLE")


@case
def packets_follow_the_length_that_both_take():
    # A command of more than 20 characters, and an answer of 80.
    long = "STPX H:7E0, D:0902, R:1"
    for name, place, mtu, longest in [("V-LINK", f"ble:{SMALL}", "23", 20),
                                      ("OBDBLE", f"ble:{OPEN}?service=FFF0", "517", len(long) - 3)]:
        since = now()
        done = obdscan("send", long, "0902", "--format", "json", "-d", place)
        vins = [line["value"] for line in done.objects if line["kind"] == "reading"]
        expect("1HGCM82633A004352" in vins, done, open(HEARD).read()[since:][-800:])
        exchanged = heard(name, "mtu", since)
        writes = max(int(number) for number in heard(name, "longest"))
        expect(exchanged and exchanged[-1] == mtu, exchanged)
        expect(writes <= 20 if mtu == "23" else writes > 20, writes)
        print(f"  | MTU {mtu}: longest write {writes}, VIN complete")


# Pairing.

@case
def a_number_pairs_an_adapter_that_wants_one():
    for user in (None, "tester"):
        forget(KEYED)
        since = now()
        begin = time.monotonic()
        database = f"/tmp/keyed-{user}.db"
        reads(f"ble:{KEYED}", "--pin", str(KEY), "--db", database, user=user)
        expect(heard("WiCAN", "paired", since), open(HEARD).read()[since:][-800:])
        print(f"  | {user or 'root'}: {time.monotonic() - begin:.1f} s")
        # Both sides know the key from now on.
        since = now()
        reads(f"ble:{KEYED}", "--db", database, user=user)
        expect(not heard("WiCAN", "paired", since), "it was paired again")


@case
def a_wrong_number_is_refused():
    forget(KEYED)
    begin = time.monotonic()
    fails(77, "refused that number", of=["info", "-d", f"ble:{KEYED}", "--pin", "111111"])
    print(f"  | {time.monotonic() - begin:.1f} s")
    forget(KEYED)
    # A mistake does not spoil the next try.
    reads(f"ble:{KEYED}", "--pin", str(KEY))


@case
def without_a_number_and_a_terminal_it_says_what_is_missing():
    for user in (None, "tester"):
        forget(KEYED)
        begin = time.monotonic()
        fails(77, "must be paired with its number", "--pin", user=user,
              of=["info", "-d", f"ble:{KEYED}", "--db", f"/tmp/keyed-{user}.db"])
        print(f"  | {user or 'root'}: {time.monotonic() - begin:.1f} s")
        # Told to disconnect in the meantime, bluetoothd 5.66 would crash now.
        begin = time.monotonic()
        reads(f"ble:{KEYED}", "--pin", str(KEY), "--db", f"/tmp/keyed-{user}.db", user=user)
        print(f"  | with its number, {time.monotonic() - begin:.1f} s")


def on_terminal(arguments, answer, seconds):
    """Runs the program on a terminal; returns its exit code, its text, and how long it waited for an answer.

    The answer is typed after five seconds, as a person would at the soonest."""
    child, host = pty.fork()
    if child == 0:
        os.execve(PROGRAM, [PROGRAM, *arguments], ENVIRONMENT)
    text, asked, end, deadline = b"", None, None, time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if answer is not None and asked is not None and time.monotonic() > asked + 5:
            os.write(host, answer.encode() + b"\n")
            answer = None
        if not select.select([host], [], [], min(left, 1))[0]:
            continue
        try:
            data = os.read(host, 4096)
        except OSError:
            break
        text += data
        if asked is None and b"Its number" in text:
            asked = time.monotonic()
        if end is None and b"hint:" in text:
            end = time.monotonic()
    if time.monotonic() >= deadline:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(host)
    return status, text.decode("utf-8", "replace"), (end or time.monotonic()) - (asked or time.monotonic())


@case
def the_number_is_asked_for_on_the_terminal():
    forget(KEYED)
    status, text, _ = on_terminal(["read", "rpm", "--format", "json", "-d", f"ble:{KEYED}"], str(KEY), 120)
    expect(status == 0 and '"signal":"RPM"' in text, status, text)


@case
def a_number_that_nobody_types_ends_the_wait():
    forget(KEYED)
    status, text, waited = on_terminal(["read", "rpm", "-d", f"ble:{KEYED}"], None, 120)
    print(f"  | {waited:.0f} s: {text.splitlines()[-2:]}")
    expect(status == 77 and "hint:" in text, status, text)
    expect(40 < waited < 80, waited)


@case
def an_adapter_without_a_number_pairs_by_itself():
    for user in (None, "tester"):
        forget(BONDED)
        since = now()
        begin = time.monotonic()
        reads(f"ble:{BONDED}", "--db", f"/tmp/bonded-{user}.db", user=user)
        expect(heard("OBDLink CX", "paired", since), open(HEARD).read()[since:][-800:])
        print(f"  | {user or 'root'}: {time.monotonic() - begin:.1f} s")


@case
def an_adapter_that_does_not_answer_the_pairing():
    begin = time.monotonic()
    done = fails(77, "did not answer the request to pair", of=["info", "-d", f"ble:{MUTE}"])
    took = time.monotonic() - begin
    print(f"  | {took:.1f} s: {done.errors.strip().splitlines()[0]}")
    expect(took < 60, took)
    forget(MUTE)


@case
def an_adapter_that_forgot_the_pairing():
    reads(f"ble:{BONDED}")
    Peers.adapter.send_signal(signal.SIGHUP)
    wait(lambda: "all keys forgotten" in open(HEARD).read(), "the adapter to forget")
    begin = time.monotonic()
    done = obdscan("info", "-d", f"ble:{BONDED}")
    print(f"  | {time.monotonic() - begin:.1f} s: {done.status}: {done.errors.strip().splitlines()[:2]}")
    expect(done.status in (69, 77) and "hint: " in done.errors and "bluetoothctl remove" in done.errors, done)
    forget(BONDED)
    reads(f"ble:{BONDED}")


# What is no adapter, and what is not there.

@case
def a_device_without_a_serial_line():
    fails(69, "none of its services is a serial line", of=["info", "-d", f"ble:{WATCH}"])


@case
def a_printer_with_the_services_of_an_adapter():
    fails(69, "none of its services answers like an adapter", "18F0", of=["info", "-d", f"ble:{PRINTER}"])


@case
def an_adapter_that_is_not_there():
    fails(69, "was not seen", of=["info", "-d", "ble:00:11:22:33:44:55"])


@case
def a_line_that_another_program_has():
    log = Run("log", "RPM", "--format", "json", "-d", f"ble:{OPEN}?service=FFF0")
    log.until(lambda run: len(readings(run)) > 5, 60, "readings")
    fails(69, "in use by another program", of=["read", "rpm", "-d", f"ble:{OPEN}?service=FFF0"])
    before = len(readings(log))
    log.until(lambda run: len(readings(run)) > before + 5, 60, "readings after the other try")
    log.end(signal=signal.SIGINT)
    expect(log.status == 0, log)


# Loss and return.

@case
def a_lost_link_is_restored_under_log():
    log = Run("log", "RPM", "--format", "json", "--duration", "40", "-d", f"ble:{OPEN}?service=FFF0")
    log.until(lambda run: len(readings(run)) > 5, 60, "readings")
    before = len(readings(log))
    Peers.adapter.send_signal(signal.SIGUSR1)
    log.until(lambda run: len(readings(run)) > before + 10, 60, "readings after the loss")
    log.end(signal=signal.SIGINT)
    expect(log.status in (0, 130, -2), log)
    times = [line["time"] for line in readings(log)]
    expect(times == sorted(set(times)), "readings are doubled or out of order")


@case
def nothing_is_lost_or_doubled_over_losses():
    lossy_log(LOGGED, 3)


@by_name
def a_long_log_with_ten_losses():
    lossy_log(LOGGED, 10)


@case
def a_daemon_that_ends_comes_back_under_log():
    log = Run("log", "RPM", "--format", "json", "-d", f"ble:{OPEN}?service=FFF0")
    log.until(lambda run: len(readings(run)) > 5, 60, "readings")
    Peers.daemon.kill()
    Peers.daemon.wait()
    log.until(lambda run: "the link was lost" in run.errors, 60, "word of the loss")
    fails(69, "Bluetooth is not available", "systemctl start bluetooth", of=["info", "-d", f"ble:{OPEN}"])
    start_daemon()
    before = len(readings(log))
    log.until(lambda run: len(readings(run)) > before + 5, 90, "readings after the restart")
    log.end(signal=signal.SIGINT)
    expect(log.status in (0, 130), log)


@case
def a_controller_that_is_switched_off():
    sh("bluetoothctl power off </dev/null", check=False)
    wait(lambda: "UP RUNNING" not in sh("hciconfig hci0", check=False), "hci0 to go")
    fails(69, "Bluetooth is switched off", "bluetoothctl power on", of=["info", "-d", f"ble:{OPEN}"])
    sh("bluetoothctl power on </dev/null", check=False)
    wait(lambda: "UP RUNNING" in sh("hciconfig hci0", check=False), "hci0", 240)


sys.exit(main("bumble_adapter.py", "advertising"))
