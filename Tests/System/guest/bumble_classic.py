"""ELM327 adapters with Bluetooth Classic, made with Bumble: a serial port and a PIN of the old kind.

Bumble 0.0.236 has the adapters' side. Its emulated controller cannot be the kernel's: it has no inquiry, no PIN, no
encryption and few of the commands that the kernel begins with. `KernelController` adds these. It compares PINs and
makes a link key, as two controllers do (Bluetooth Core, Vol 2, Part C, 4.2.2), without the radio's messages between
them. BlueZ, the kernel and the program under test do all of their part of the pairing.

btvirt, the other emulated controller, never asks for a PIN, and answers a second Secure Simple Pairing wrongly.

Standard output and signals are as in bumble_adapter.py."""

import asyncio
import os
import signal

from bumble import hci, rfcomm
from bumble.controller import Controller
from bumble.core import BT_SERIAL_PORT_SERVICE
from bumble.device import Device
from bumble.hci import Address
from bumble.host import Host
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

from bumble_adapter import Chip, Link, tell
from leplaces import CLASSIC

CHANNEL = 1
AUTHENTICATION_FAILURE, KEY_MISSING = 0x05, 0x06


class Raw:
    """An event whose bytes are given."""

    def __init__(self, code, parameters):
        self.data = bytes([hci.HCI_EVENT_PACKET, code, len(parameters)]) + parameters

    def __bytes__(self):
        return self.data

    def __str__(self):
        return self.data.hex()


class KernelController(Controller):
    """The controller of the machine: for Bluetooth Classic alone."""

    lmp_features = hci.LmpFeatureMask(0)
    lmp_features_max_page_number = 1

    def __init__(self, name, pins, **options):
        super().__init__(name, **options)
        self.pins, self.keys, self.inquiry = pins, {}, None

    def on_hci_command(self, command):
        """Commands of the kernel's start that change nothing here: success, and zeros."""
        zeros = bytes(9)
        if command.op_code == 0x0C39:
            # One inquiry access code: the general one.
            zeros = bytes([0, 1, 0x33, 0x8B, 0x9E])
        if isinstance(command, hci.HCI_AsyncCommand):
            self._send_hci_command_status(0, command.op_code)
        else:
            self.complete(command.op_code, zeros)

    def complete(self, op_code, parameters):
        self.send_hci_packet(Raw(0x0E, bytes([1]) + op_code.to_bytes(2, "little") + parameters))

    def on_hci_command_packet(self, command):
        handler = {0x0401: self.inquire, 0x0402: self.end_inquiry, 0x040C: self.ask_for_pin,
                   0x040D: self.take_pin, 0x040E: self.refuse_pin, 0x0411: self.authenticate,
                   0x0413: self.encrypt, 0x1408: self.key_size}.get(command.op_code)
        if handler:
            handler(command)
        elif type(command) is hci.HCI_Command or getattr(
                self, f"on_{command.name.lower()}", None) is None:
            self.on_hci_command(command)
        else:
            super().on_hci_command_packet(command)

    def inquire(self, command):
        self._send_hci_command_status(0, command.op_code)
        for address in self.pins:
            # Class of device: a modem, as such adapters say.
            self.send_hci_packet(Raw(0x02, bytes([1]) + bytes(Address(address)) + bytes([1, 0, 0])
                                     + bytes([0x04, 0x02, 0x00]) + bytes(2)))
        loop = asyncio.get_running_loop()
        self.inquiry = loop.call_later(2, lambda: self.send_hci_packet(Raw(0x01, bytes(1))))

    def end_inquiry(self, command):
        if self.inquiry:
            self.inquiry.cancel()
        self.complete(command.op_code, bytes(1))

    def connection(self, address):
        return self.classic_connections.get(address)

    def authenticate(self, command):
        self._send_hci_command_status(0, command.op_code)
        connection = self.find_classic_connection_by_handle(command.connection_handle)
        self.send_hci_packet(hci.HCI_Link_Key_Request_Event(bd_addr=connection.peer_address))

    def authenticated(self, address, status):
        if connection := self.connection(address):
            self.send_hci_packet(hci.HCI_Authentication_Complete_Event(
                status=status, connection_handle=connection.handle))

    def ask_for_pin(self, command):
        self.complete(command.op_code, bytes(1) + bytes(command.bd_addr))
        self.send_hci_packet(hci.HCI_PIN_Code_Request_Event(bd_addr=command.bd_addr))

    def take_pin(self, command):
        self.complete(command.op_code, bytes(1) + bytes(command.bd_addr))
        place = str(command.bd_addr).split("/")[0]
        given = bytes(command.pin_code)[:command.pin_code_length].decode("latin-1")
        tell("pin", place, given)
        if self.pins.get(place) != given:
            self.authenticated(command.bd_addr, AUTHENTICATION_FAILURE)
            return
        self.keys[place] = os.urandom(16)
        self.send_hci_packet(hci.HCI_Link_Key_Notification_Event(
            bd_addr=command.bd_addr, link_key=self.keys[place],
            key_type=hci.LinkKeyType.COMBINATION_KEY))
        self.authenticated(command.bd_addr, 0)

    def refuse_pin(self, command):
        self.complete(command.op_code, bytes(1) + bytes(command.bd_addr))
        self.authenticated(command.bd_addr, KEY_MISSING)

    def encrypt(self, command):
        self._send_hci_command_status(0, command.op_code)
        self.send_hci_packet(hci.HCI_Encryption_Change_Event(
            status=0, connection_handle=command.connection_handle, encryption_enabled=1))

    def key_size(self, command):
        handle = command.connection_handle
        self.complete(command.op_code, bytes(1) + handle.to_bytes(2, "little") + bytes([16]))


