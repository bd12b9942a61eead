"""The cases of the system test. They run one after the other on one machine."""

import signal
import socket
import sys
import time
import traceback

sys.path.insert(0, "/test")
sys.dont_write_bytecode = True
from world import *

CASES = []
bluetooth = Controllers()
kept = []


def adapter(address, channel):
    """Starts a foreign adapter on an RFCOMM channel."""
    stranger = Run("/test/elm.py", address, str(channel), program="python3")
    return stranger.until(lambda run: "listening" in run.output, what="a listening adapter")


def case(function):
    CASES.append((function.__name__.replace("_", " "), function))
    return function


def log_over(accessory, *signals):
    """Starts a recording with a new database. It prints each reading."""
    sh("rm -f /tmp/obdscan.db*")
    program = Run("log", "--format", "json", "-d", accessory, *(signals or ["rpm"]))
    return program.until(lambda run: len(readings(run)) > 20, 90, "the first readings")


def readings(run):
    return [thing for thing in run.objects if "signal" in thing]


def expect_one_trip(program, gap):
    """Ends a recording; expects one closed trip with everything that was printed, and with a gap."""
    program.end(signal=signal.SIGINT)
    expect(program.status == 0, program)
    summary = program.objects[-1]
    expect(summary["kind"] == "summary" and summary["reconnects"] >= 1, summary)
    trips = succeeds("trips", "list", "--format", "json").objects
    expect(len(trips) == 1 and not trips[0]["open"], trips)
    kept = succeeds("export", "--format", "json").objects
    printed = readings(program)
    def key(reading):
        return reading["time"], reading["ecu"], reading["signal"], reading["raw"]
    keys = [key(reading) for reading in kept if reading.get("signal")]
    expect([key(reading) for reading in printed] == keys[:len(printed)], "what was printed is not what is kept")
    expect(len(keys) - len(printed) <= 3, f"{len(keys)} readings kept, {len(printed)} printed")
    expect(len(set(keys)) == len(keys), "a reading was stored twice")
    times = [one[0] for one in keys]
    def seconds(text):
        return float(text[17:26]) + 60 * float(text[14:16]) + 3600 * float(text[11:13])
    longest = max(seconds(b) - seconds(a) for a, b in zip(times, times[1:]))
    expect(longest >= gap, f"the longest gap is {longest:.2f} s")


# USB.

@case
def a_plugged_cable_is_announced_with_what_usb_tells():
    watch = Run("devices", "watch", "--format", "json")
    before = {entry["id"] for entry in succeeds("devices", "list", "--format", "json").objects}
    time.sleep(0.5)
    node = plug("car", "A5XK3RJT")
    watch.until(lambda run: run.objects, what="the connect")
    event = watch.objects[0]
    expect(event["event"] == "connected" and event["id"] == f"serial:{node}", event)
    expect(event["manufacturer"] == "QEMU" and event["serialNumber"] == "A5XK3RJT", event)
    first = event["connectionID"]
    added = [entry for entry in succeeds("devices", "list", "--format", "json").objects if entry["id"] not in before]
    expect(len(added) == 1 and added[0]["model"] == "QEMU USB SERIAL", added)
    shown = succeeds("devices", "show", node).output
    for word in ["/dev/serial/by-id/usb-QEMU", "A5XK3RJT", "ftdi_sio", "0403:6001", "4.00"]:
        expect(word in shown, f"“{word}” is missing", shown)
    unplug("car", node)
    watch.until(lambda run: len(run.objects) >= 2, what="the disconnect")
    expect(watch.objects[1]["event"] == "disconnected", watch.objects[1])
    plug("car", "A5XK3RJT")
    watch.until(lambda run: len(run.objects) >= 3, what="the second connect")
    expect(watch.objects[2]["event"] == "connected" and watch.objects[2]["connectionID"] > first, watch.objects)
    expect(len(watch.objects) == 3, watch.objects)
    watch.end(signal=signal.SIGTERM)


@case
def a_vehicle_behind_a_USB_cable_answers():
    by_id = "/dev/serial/by-id/" + next(name for name in names("/dev/serial/by-id") if "A5XK3RJT" in name)
    for accessory in ["/dev/ttyUSB0", by_id, f"serial:{by_id}?baud=128000"]:
        done = succeeds("read", "rpm", "--format", "json", "-d", accessory)
        expect(done.objects[0]["signal"] == "RPM", done)
    # If only one device is likely to be an adapter, the user need not name it.
    succeeds("read", "rpm")


