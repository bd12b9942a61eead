import Accessory
import Testing

private let registry = TransportRegistry.system

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
        ("bluetooth:OBDLink MX+", AccessoryAddress(BluetoothNameTransport(name: "OBDLink MX+"))),
    ])
    func `each form of an address is read`(_ text: String, _ address: AccessoryAddress) throws {
        #expect(try registry.address(text) == address)
        #expect(try registry.address(address.description) == address)
    }

    /// The text that a user types, and the text that is printed.
    @Test(arguments: [
        ("doip:", "doip:"), ("doip:192.168.1.10", "doip:192.168.1.10"),
        ("doip:192.168.1.10:13400", "doip:192.168.1.10"),
        ("doip:gateway.local:13401", "doip:gateway.local:13401"),
        ("doip:[fe80::1%eth0]", "doip:[fe80::1%eth0]"),
        ("doip:[::1]:1?functional=e400&source=0e81", "doip:[::1]:1?source=0E81&functional=E400"),
        ("doip:host?version=3", "doip:host?version=3"),
        ("ble:d2:e0:2f:8d:54:d5", "ble:D2:E0:2F:8D:54:D5"),
        ("ble:D2:E0:2F:8D:54:D5?pin=000042", "ble:D2:E0:2F:8D:54:D5?pin=000042"),
    ])
    func `a printed address of a gateway or of Bluetooth LE can be read again`(
        typed: String, printed: String
    ) throws {
        let address = try registry.address(typed)
        #expect(address.description == printed)
        #expect(try registry.address(printed) == address)
    }

    @Test func `messages and memory do not show the pairing number`() throws {
        let address = try registry.address("ble:D2:E0:2F:8D:54:D5?pin=123456")
        #expect(address.transport.name == "ble:D2:E0:2F:8D:54:D5")
        #expect(address.transport.memoryKey == "ble:D2:E0:2F:8D:54:D5")
        #expect(address.transport.personalParts.contains("123456"))
    }

    @Test func `a Bluetooth address is read with and without a channel`() throws {
        let address = try #require(BluetoothAddress("aa:BB:0c:DD:EE:FF"))
        #expect(address.bytes == [0xAA, 0xBB, 0x0C, 0xDD, 0xEE, 0xFF])
        #expect(
            try registry.address("rfcomm:AA:BB:0C:DD:EE:FF") == .rfcomm(address, channel: nil))
        #expect(try registry.address("rfcomm:AA:BB:0C:DD:EE:FF/3") == .rfcomm(address, channel: 3))
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
        ("usb:1", .unknownScheme("usb")), ("sim:", .unknownScheme("sim")),
        ("./a:b", .unknownScheme("./a")),
        ("garage", .name),
        ("doip:host:0", .badValue("port", "0")),
        ("doip:::1", .badValue("host", "::1")),
        ("doip:host?source=E80", .badValue("source address", "E80")),
        ("doip:host?source=0000", .badValue("source address", "0000")),
        ("doip:host?functional=E4001", .badValue("functional address", "E4001")),
        ("doip:host?version=9", .badValue("version", "9")),
        ("doip:host?vin=1", .unknownOption("vin")),
        ("ble:AA:BB", .badValue("address", "AA:BB")),
        ("ble:AA:BB:CC:DD:EE:FF?pin=1234567", .badValue("pin", "1234567")),
        ("ble:AA:BB:CC:DD:EE:FF?pin=12x", .badValue("pin", "12x")),
        ("ble:AA:BB:CC:DD:EE:FF?service=fff", .badValue("service", "fff")),
        ("ble:AA:BB:CC:DD:EE:FF?reply=maybe", .badValue("reply", "maybe")),
    ])
    func `an error names the fault in an address`(_ text: String, _ fault: AddressError.Fault) {
        #expect(throws: AddressError(fault, in: text)) { try registry.address(text) }
    }
}

/// A transport from a module that ``Accessory`` does not know.
private struct PipeTransport: Transport {
    static let form = TransportForm("pipe", short: "pipe:NAME")
    let label: String

    init(_ rest: Substring, of text: String) throws(AddressError) {
        if rest.isEmpty { throw AddressError(.missing("name"), in: text) }
        label = String(rest)
    }

