"""An ELM327 with Bluetooth LE, made with Bumble (a foreign Bluetooth stack). This process joins two emulated
controllers: one for the kernel (vhci), and one for the adapter.

It has several services at once. SIGUSR1 ends the connection; then the adapter advertises again."""

import asyncio
import signal
import sys

from bumble.controller import Controller
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

ADDRESS = "D2:E0:2F:8D:54:D5"
P = Characteristic.Properties
BOTH = P.WRITE | P.WRITE_WITHOUT_RESPONSE
ANSWERS = {"ATI": "ELM327 v1.5", "ATZ": "ELM327 v1.5", "ATRV": "12.6V", "ATDPN": "6", "ATDP": "ISO 15765-4",
           "0100": "7E8 06 41 00 BE 3E B8 13", "010C": "7E8 04 41 0C 1A F8", "010D": "7E8 03 41 0D 2A"}


class Link(LocalLink):
    """Works around Bumble 0.0.236: it takes the sender's random address as the source of a packet, but the
    kernel connects with its public one."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        connection = sender_controller.le_connections.get(destination_address)
        target = self.find_le_controller(destination_address)
        if connection and target:
            asyncio.get_running_loop().call_soon(
                lambda: target.on_link_acl_data(connection.self_address, transport, data))


class Line:
    """A serial line over two characteristics, or over one for both directions."""

    def __init__(self, device, service, notify, write, announces, takes):
        self.device, self.line, self.echo = device, b"", True
        one = notify == write
        handler = CharacteristicValue(write=self.on_write)
        self.out = Characteristic(
            notify, announces | (takes if one else 0),
            Characteristic.READABLE | (Characteristic.WRITEABLE if one else 0), handler if one else b"")
        members = [self.out]
        if not one:
            members.append(Characteristic(write, takes, Characteristic.WRITEABLE, handler))
        self.service = Service(service, members)
        self.indicates = not announces & P.NOTIFY

    def on_write(self, connection, value):
        self.line += bytes(value)
        while b"\r" in self.line:
            line, self.line = self.line.split(b"\r", 1)
            asyncio.ensure_future(self.answer(line.decode("latin-1")))

    async def answer(self, line):
        command = line.replace(" ", "").upper()
        echo = line + "\r" if self.echo else ""
        if command in ("ATZ", "ATD", "ATWS"):
            self.echo = True
        elif command.startswith("ATE"):
            self.echo = command == "ATE1"
        # The adapter does not wait for more answers if the request ends with a count digit.
        text = ANSWERS.get(command) or ANSWERS.get(command[:-1] if len(command) % 2 else command)
        if text is None:
            text = "OK" if command.startswith("AT") else "NO DATA"
        data = (echo + text + "\r\r>").encode()
        for start in range(0, len(data), 20):
            piece = data[start:start + 20]
            if self.indicates:
                await self.device.indicate_subscribers(self.out, piece)
            else:
                await self.device.notify_subscribers(self.out, piece)


async def main():
    transport = await open_transport("vhci")
    link = Link()
    Controller("kernel", host_source=transport.source, host_sink=transport.sink, link=link,
               public_address="00:AA:01:00:00:01")
    own = Controller("adapter", link=link, public_address=ADDRESS)
    device = Device(name="OBDBLE", address=Address(ADDRESS), host=Host(own, AsyncPipeSink(own)))
    device.add_services([line.service for line in [
        Line(device, "FFF0", "FFF1", "FFF2", P.NOTIFY, BOTH),
        Line(device, "FFE0", "FFE1", "FFE1", P.NOTIFY, BOTH),
        Line(device, "18F0", "2AF0", "2AF1", P.INDICATE, P.WRITE_WITHOUT_RESPONSE),
        Line(device, "FEE0", "FEE1", "FEE3", P.NOTIFY, P.WRITE),
    ]])
    device.advertising_data = bytes(AdvertisingData([
        (AdvertisingData.FLAGS, bytes([0x06])), (AdvertisingData.COMPLETE_LOCAL_NAME, b"OBDBLE")]))
    connections = []
    device.on("connection", connections.append)
    device.pairing_config_factory = lambda connection: PairingConfig(
        sc=True, mitm=False, bonding=True,
        delegate=PairingDelegate(PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT))

    def lose():
        for connection in connections:
            asyncio.ensure_future(connection.disconnect())
        connections.clear()

    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lose)
    await device.power_on()
    await device.start_advertising(auto_restart=True, advertising_interval_min=100,
                                   advertising_interval_max=100)
    print("advertising", flush=True)
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main())