@case
def the_line_is_left_as_cables_need_it():
    with open("/sys/bus/usb-serial/devices/ttyUSB0/latency_timer") as file:
        expect(file.read().strip() == "1", "the bridge waits 16 ms before it hands bytes over")
    settings = sh("stty -a -F /dev/ttyUSB0")
    expect("-hupcl" in settings, settings)


@case
def one_program_at_a_time_and_the_other_one_is_named():
    holder = Run("log", "rpm", "--format", "json", "-d", "/dev/ttyUSB0").until(readings)
    done = fails(69, "is in use by obdscan", str(holder.process.pid), of=["read", "rpm", "-d", "/dev/ttyUSB0"])
    listed = succeeds("devices", "list", "--format", "json").objects
    entry = next(entry for entry in listed if entry["id"] == "serial:/dev/ttyUSB0")
    expect("obdscan" in entry["inUseBy"], entry)
    holder.end(signal=signal.SIGINT)


@case
def who_may_not_open_the_node_is_told_the_group():
    fails(77, "/dev/ttyUSB0", "dialout", "usermod -aG dialout", of=["read", "rpm", "-d", "/dev/ttyUSB0", "--db", "/tmp/t.db"],
          user="tester")


@case
def a_cable_pulled_and_put_back_under_log_is_one_trip():
    by_id = "/dev/serial/by-id/" + next(name for name in names("/dev/serial/by-id") if "A5XK3RJT" in name)
    program = log_over(by_id)
    for _ in range(2):
        unplug("car", "/dev/ttyUSB0")
        program.until(lambda run: "the link was lost" in run.errors, 60, "word of the loss")
        time.sleep(1)
        before = len(readings(program))
        node = plug("car", "A5XK3RJT")
        expect(node == "/dev/ttyUSB0", f"the node became {node}: the lost one was kept open")
        program.until(lambda run: len(readings(run)) > before + 20, 60, "readings after the replug")
    expect_one_trip(program, gap=1)


@case
def the_line_rate_is_found_and_remembered():
    node = plug("clone", "CLONE115")
    question = "\\x7F\\x7F\\r"
    done = succeeds("read", "rpm", "--format", "json", "-d", node, "--record", "/tmp/first")
    expect(done.objects[0]["value"] == 1726, done)
    # Twice at 38400, which is wrong, then once at the right rate.
    with open("/tmp/first") as file:
        asked = [line for line in file if f"> {question}" in line]
    expect(len(asked) == 3, asked)
    succeeds("read", "rpm", "-d", node, "--record", "/tmp/second")
    with open("/tmp/second") as file:
        expect(question not in file.read(), "the rate was asked for again")
    expect("115200" in succeeds("devices", "show", node).output, "the rate is not shown")
    unplug("clone", node)
    fails(69, "there is no such device", of=["read", "rpm", "-d", node])


# Bluetooth.

@case
def without_a_controller_the_message_says_so():
    fails(69, "Bluetooth is not available", of=["info", "-d", "rfcomm:00:11:22:33:44:55"])
    fails(69, "Bluetooth is not available", of=["info", "-d", "bluetooth:OBDII"])


@case
def controllers_are_switched_on():
    bluetooth.start()
    # Linux 6.1.192 crashes if a refused channel was the only one to a device, so keep another one
    # open.
    far = bluetooth.addresses[1]
    kept.append(adapter(far, 20))
    link = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_STREAM, socket.BTPROTO_RFCOMM)
    link.settimeout(20)
    link.connect((far, 20))
    kept.append(link)


@case
def a_strangers_adapter_by_channel_and_by_service_record():
    far = bluetooth.addresses[1]
    stranger = adapter(far, 3)
    done = succeeds("read", "rpm", "--format", "json", "-d", f"rfcomm:{far}/3")
    expect(done.objects[0]["value"] == 1726, done)
    # There is no service record, so obdscan tries the usual channels.
    succeeds("read", "rpm", "-d", f"rfcomm:{far}")
    sh("sdptool add --channel=7 SP")
    stranger.end(signal=signal.SIGKILL)
    stranger = adapter(far, 7)
    succeeds("read", "rpm", "-d", f"rfcomm:{far}")
    stranger.end(signal=signal.SIGKILL)


@case
def an_adapter_by_name():
    far = bluetooth.addresses[1]
    stranger = adapter(far, 7)
    sh("sdptool add --channel=7 SP")
    for user in [None, "tester"]:
        done = succeeds("read", "rpm", "--format", "json", "-d", "bluetooth:OBDII-1", "--db", f"/tmp/{user}.db", user=user)
        expect(done.objects[0]["value"] == 1726, done)
    fails(69, "no Bluetooth device is called", "OBDII-1", of=["info", "-d", "bluetooth:Nobody"])
    stranger.end(signal=signal.SIGKILL)


