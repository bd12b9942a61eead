import CSystem
import Foundation
import Glibc
import OBDCore
import Synchronization
import SystemIO
import Testing

@testable import Accessory

private func bytes(_ hex: String) -> [UInt8] { Hex.bytes(hex) ?? [] }

@Suite struct `Pairing by Bluetooth` {
    private static let device = "/org/bluez/hci0/dev_AA"

    /// dbus-next 0.2.3 encodes these messages the same way.
    @Test func `the agent's answers have the same bytes as in another library`() throws {
        let call = try DBusMessage(
            bytes(
                "6c0100011b000000070000006f00000001016f00120000002f6f72672f6f62647363616e2f6167656e74"
                    + "00000000000002017300100000006f72672e626c75657a2e4167656e74310000000000000000"
                    + "030173000e0000005265717565737450696e436f6465000006017300040000003a312e390000"
                    + "000008016700016f0000160000002f6f72672f626c75657a2f686369302f6465765f414100"))
        #expect(call.kind == .call && call.member == "RequestPinCode" && call.sender == nil)
        var asked = call
        asked.sender = ":1.4"
        #expect(
            DBusMessage.reply(to: asked, serial: 3, [.text("0000")])
                == bytes(
                    "6c02000109000000030000001f000000050175000700000006017300040000003a312e3400000000"
                        + "0801670001730000040000003030303000"))
        #expect(
            DBusMessage.reply(to: asked, serial: 3, [.number(1234)])
                == bytes(
                    "6c02000104000000030000001f000000050175000700000006017300040000003a312e3400000000"
                        + "0801670001750000d2040000"))
        #expect(
            DBusMessage.refusal(of: asked, serial: 3, "org.bluez.Error.Rejected")
                == bytes(
                    "6c03000100000000030000003d00000004017300180000006f72672e626c75657a2e4572726f722e"
                        + "52656a65637465640000000000000000050175000700000006017300040000003a312e34"
                        + "00000000"))
        #expect(
            DBusMessage.call(
                serial: 9, destination: "org.bluez", path: Self.device,
                interface: "org.freedesktop.DBus.Properties", member: "Set",
                arguments: [.text("org.bluez.Device1"), .text("Trusted"), .variant(true)]
            ).suffix(0x2C)
                == bytes(
                    "110000006f72672e626c75657a2e446576696365310000000700000054727573746564000162"
                        + "000001000000"))
    }

    private func ask(_ member: String, _ device: String, pin: String) throws -> DBusMessage? {
        let call = try DBusMessage(
            DBusMessage.call(
                serial: 5, destination: ":1.9", path: PairingAgent.path,
                interface: "org.bluez.Agent1", member: member, arguments: [.path(device)]))
        return try PairingAgent(device: Self.device, pin: pin).answer(to: call, serial: 1)
            .map { try DBusMessage($0) }
    }

    @Test func `the agent answers for its device and refuses every other device`() throws {
        let pin = try #require(try ask("RequestPinCode", Self.device, pin: "0000"))
        #expect(pin.kind == .reply && pin.replySerial == 5 && pin.body == [.text("0000")])
        let key = try #require(try ask("RequestPasskey", Self.device, pin: "0000"))
        #expect(key.body == [.integer(0)])
        #expect(try ask("RequestPasskey", Self.device, pin: "secret")?.kind == .error)
        for member in ["RequestPinCode", "RequestConfirmation", "AuthorizeService"] {
            #expect(try ask(member, Self.device + "B", pin: "1")?.kind == .error)
            #expect(try ask(member, Self.device, pin: "1")?.kind == .reply)
        }
        #expect(try ask("Shout", Self.device, pin: "1")?.kind == .error)
    }

    /// The device's PIN, the numbers that are tried, and the number that works.
    @Test(
        arguments: [
            ("1234", ["1234", "0000"], "1234"), ("0000", ["1234", "0000"], "0000"),
            ("4321", ["1234", "0000"], nil),
        ] as [(String, [String], String?)])
    func `PINs are tried until the device accepts a PIN`(
        right: String, given: [String], taken: String?
    ) throws {
        let bus = try PairingBlueZ(pin: right)
        let address = try #require(BluetoothAddress("00:AA:01:00:00:00"))
        var tried: [String] = []
        func pair() throws(AccessoryError) -> String? {
            try BluetoothPairing.pair(
                address, pins: given, on: bus.path, cancelledBy: nil, trying: { tried.append($0) })
        }
        if let taken {
            #expect(try pair() == taken)
            #expect(bus.calls().suffix(2) == ["Pair", "Set"])
        } else {
            do throws(AccessoryError) {
                _ = try pair()
                Issue.record("it was paired")
            } catch {
                #expect(error.isRefusedPairing)
            }
        }
        #expect(tried == Array(given.prefix(taken == "1234" ? 1 : 2)))
    }

    @Test func `a search lists the devices in range, then ends the discovery`() throws {
        let bus = try PairingBlueZ(pin: "")
        let found = try #require(
            try BluetoothPairing.search(for: .milliseconds(50), on: bus.path, cancelledBy: nil))
        #expect(found.map(\.address.description) == ["00:AA:01:00:00:00"])
        #expect(found.map(\.isPaired) == [false])
        #expect(
            bus.calls() == [
                "Hello", "GetManagedObjects", "SetDiscoveryFilter", "StartDiscovery",
                "GetManagedObjects", "StopDiscovery",
            ])
    }
}

