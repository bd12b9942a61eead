import CSystem
import Foundation
import OBDCore
import Synchronization
import SystemIO
import Testing

@testable import Accessory

@Suite struct `Messages of BlueZ` {
    @Test func `the reply to a Bluetooth inquiry lists the devices`() throws {
        let message = try DBusMessage(recordedBlueZReply)
        #expect(message.kind == .reply)
        #expect(message.replySerial == 2)
        let objects = BlueZObjects(message.body)
        #expect(objects.adapters.map(\.path) == ["/org/bluez/hci1"])
        #expect(objects.adapters.map(\.isPowered) == [true])
        let device = try #require(objects.devices.first)
        #expect(objects.devices.count == 1)
        #expect(device.address.description == "00:AA:01:00:00:00")
        #expect(device.title == "00-AA-01-00-00-00")
        #expect(device.name == nil)
        #expect(!device.isPaired && !device.isConnected && !device.isLowEnergyOnly)
    }

    /// Serial Port Profile 1.2: class 1101, and RFCOMM (0003) with the channel.
    @Test func `the reply to a service search has the channel of the serial port`() throws {
        let arguments = SerialPortRecord.arguments(channel: 30, name: "A<B>\"&")
        let message = try DBusMessage(
            DBusMessage.call(
                serial: 3, destination: "org.bluez", path: "/org/bluez",
                interface: "org.bluez.ProfileManager1", member: "RegisterProfile",
                arguments: arguments))
        #expect(message.body.count == 3)
        #expect(message.body[0].text == "/org/obdscan/serial")
        let record = try #require(message.body[2]["ServiceRecord"]?.text)
        #expect(message.body[2]["Role"]?.text == "server")
        #expect(record.contains("<uuid value=\"0x0003\"/><uint8 value=\"0x1E\"/>"))
        #expect(record.contains("<text value=\"AB\"/>"))
    }

    @Test func `a D-Bus message that is cut short is rejected`() throws {
        for count in 0..<recordedBlueZReply.count {
            #expect(throws: DBusFault.self) {
                _ = try DBusMessage(Array(recordedBlueZReply[..<count]))
            }
        }
    }

    @Test func `a D-Bus message with any flipped bit crashes nothing`() {
        for place in recordedBlueZReply.indices {
            for bit in 0..<8 {
                var bytes = recordedBlueZReply
                bytes[place] ^= 1 << bit
                guard let message = try? DBusMessage(bytes) else { continue }
                let objects = BlueZObjects(message.body)
                #expect(objects.devices.count <= 1)
            }
        }
    }

    @Test func `a D-Bus message with endless nesting is refused`() {
        let deep = String(repeating: "a", count: 40) + "y"
        var reader = DBusReader(bytes: [UInt8](repeating: 0, count: 4_096), place: 0)
        #expect(throws: DBusFault.self) { _ = try reader.values(of: "v") }
        reader = DBusReader(bytes: [UInt8](repeating: 0, count: 4_096), place: 0)
        _ = try? reader.values(of: deep)
    }

    @Test(arguments: [
        // A clone with a class but no name yet; a dual-mode adapter; adapters with LE only, which
        // have no class and only GATT services.
        ("class", true, false), ("serial", true, false), ("random", false, true),
        ("gatt", false, true), ("unknown", true, false), ("profiles", true, false),
    ])
    func `adapters of Bluetooth LE and of classic Bluetooth are distinguished`(
        _ kind: String, _ isClassic: Bool, _ isLowEnergyOnly: Bool
    ) throws {
        func entry(_ key: String, _ value: DBusValue) -> DBusValue.Entry {
            DBusValue.Entry(key: .text(key), value: value)
        }
        let gatt = DBusValue.list([.text("0000fff0-0000-1000-8000-00805f9b34fb")])
        let serial = DBusValue.list([.text("00001101-0000-1000-8000-00805F9B34FB")])
        let profiles = DBusValue.list([
            .text("00001200-0000-1000-8000-00805f9b34fb"),
            .text("00001801-0000-1000-8000-00805f9b34fb"),
        ])
        let properties: [DBusValue.Entry] =
            switch kind {
            case "class": [entry("Class", .integer(0x1F00)), entry("UUIDs", gatt)]
            case "serial": [entry("UUIDs", serial)]
            case "random": [entry("AddressType", .text("random")), entry("UUIDs", .list([]))]
            // A device that no inquiry has found. BlueZ knows only the services that it read by SDP.
            case "profiles": [entry("AddressType", .text("public")), entry("UUIDs", profiles)]
            case "gatt": [entry("AddressType", .text("public")), entry("UUIDs", gatt)]
            default: [entry("AddressType", .text("public")), entry("UUIDs", .list([]))]
            }
        let address = try #require(BluetoothAddress("00:1D:A5:68:98:8B"))
        let device = BlueZObjects.Device(address: address, .entries(properties))
        #expect((device.isClassic || device.offersSerialPort) == isClassic)
        #expect(device.isLowEnergyOnly == isLowEnergyOnly)
    }

    @Test func `names match exactly first, then in any case; paired devices come first`() throws {
        func device(_ last: Int, _ name: String, paired: Bool) throws -> BlueZObjects.Device {
            let address = try #require(BluetoothAddress("00:1D:A5:68:98:0\(last)"))
            return BlueZObjects.Device(
                address: address,
                .entries([
                    DBusValue.Entry(key: .text("Name"), value: .text(name)),
                    DBusValue.Entry(key: .text("Paired"), value: .boolean(paired)),
                ]))
        }
        var objects = BlueZObjects([])
        objects.devices = [
            try device(1, "OBDII", paired: false), try device(2, "OBDII", paired: true),
            try device(3, "Vgate", paired: false), try device(4, "Vgate", paired: false),
        ]
        func found(_ name: String) -> [String] {
            objects.devices(named: name).map { String($0.address.description.suffix(2)) }
        }
        #expect(found("OBDII") == ["02"])
        #expect(found("obdii") == ["02"])
        #expect(found("Vgate") == ["03", "04"])
        #expect(found("OBD") == [])
    }
}

