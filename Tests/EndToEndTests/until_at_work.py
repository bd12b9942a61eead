"""Runs a command that would not end by itself, and interrupts it with Ctrl-C once it is at work.

    until_at_work.py COMMAND...

A command is at work once it has printed that it records a trip, or a reading, or an address. A command that
prints nothing for 20 s is interrupted, too. The exit code is that of the command, in a shell's form.
"""
import os
import signal
import subprocess
import sys
import threading

words = sys.argv[1:]
# Each of several adapters has its own trip. `devices watch` prints nothing unless a device comes or
# goes.
said = {"log": b"is being recorded", "devices": b""}.get(words[1], b"\n")
count = max(1, sum(word in ("-d", "--device") for word in words)) if words[1] == "log" else 1
process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
ready = threading.Event()


def pass_on(source, target):
    heard = b""
    while data := os.read(source.fileno(), 65536):
        heard += data
        try:
            os.write(target, data)
        except BrokenPipeError:
            source.close()
            return
        if heard.count(said) >= count:
            ready.set()


readers = [threading.Thread(target=pass_on, args=(process.stdout, 1), daemon=True),
           threading.Thread(target=pass_on, args=(process.stderr, 2), daemon=True)]
for reader in readers:
    reader.start()


def end():
    if said:
        ready.wait(20)
    process.send_signal(signal.SIGINT)


threading.Thread(target=end, daemon=True).start()
process.wait()
for reader in readers:
    reader.join()
code = process.returncode
sys.exit(128 - code if code < 0 else code)