class Adapter:
    """One adapter with a serial port."""

    def __init__(self, link, pin, address):
        self.name, self.links = f"OBDII-{pin}", []
        own = Controller(self.name, link=link, public_address=address)
        own.lmp_features = hci.LmpFeatureMask(0)
        own.lmp_features_max_page_number = 1
        self.device = Device(name=self.name, address=Address(address, Address.PUBLIC_DEVICE_ADDRESS),
                             host=Host(own, AsyncPipeSink(own)))
        self.device.classic_enabled, self.device.le_enabled = True, False
        own.local_name = self.name
        rfcomm.Server(self.device).listen(self.accept, channel=CHANNEL)
        self.device.sdp_service_records = {
            0x00010001: rfcomm.make_service_sdp_records(0x00010001, CHANNEL, BT_SERIAL_PORT_SERVICE)}

    def accept(self, line):
        chip = Chip(self.name)
        self.links.append(line)

        def take(data):
            for text in chip.lines(data):
                answer = chip.answer(text)
                if answer is None:
                    self.lose()
                    return
                line.write(answer)
        line.sink = take

    def lose(self):
        for line in self.links:
            asyncio.ensure_future(line.multiplexer.l2cap_channel.connection.disconnect())
        self.links.clear()

    async def start(self):
        await self.device.power_on()
        await self.device.set_discoverable(True)
        await self.device.set_connectable(True)


async def main():
    transport = await open_transport("vhci")
    link = Link()
    KernelController("kernel", {address: pin for pin, address in CLASSIC.items()},
                     host_source=transport.source, host_sink=transport.sink, link=link,
                     public_address="00:AA:01:00:00:02")
    adapters = [Adapter(link, pin, address) for pin, address in CLASSIC.items()]

    def lose():
        for adapter in adapters:
            adapter.lose()

    def lose_at_request():
        Chip.ends_at_request = True

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, lose)
    loop.add_signal_handler(signal.SIGUSR2, lose_at_request)
    for adapter in adapters:
        await adapter.start()
    tell("listening")
    await loop.create_future()


asyncio.run(main())