/// A bus with BlueZ, which knows one device.
private final class PairingBlueZ: Sendable {
    let path: String
    private let listener: Int32
    private let heard = Mutex<[String]>([])

    init(pin: String) throws {
        path = NSTemporaryDirectory() + "bus-\(UUID().uuidString.prefix(8))"
        listener = sys_stream_socket(AF_UNIX, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            for (index, byte) in path.utf8.enumerated() { room[index] = byte }
        }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0 && listen(listener, 1) == 0)
        Thread.detachNewThread { [self] in serve(pin: pin) }
    }

    deinit {
        close(listener)
        unlink(path)
    }

    /// The calls in their order.
    func calls() -> [String] { heard.withLock { $0 } }

    private func serve(pin: String) {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, 10_000)
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        var received: [UInt8] = []
        func fill() -> Bool {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(client, &buffer, buffer.count)
            if count > 0 { received += buffer[..<count] }
            return count > 0
        }
        func send(_ bytes: [UInt8]) {
            _ = bytes.withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
        }
        func next() -> DBusMessage? {
            while true {
                if let length = (try? DBusMessage.length(of: received)) ?? nil,
                    received.count >= length
                {
                    defer { received.removeFirst(length) }
                    return try? DBusMessage(Array(received[..<length]))
                }
                if !fill() { return nil }
            }
        }
        while received.last != 0x0A { if !fill() { return } }
        received = []
        send(Array("OK 1234\r\n".utf8))
        let begin = Array("BEGIN\r\n".utf8)
        while !received.starts(with: begin) { if !fill() { return } }
        received.removeFirst(begin.count)
        while let call = next() {
            guard call.kind == .call, let member = call.member else { continue }
            heard.withLock { $0.append(member) }
            switch member {
            case "GetManagedObjects": send(Self.objects(replyTo: call.serial))
            case "Pair":
                send(
                    DBusMessage.call(
                        serial: 900, destination: ":1.1", path: PairingAgent.path,
                        interface: "org.bluez.Agent1", member: "RequestPinCode",
                        arguments: [.path(call.path ?? "")]))
                let said = next()
                let isRight = said?.replySerial == 900 && said?.body.first?.text == pin
                send(
                    isRight
                        ? DBusMessage.reply(to: call, serial: 901)
                        : DBusMessage.refusal(
                            of: call, serial: 901, "org.bluez.Error.AuthenticationFailed"))
            default: send(DBusMessage.reply(to: call, serial: 902))
            }
        }
    }

    /// The recorded reply, changed into a reply to another call.
    private static func objects(replyTo serial: UInt32) -> [UInt8] {
        var bytes = recordedBlueZReply
        let field: [UInt8] = [5, 1, UInt8(ascii: "u"), 0]
        guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: field) }) else {
            return []
        }
        withUnsafeBytes(of: serial.littleEndian) { raw in
            for (index, byte) in raw.enumerated() { bytes[place + 4 + index] = byte }
        }
        return bytes
    }
}