/// A message bus with one user.
///
/// The bus answers with the replies that a test gives it.
private final class FakeBus: Sendable {
    let path: String
    private let listener: Int32
    let calls = Mutex<[String]>([])

    /// `reply` gets the serial number and the name of a call.
    init(_ reply: @escaping @Sendable (UInt32, String) -> [UInt8]?) throws {
        (listener, path) = try ListeningSockets.local()
        let thread = try SystemThread { [self, listener] in
            let host = accept(listener, nil, nil)
            serve(host, reply)
            close(host)
        }
        thread.detach()
    }

    deinit {
        close(listener)
        unlink(path)
    }

    private func serve(_ host: Int32, _ reply: (UInt32, String) -> [UInt8]?) {
        var bytes: [UInt8] = []
        var isIn = false
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(host, &buffer, buffer.count)
            if count <= 0 { return }
            bytes += buffer[..<count]
            if !isIn {
                if bytes.contains(UInt8(ascii: "A")), !bytes.contains(UInt8(ascii: "B")) {
                    send(Array("OK 0123\r\n".utf8), host)
                }
                let begin = Array("BEGIN\r\n".utf8)
                guard let end = bytes.firstRange(of: begin)?.upperBound else { continue }
                bytes.removeFirst(end)
                isIn = true
            }
            while let length = try? DBusMessage.length(of: bytes), bytes.count >= length {
                let call = try? DBusMessage(Array(bytes[..<length]))
                bytes.removeFirst(length)
                guard let call, let member = call.member else { return }
                calls.withLock { $0.append(member) }
                guard let answer = reply(call.serial, member) else { return }
                send(answer, host)
            }
        }
    }

    private func send(_ bytes: [UInt8], _ host: Int32) {
        _ = bytes.withUnsafeBytes { sys_write(host, $0.baseAddress, $0.count) }
    }

    /// A reply without a body.
    static func empty(_ serial: UInt32, error: Bool = false) -> [UInt8] {
        var fields = DBusWriter()
        fields.align(to: 8)
        fields.bytes += [5]
        fields.signature("u")
        fields.word(serial)
        if error { fields.field(4, "s", "org.bluez.Error.NotReady") }
        var message = DBusWriter()
        message.bytes = [UInt8(ascii: "l"), error ? 3 : 2, 0, 1]
        message.word(0)
        message.word(7)
        message.word(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes
    }

    /// The recorded reply, changed into a reply to the call `serial`.
    static func objects(_ serial: UInt32) -> [UInt8] {
        var bytes = recordedBlueZReply
        // The serial number is a byte in field 5 of the header, after `05 01 75 00`.
        if let place = bytes.firstRange(of: [5, 1, 0x75, 0])?.upperBound {
            bytes[place] = UInt8(truncatingIfNeeded: serial)
        }
        return bytes
    }
}

@Suite struct `The system bus` {
    private var soon: Instant { SystemClock.now() + .seconds(5) }

    @Test func `the bus returns the objects of BlueZ`() throws {
        let fake = try FakeBus { serial, member in
            member == "GetManagedObjects" ? FakeBus.objects(serial) : FakeBus.empty(serial)
        }
        var bus = try SystemBus(path: fake.path, until: soon, cancelledBy: nil)
        let objects = try BlueZ.objects(&bus, until: soon)
        #expect(objects.devices.count == 1)
        #expect(fake.calls.withLock { $0 } == ["Hello", "GetManagedObjects"])
    }

    @Test func `a system bus that refuses, hangs up or sends nonsense gives an error`() throws {
        let refusing = try FakeBus { serial, member in
            FakeBus.empty(serial, error: member != "Hello")
        }
        let (path, limit) = (refusing.path, soon)
        #expect(throws: SystemBus.Fault.refused("org.bluez.Error.NotReady")) {
            var bus = try SystemBus(path: path, until: limit, cancelledBy: nil)
            _ = try BlueZ.objects(&bus, until: limit)
        }
        let leaving = try FakeBus { _, _ in nil }
        #expect(throws: SystemBus.Fault.self) {
            _ = try SystemBus(path: leaving.path, until: limit, cancelledBy: nil)
        }
        let mad = try FakeBus { _, _ in [UInt8](repeating: 0x42, count: 64) }
        #expect(throws: SystemBus.Fault.nonsense) {
            _ = try SystemBus(path: mad.path, until: limit, cancelledBy: nil)
        }
        #expect(throws: SystemBus.Fault.unavailable(errno: ENOENT)) {
            _ = try SystemBus(path: "/nowhere/bus", until: limit, cancelledBy: nil)
        }
    }

    @Test func `the time limit or the user ends the wait for a silent bus`() throws {
        let silent = try FakeBus { _, _ in [] }
        let limit = SystemClock.now() + .milliseconds(50)
        #expect(throws: SystemBus.Fault.timedOut) {
            _ = try SystemBus(path: silent.path, until: limit, cancelledBy: nil)
        }
        let flag = try EventDescriptor()
        flag.signal()
        let other = try FakeBus { _, _ in [] }
        #expect(throws: SystemBus.Fault.cancelled) {
            _ = try SystemBus(path: other.path, until: soon, cancelledBy: flag.descriptor)
        }
    }
}