    var description: String { "pipe:\(label)" }

    func open(
        within limit: Duration, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? { nil }
}

@Suite struct `A transport` {
    @Test func `a registered transport is known`() throws {
        let more = registry.adding([PipeTransport.self])
        let address = try more.address("pipe:a")
        #expect(try more.address("\(address)") == address)
        #expect(try more.address("pipe:b") != address)
        #expect(more.forms.last?.short == "pipe:NAME")
        #expect(throws: AddressError(.missing("name"), in: "pipe:")) { try more.address("pipe:") }
        // The defaults of `Transport` fit most transports.
        let transport = address.transport
        #expect(transport.identity == "pipe:a" && transport.memoryKey == "pipe:a")
        #expect(transport.isExclusive && !transport.isServedHere)
        #expect(transport.findings(lineRate: nil) == [AccessoryFinding(.link, "connected")])
    }

    @Test
    func `each transport has its own scheme, and its form begins with the scheme or is a path`() {
        #expect(Set(registry.forms.map(\.scheme)).count == registry.forms.count)
        for form in registry.forms {
            for text in [form.short] + form.full {
                #expect(text.hasPrefix("\(form.scheme):") || text.hasPrefix("/"), "\(text)")
            }
        }
    }

    @Test(arguments: [
        // Two addresses, and whether they mean the same device.
        ("tcp:Adapter.local:23", "tcp:adapter.LOCAL:23", true),
        ("tcp:adapter.local:23", "tcp:adapter.local:24", false),
        ("rfcomm:00:1D:A5:68:98:8B", "rfcomm:00:1d:a5:68:98:8b/3", true),
        ("rfcomm:00:1D:A5:68:98:8B", "rfcomm:00:1D:A5:68:98:8C", false),
        ("/dev/null", "serial:/proc/self/root/dev/null?baud=9600", true),
        ("/dev/null", "/dev/zero", false),
        ("bluetooth:OBDII", "bluetooth:V-LINK", false),
    ])
    func `addresses of different adapters differ`(_ one: String, _ other: String, _ isSame: Bool)
        throws
    {
        let first = try registry.address(one).transport
        let second = try registry.address(other).transport
        #expect((first.identity == second.identity) == isSame)
    }

    @Test(arguments: [
        // The number of a pty soon belongs to a different one. A line rate can be found again.
        ("/dev/pts/7", nil), ("serial:/dev/obdscan-none?baud=9600", "serial:/dev/obdscan-none"),
        ("tcp:h:1", "tcp:h:1"), ("rfcomm:00:1D:A5:68:98:8B/3", "rfcomm:00:1D:A5:68:98:8B/3"),
        ("bluetooth:OBDII", "bluetooth:OBDII"),
    ])
    func `an adapter is remembered by the part of its address that stays the same`(
        _ text: String, _ key: String?
    ) throws {
        #expect(try registry.address(text).transport.memoryKey == key)
    }

    @Test
    func `an address finds the attached adapter whatever its channel, rate or letter case`() throws
    {
        let device = try #require(BluetoothAddress("00:1D:A5:68:98:8B"))
        let bluetooth = Accessory(
            address: .rfcomm(device, channel: nil), connectionID: 1, name: "OBDII")
        var serial = Accessory(
            address: .serial(path: "/dev/ttyUSB0", rate: nil), connectionID: 2, name: "OBDII")
        serial.stablePath = "/dev/serial/by-id/usb-a"
        for (text, isBluetooth, isSerial) in [
            ("rfcomm:00:1D:A5:68:98:8B/3", true, false), ("bluetooth:obdii", true, false),
            ("/dev/ttyUSB0", false, true), ("serial:/dev/ttyUSB0?baud=9600", false, true),
            ("/dev/serial/by-id/usb-a", false, true), ("/dev/ttyUSB1", false, false),
            ("tcp:h:1", false, false),
        ] {
            let transport = try registry.address(text).transport
            #expect(transport.leads(to: bluetooth) == isBluetooth, "\(text)")
            #expect(transport.leads(to: serial) == isSerial, "\(text)")
        }
    }
}
