"""ELM327 adapters with Bluetooth LE, made with Bumble (a foreign Bluetooth stack). This process joins emulated
controllers: one for the kernel (vhci), and one for each adapter.

Each answers a request for engine speed with the next number. Standard output tells what they see: `NAME mtu 23`,
`NAME longest 20` (the longest write), `NAME sent 7` (the number of an answer), `NAME paired`.

SIGUSR1 ends each connection; the adapters advertise again. SIGUSR2 ends it at the next request for engine speed,
without an answer. SIGHUP makes them forget all keys."""

import asyncio
import signal
import sys

from bumble.controller import Controller
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import (GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR, Characteristic, CharacteristicValue,
                         Service)
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

from leplaces import BONDED, KEY, KEYED, MUTE, OPEN, PRINTER, SMALL, WATCH

P = Characteristic.Properties
BOTH = P.WRITE | P.WRITE_WITHOUT_RESPONSE
NORDIC = "6E40000{}-B5A3-F393-E0A9-E50E24DCCA9E"
ISSC = "49535343-{}"
VGATE = "BEF8D6C9-9C21-4C9E-B632-BD58C1009F9F"
# Service, from the adapter, to the adapter, how it announces, how it takes writes.
LAYOUTS = [
    ("FFF0", "FFF1", "FFF2", P.NOTIFY, BOTH),
    ("FFE0", "FFE1", "FFE1", P.NOTIFY, BOTH),
    # It only indicates.
    ("18F0", "2AF0", "2AF1", P.INDICATE, P.WRITE_WITHOUT_RESPONSE),
    # Each write needs a response.
    ("FEE0", "FEE1", "FEE3", P.NOTIFY, P.WRITE),
    (NORDIC.format(1), NORDIC.format(3), NORDIC.format(2), P.NOTIFY, BOTH),
    (ISSC.format("FE7D-4AE5-8FA9-9FAFD205E455"), ISSC.format("1E4D-4BD9-BA61-23C647249616"),
     ISSC.format("8841-43F4-A8D4-ECBE34729BB3"), P.NOTIFY, BOTH),
    ("E7810A71-73AE-499D-8C15-FAA9AEF0C3F2", VGATE, VGATE, P.NOTIFY | P.INDICATE, BOTH),
    # One that no list has.
    ("ABF0", "ABF4", "ABF3", P.NOTIFY, BOTH),
]
ANSWERS = {"ATI": "ELM327 v1.5", "ATZ": "ELM327 v1.5", "ATRV": "12.6V", "ATDPN": "6", "ATDP": "ISO 15765-4",
           "0100": "7E8 06 41 00 BE 3E B8 13", "010D": "7E8 03 41 0D 2A",
           "0902": "7E8 10 14 49 02 01 31 48 47\r7E8 21 43 4D 38 32 36 33 33\r7E8 22 41 30 30 34 33 35 32"}


def tell(*words):
    print(*words, flush=True)


class Link(LocalLink):
    """Works around Bumble 0.0.236: it takes the sender's random address as the source of a packet, but the
    kernel connects with its public one."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        connection = sender_controller.le_connections.get(destination_address)
        target = self.find_le_controller(destination_address)
        if connection and target:
            asyncio.get_running_loop().call_soon(
                lambda: target.on_link_acl_data(connection.self_address, transport, data))
        else:
            super().send_acl_data(sender_controller, destination_address, transport, data)


class Chip:
    """What an ELM327 does with a line; all adapters are like it."""

    number = 0
    ends_at_request = False

    def __init__(self, name):
        self.name, self.echo, self.line, self.longest = name, True, b"", 0

    def lines(self, data):
        """Takes bytes; returns the lines that are whole now."""
        if len(data) > self.longest:
            self.longest = len(data)
            tell(self.name, "longest", self.longest)
        *whole, self.line = (self.line + data).split(b"\r")
        return [line.decode("latin-1") for line in whole]

    def answer(self, line):
        """The bytes that answer a line; None = the link is lost instead."""
        command = line.replace(" ", "").upper()
        echo = line + "\r" if self.echo else ""
        if command in ("ATZ", "ATD", "ATWS"):
            self.echo = True
        elif command.startswith("ATE"):
            self.echo = command == "ATE1"
        # The adapter does not wait for more answers if the request ends with a count digit.
        bare = command[:-1] if len(command) % 2 else command
        if bare == "010C":
            if Chip.ends_at_request:
                Chip.ends_at_request = False
                return None
            Chip.number = Chip.number % 0xFFFF + 1
            tell(self.name, "sent", Chip.number)
            text = f"7E8 04 41 0C {Chip.number >> 8:02X} {Chip.number & 0xFF:02X}"
        else:
            text = ANSWERS.get(command) or ANSWERS.get(bare)
        if text is None:
            text = "OK" if command.startswith("AT") else "NO DATA"
        return (echo + text + "\r\r>").encode()


class Line:
    """A serial line over two characteristics, or over one for both directions."""

    def __init__(self, adapter, service, notify, write, announces, takes):
        self.adapter, self.chip = adapter, Chip(adapter.name)
        one = notify == write
        handler = CharacteristicValue(write=self.on_write)
        access = Characteristic.WRITEABLE
        if adapter.wants_key:
            access |= Characteristic.WRITE_REQUIRES_AUTHENTICATION
        self.out = Characteristic(
            notify, announces | (takes if one else 0),
            Characteristic.READABLE | (access if one else 0), handler if one else b"")
        members = [self.out]
        if not one:
            members.append(Characteristic(write, takes, access, handler))
        self.service = Service(service, members)
        self.indicates = not announces & P.NOTIFY
        self.order = asyncio.Lock()

    def on_write(self, connection, value):
        for line in self.chip.lines(bytes(value)):
            asyncio.ensure_future(self.reply(connection, line))

    async def reply(self, connection, line):
        if self.adapter.is_silent:
            return
        async with self.order:
            data = self.chip.answer(line)
            if data is None:
                await connection.disconnect()
                return
            size = connection.att_mtu - 3
            for start in range(0, len(data), size):
                piece = data[start:start + size]
                if self.indicates:
                    await self.adapter.device.indicate_subscribers(self.out, piece)
                else:
                    await self.adapter.device.notify_subscribers(self.out, piece)


class Delegate(PairingDelegate):
    """The adapter's part in pairing."""

    def __init__(self, adapter):
        super().__init__(self.DISPLAY_OUTPUT_ONLY if adapter.wants_key else self.NO_OUTPUT_NO_INPUT)
        self.adapter = adapter

    async def accept(self):
        if self.adapter.never_pairs:
            await asyncio.get_running_loop().create_future()
        return True

    async def generate_passkey(self):
        return KEY