@case
def refused_and_absent_accessories():
    far = bluetooth.addresses[1]
    fails(69, "/9", "refused", "sdptool browse", of=["info", "-d", f"rfcomm:{far}/9"])
    fails(69, "00:11:22:33:44:55", "does not answer", of=["info", "-d", "rfcomm:00:11:22:33:44:55/1"])
    fails(69, "00:11:22:33:44:55", "does not answer", of=["info", "-d", "rfcomm:00:11:22:33:44:55"])


@case
def the_simulated_vehicle_on_RFCOMM():
    far = bluetooth.addresses[1]
    simulator = Run("simulate", "--rfcomm", "5", "petrol?latency=2ms").until(lambda run: "rfcomm" in run.output)
    succeeds("info", "-d", f"rfcomm:{far}/5")
    # The simulator's service record names the channel for all programs. There is also an old
    # foreign record of a channel without a listener. obdscan tries that one first.
    sh("sdptool add --channel=7 SP")
    told = sh(f"sdptool -i hci0 search --bdaddr {far} SP", check=False)
    expect("OBDSCAN" in told and "Channel: 5" in told, told)
    succeeds("read", "rpm", "-d", f"rfcomm:{far}")
    codes = succeeds("dtc", "--format", "json", "-d", f"rfcomm:{far}/5")
    expect(codes.objects, codes)
    simulator.end(signal=signal.SIGTERM)
    told = sh(f"sdptool -i hci0 search --bdaddr {far} SP", check=False)
    expect("OBDSCAN" not in told, "the record outlives the program", told)


@case
def setup_finds_a_Bluetooth_adapter_and_other_commands_use_it():
    simulator = Run("simulate", "--rfcomm", "5", "petrol?latency=2ms").until(lambda run: "rfcomm" in run.output)
    begin = time.monotonic()
    done = succeeds("setup", "-d", "bluetooth:OBDII-1")
    expect("Saved bluetooth:OBDII-1" in done.output, done)
    codes = succeeds("dtc")
    expect("P0301" in codes.output and "Drive on?" in codes.output, codes)
    print(f"    setup and codes: {time.monotonic() - begin:.1f} s")
    succeeds("config", "unset", "device")
    simulator.end(signal=signal.SIGTERM)


@case
def a_dropped_Bluetooth_link_is_had_back_under_log():
    near, far = bluetooth.addresses
    simulator = Run("simulate", "--rfcomm", "5", "petrol?latency=2ms").until(lambda run: "rfcomm" in run.output)
    program = log_over(f"rfcomm:{far}/5")
    sh(f"hcitool -i hci1 dc {near}")
    program.until(lambda run: "the link was lost" in run.errors, 60, "word of the loss")
    before = len(readings(program))
    program.until(lambda run: len(readings(run)) > before + 20, 60, "readings after the loss")
    # Switch the adapter off, and on again.
    bluetooth.switch(1, False)
    program.until(lambda run: run.errors.count("the link was lost") == 2, 60, "word of the second loss")
    time.sleep(1)
    bluetooth.switch(1, True)
    before = len(readings(program))
    program.until(lambda run: len(readings(run)) > before + 20, 60, "readings after the second loss")
    expect_one_trip(program, gap=1)
    simulator.end(signal=signal.SIGTERM)


@case
def a_controller_that_is_switched_off():
    far = bluetooth.addresses[1]
    for place in (0, 1):
        bluetooth.switch(place, False)
    for accessory in [f"rfcomm:{far}/5", f"rfcomm:{far}", "bluetooth:Nobody"]:
        fails(69, "Bluetooth", "bluetoothctl power on", of=["info", "-d", accessory])
    bluetooth.stop()


def main():
    with open("/test/selected") as file:
        selected = file.read().split("\n")
    failed = 0
    for name, body in CASES:
        if selected != [""] and not any(word in name for word in selected) and "switched on" not in name:
            continue
        begin = time.monotonic()
        try:
            body()
            print(f"ok {time.monotonic() - begin:5.1f} s  {name}", flush=True)
        except Exception as reason:
            failed += 1
            # Processes of this case must not make the next one fail.
            Run.end_all(but=kept)
            print(f"FAILED {time.monotonic() - begin:5.1f} s  {name}")
            text = str(reason) if isinstance(reason, Failed) else traceback.format_exc()
            if isinstance(reason, Failed):
                text += f"\nat line {traceback.extract_tb(reason.__traceback__)[1].lineno}"
            for line in text.splitlines():
                print(f"  | {line}")
            sys.stdout.flush()
    return 1 if failed else 0


sys.exit(main())
