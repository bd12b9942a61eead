"""ECUs that are not ours, on vcan0: `can_peers.py isotp|isotpserver|scapy`.

Each prints "ready" when it listens. The answers are those of one vehicle: 1726 rpm, VIN 1HGCM82633A004352.
"""

import socket
import subprocess
import sys
import time

VIN = b"1HGCM82633A004352"
ANSWERS = {"0100": "4100983B8011", "010C": "410C1AF8", "010D": "410D2A", "0900": "490040000000",
           "0902": "490201" + VIN.hex(), "22F190": "62F190" + VIN.hex()}
# A vehicle with OBDonUDS: what it is, what it supports, and the engine's speed.
UDS = {"22F810": "62F81001", "22F400": "62F400983B8011", "22F40C": "62F40C1AF8", "22F190": "62F190" + VIN.hex(),
       "22F802": "62F802" + VIN.hex()}


def isotp():
    """python can-isotp on python-can; a request to all is answered from the ECU's own address."""
    import can
    import isotp as tp
    from threading import Thread

    def stack(request):
        bus = can.Bus(interface="socketcan", channel="vcan0")
        layer = tp.CanStack(bus, address=tp.Address(txid=0x7E8, rxid=request), params={"tx_padding": 0})
        layer.start()
        return layer
    own, everyone = stack(0x7E0), stack(0x7DF)

    def serve(layer):
        while True:
            request = layer.recv(block=True, timeout=1)
            if request and (answer := ANSWERS.get(bytes(request).hex().upper())):
                own.send(bytes.fromhex(answer))
    for layer in (own, everyone):
        Thread(target=serve, args=[layer], daemon=True).start()
    print("ready", flush=True)
    while True:
        time.sleep(60)


def isotpserver():
    """can-utils' isotpserver: ISO-TP of the kernel, as text over TCP."""
    import select
    links = []
    # One for each request address; long answers go out where flow control comes back.
    for port, request in ((9001, "7E0"), (9002, "7DF")):
        subprocess.Popen(["isotpserver", "-l", str(port), "-s", "7E8", "-d", request, "-p", "0:0", "vcan0"])
        for _ in range(200):
            try:
                links.append(socket.create_connection(("127.0.0.1", port)))
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
    print("ready", flush=True)
    text = {link: "" for link in links}
    while True:
        for link in select.select(links, [], [])[0]:
            text[link] += link.recv(4096).decode()
            while ">" in text[link]:
                request, text[link] = text[link].split(">", 1)
                if answer := ANSWERS.get(request.strip().lstrip("<").upper()):
                    links[0].sendall(f"<{answer.upper()}>".encode())


def scapy():
    """scapy's answering machine on the kernel's ISO-TP: UDS, and OBD on UDS."""
    import logging
    logging.getLogger("scapy.runtime").setLevel(logging.ERROR)
    from threading import Thread
    from scapy.config import conf
    conf.contribs["ISOTP"] = {"use-can-isotp-kernel-module": True}
    conf.contribs["CANSocket"] = {"use-python-can": False}
    from scapy.contrib.isotp import ISOTPNativeSocket
    from scapy.contrib.automotive.ecu import EcuAnsweringMachine, EcuResponse
    from scapy.contrib.automotive.uds import UDS as Packet
    responses = [EcuResponse(responses=[Packet(bytes.fromhex(answer))]) for answer in UDS.values()]
    machines = []
    for request in (0x7E0, 0x7DF):
        link = ISOTPNativeSocket("vcan0", tx_id=0x7E8, rx_id=request, padding=True, basecls=Packet)
        machines.append(EcuAnsweringMachine(supported_responses=responses, main_socket=link, basecls=Packet,
                                            verbose=False))
    for one in machines:
        Thread(target=one, kwargs={"verbose": False}, daemon=True).start()
    # There is no word of its own when it listens.
    time.sleep(3)
    print("ready", flush=True)
    while True:
        time.sleep(60)


{"isotp": isotp, "isotpserver": isotpserver, "scapy": scapy}[sys.argv[1]]()