class Adapter:
    """One adapter: its controller, its host, its services."""

    def __init__(self, link, name, address, layouts, *, mtu=517, wants_key=False, wants_bond=False,
                 never_pairs=False, is_silent=False):
        self.name, self.address, self.mtu = name, address, mtu
        self.wants_key, self.never_pairs, self.is_silent = wants_key, never_pairs, is_silent
        own = Controller(name, link=link, public_address=address)
        self.device = Device(name=name, address=Address(address), host=Host(own, AsyncPipeSink(own)))
        self.device.add_services([Line(self, *row).service for row in layouts])
        if not layouts:
            self.device.add_service(Service("180F", [
                Characteristic("2A19", P.READ | P.NOTIFY, Characteristic.READABLE, bytes([90]))]))
        self.device.gatt_server.max_mtu = mtu
        for attribute in self.device.gatt_server.attributes:
            if attribute.type == GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR:
                if wants_key:
                    attribute.permissions |= Characteristic.WRITE_REQUIRES_AUTHENTICATION
                if wants_bond:
                    attribute.permissions |= Characteristic.WRITE_REQUIRES_ENCRYPTION
        self.device.advertising_data = bytes(AdvertisingData([
            (AdvertisingData.FLAGS, bytes([0x06])), (AdvertisingData.COMPLETE_LOCAL_NAME, name.encode())]))
        self.connections = []
        self.device.on("connection", self.on_connection)
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            sc=True, mitm=wants_key, bonding=True, delegate=Delegate(self))

    def on_connection(self, connection):
        self.connections.append(connection)
        connection.on("connection_att_mtu_update", lambda: tell(self.name, "mtu", connection.att_mtu))
        connection.on("pairing", lambda *_: tell(self.name, "paired"))
        connection.on("pairing_failure", lambda reason, *_: tell(self.name, "refused", reason))

    def lose(self):
        for connection in self.connections:
            asyncio.ensure_future(connection.disconnect())
        self.connections.clear()

    async def start(self):
        await self.device.power_on()
        await self.device.start_advertising(auto_restart=True, advertising_interval_min=100,
                                            advertising_interval_max=100)


async def main():
    transport = await open_transport("vhci")
    link = Link()
    Controller("kernel", host_source=transport.source, host_sink=transport.sink, link=link,
               public_address="00:AA:01:00:00:01")
    usual, wican = LAYOUTS[:1], LAYOUTS[3:4]
    adapters = [
        Adapter(link, "OBDBLE", OPEN, LAYOUTS),
        Adapter(link, "V-LINK", SMALL, usual, mtu=23),
        Adapter(link, "WiCAN", KEYED, wican, wants_key=True),
        Adapter(link, "OBDLink CX", BONDED, usual, wants_bond=True),
        Adapter(link, "VEEPEAK", MUTE, usual, wants_bond=True, never_pairs=True),
        Adapter(link, "Watch", WATCH, []),
        Adapter(link, "Printer", PRINTER, LAYOUTS[2:3] + LAYOUTS[6:7], is_silent=True),
    ]

    def lose():
        for adapter in adapters:
            adapter.lose()

    def lose_at_request():
        Chip.ends_at_request = True

    async def delete_keys():
        for adapter in adapters:
            if adapter.device.keystore:
                await adapter.device.keystore.delete_all()
        tell("all keys forgotten")

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, lose)
    loop.add_signal_handler(signal.SIGUSR2, lose_at_request)
    loop.add_signal_handler(signal.SIGHUP, lambda: asyncio.ensure_future(delete_keys()))
    for adapter in adapters:
        await adapter.start()
    tell("advertising")
    await loop.create_future()


if __name__ == "__main__":
    asyncio.run(main())
