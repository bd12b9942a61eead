"""doipclient and udsoncan send requests to a simulated gateway, and print the answers as JSON.

doipclient takes the answers of only one ECU, so each ECU gets the requests at its own address."""
import json
import socket
import struct
import sys

from doipclient import DoIPClient
from doipclient.connectors import DoIPClientUDSConnector
import udsoncan
from udsoncan.client import Client

host, port = sys.argv[1], int(sys.argv[2])


class Text(udsoncan.DidCodec):
    def encode(self, value):
        return value.encode()

    def decode(self, payload):
        return payload.decode("ascii")

    def __len__(self):
        raise udsoncan.DidCodec.ReadAllRemainingData


class Raw(Text):
    def decode(self, payload):
        return payload.hex()


found = {}
asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asker.settimeout(5)
for name, question in [("identity", 0x0001), ("entity", 0x4001), ("power", 0x4003)]:
    asker.sendto(struct.pack(">BBHL", 0x02, 0xFD, question, 0), (host, port))
    found[name] = asker.recvfrom(200)[0].hex()

client = DoIPClient(
    host, 0x1010, tcp_port=port, udp_port=port, client_logical_address=0x0E80,
    activation_type=0)
found["entityClass"] = type(client.request_entity_status()).__name__
config = dict(udsoncan.configs.default_client_config)
config["data_identifiers"] = {0xF190: Text(), 0xF187: Raw()}
with Client(DoIPClientUDSConnector(client), config=config, request_timeout=5) as uds:
    found["vin"] = uds.read_data_by_identifier([0xF190]).service_data.values[0xF190]
    uds.tester_present()
    found["session"] = uds.change_session(3).service_data.session_echo
    codes = uds.get_dtc_by_status_mask(0xFF).service_data.dtcs
    found["codes"] = [f"{code.id:06X}" for code in codes]
    try:
        uds.read_data_by_identifier([0xF187])
        found["refused"] = None
    except udsoncan.exceptions.NegativeResponseException as refusal:
        found["refused"] = refusal.response.code
try:
    client.send_diagnostic_to_address(0x1999, bytes([0x3E, 0x00]))
    found["unknown"] = None
except IOError as error:
    found["unknown"] = str(error)
client.close()
try:
    DoIPClient(
        host, 0x1010, tcp_port=port, udp_port=port, client_logical_address=0x1234,
        activation_type=0)
    found["stranger"] = None
except Exception as error:
    found["stranger"] = str(error)
print(json.dumps(found))
