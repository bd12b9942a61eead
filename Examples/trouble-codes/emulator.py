"""ELM327-emulator's scenario `car` with two trouble codes, on a port of the loopback.

    python emulator.py PORT
"""
import os
import sys
import tempfile

from elm import obd_message

# The emulator sends no count on CAN, so that it is in front of the one code: P0143, P0300.
obd_message.DTC_STORED += ["010143"]
obd_message.DTC_PENDING += ["010300"]

if __name__ == "__main__":
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as quiet:
        quiet.write(
            "version: 1\nhandlers:\n  nowhere: {class: logging.NullHandler}\n"
            "root: {level: CRITICAL, handlers: [nowhere]}\n")
        quiet.flush()
        os.environ["ELM_LOG_CFG"] = quiet.name
        sys.argv = ["elm", "-s", "car", "-n", sys.argv[1], "-b", "/dev/stdout"]
        from elm import main

        main()
