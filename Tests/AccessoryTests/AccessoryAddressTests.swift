import Accessory
import Testing

@Suite struct `An accessory's address` {
    // The forms of `-d` (manual page obdscan(1)).
    @Test(arguments: [
        ("/dev/ttyUSB0", AccessoryAddress.serial(path: "/dev/ttyUSB0", rate: nil)),
        ("serial:/dev/ttyUSB0", .serial(path: "/dev/ttyUSB0", rate: nil)),
        ("serial:/dev/ttyUSB0?baud=115200", .serial(path: "/dev/ttyUSB0", rate: 115_200)),
        ("./tty", .serial(path: "./tty", rate: nil)),
        ("/dev/serial/by-id/usb-a:b", .serial(path: "/dev/serial/by-id/usb-a:b", rate: nil)),
        ("tcp:192.168.0.10:35000", .tcp(host: "192.168.0.10", port: 35_000)),
        ("tcp:[::1]:35000", .tcp(host: "::1", port: 35_000)),
        ("tcp:adapter.local:23", .tcp(host: "adapter.local", port: 23)),
        ("bluetooth:OBDLink MX+", .bluetooth(name: "OBDLink MX+")),
        ("sim:", .simulator("")),
        ("sim:city?latency=20ms&ecus=2", .simulator("city?latency=20ms&ecus=2")),
        ("replay:drive.txt", .replay(path: "drive.txt")),
        ("replay:/a:b", .replay(path: "/a:b")),
        ("garage", .alias("garage")),
    ])
    func `is read`(_ text: String, _ address: AccessoryAddress) throws {
        #expect(try AccessoryAddress(text) == address)
        #expect(try AccessoryAddress(address.description) == address)
    }

    @Test func `of Bluetooth is read with and without a channel`() throws {
        let address = try #require(BluetoothAddress("aa:BB:0c:DD:EE:FF"))
        #expect(address.bytes == [0xAA, 0xBB, 0x0C, 0xDD, 0xEE, 0xFF])
        #expect(
            try AccessoryAddress("rfcomm:AA:BB:0C:DD:EE:FF") == .rfcomm(address, channel: nil))
        #expect(try AccessoryAddress("rfcomm:AA:BB:0C:DD:EE:FF/3") == .rfcomm(address, channel: 3))
        #expect(
            AccessoryAddress.rfcomm(address, channel: 3).description == "rfcomm:AA:BB:0C:DD:EE:FF/3"
        )
    }

    @Test(arguments: [
        ("", AddressError.Fault.missing("accessory")),
        ("serial:", .missing("path")),
        ("serial:/dev/ttyS0?parity=even", .unknownOption("parity")),
        ("serial:/dev/ttyS0?baud", .unknownOption("baud")),
        ("serial:/dev/ttyS0?baud=fast", .badValue("baud", "fast")),
        ("serial:/dev/ttyS0?baud=+9600", .badValue("baud", "+9600")),
        ("serial:/dev/ttyS0?baud=0", .badValue("baud", "0")),
        ("serial:/dev/ttyS0?baud=99999999999999999999", .badValue("baud", "99999999999999999999")),
        ("tcp:", .missing("host")),
        ("tcp:host", .missing("port")),
        ("tcp:host:", .badValue("port", "")),
        ("tcp:host:0", .badValue("port", "0")),
        ("tcp:host:65536", .badValue("port", "65536")),
        ("tcp:[::1]", .missing("port")),
        ("tcp:[::1:35000", .badValue("host", "[::1:35000")),
        ("tcp:::1:35000", .badValue("host", "::1:35000")),
        ("rfcomm:AA:BB", .badValue("address", "AA:BB")),
        ("rfcomm:AA:BB:CC:DD:EE:+F", .badValue("address", "AA:BB:CC:DD:EE:+F")),
        ("rfcomm:AA:BB:CC:DD:EE:FF/31", .badValue("channel", "31")),
        ("rfcomm:AA:BB:CC:DD:EE:FF/0", .badValue("channel", "0")),
        ("bluetooth:", .missing("name")),
        ("replay:", .missing("file")),
        ("usb:1", .unknownScheme("usb")),
    ])
    func `says what is wrong with it`(_ text: String, _ fault: AddressError.Fault) {
        #expect(throws: AddressError(fault, in: text)) { try AccessoryAddress(text) }
    }
}
