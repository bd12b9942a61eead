"""The Bluetooth adapters that guest/bumble_adapter.py makes, by what is special about them."""

# Every layout at once, no pairing.
OPEN = "D2:E0:2F:8D:54:D5"
# It takes no packet longer than the smallest one, as old modules do.
SMALL = "D2:E0:2F:8D:54:D7"
# Both ways need a key that the user types, as with a WiCAN.
KEYED = "D2:E0:2F:8D:54:D8"
# Subscribing needs encryption, as with an OBDLink CX; it has no number.
BONDED = "D2:E0:2F:8D:54:D9"
# It never answers a pairing request.
MUTE = "D2:E0:2F:8D:54:DA"
# It has a battery level and nothing else.
WATCH = "D2:E0:2F:8D:54:DB"
# It has the services of an adapter, and answers nothing.
PRINTER = "D2:E0:2F:8D:54:DC"
# Bluetooth Classic, with the PINs 1234, 0000 and 4711.
CLASSIC = {"1234": "00:AA:01:00:00:11", "0000": "00:AA:01:00:00:12", "4711": "00:AA:01:00:00:13"}

KEY = 123456
