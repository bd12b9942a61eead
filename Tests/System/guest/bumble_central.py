"""A phone made of Bumble: finds the LE adapter that BlueZ advertises, subscribes and asks it.

The kernel's controller and the phone's own are joined in this process. Prints "ready" when BlueZ may start, waits
for a line on standard input, and prints each answer as a line of JSON."""

import asyncio
import json
import sys

from bumble.controller import Controller
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.host import Host
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

from bumble_adapter import Link

ADDRESS = "D2:E0:2F:8D:54:D6"


async def main():
    transport = await open_transport("vhci")
    link = Link()
    Controller("kernel", host_source=transport.source, host_sink=transport.sink, link=link,
               public_address="00:AA:01:00:00:01")
    own = Controller("phone", link=link, public_address=ADDRESS)
    device = Device(name="phone", address=Address(ADDRESS), host=Host(own, AsyncPipeSink(own)))
    await device.power_on()
    print("ready", flush=True)
    name = (await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)).strip()
    seen = asyncio.get_running_loop().create_future()

    def look(advertisement):
        text = bytes(advertisement.data)
        # The name is in the scan response, which may come by itself.
        if (name.encode() in text or b"\xf0\xff" in text) and not seen.done():
            seen.set_result(advertisement.address)
    device.on("advertisement", look)
    await device.start_scanning(active=True)
    address = await asyncio.wait_for(seen, 30)
    await device.stop_scanning()
    connection = await device.connect(address)
    peer = Peer(connection)
    mtu = await peer.request_mtu(247)
    await peer.discover_services()
    await peer.discover_characteristics()
    notify = peer.get_characteristics_by_uuid("FFF1")[0]
    write = peer.get_characteristics_by_uuid("FFF2")[0]
    pieces = asyncio.Queue()
    await peer.subscribe(notify, lambda value: pieces.put_nowait(bytes(value)))
    for command in ["ATZ", "ATE0", "0100", "010C", "0902"]:
        await peer.write_value(write, (command + "\r").encode(), with_response=command == "ATZ")
        answer, longest = b"", 0
        while not answer.endswith(b">"):
            piece = await asyncio.wait_for(pieces.get(), 20)
            answer, longest = answer + piece, max(longest, len(piece))
        print(json.dumps({"command": command, "answer": answer.decode(), "longest": longest, "mtu": mtu}),
              flush=True)
    await connection.disconnect()


asyncio.run(main())
