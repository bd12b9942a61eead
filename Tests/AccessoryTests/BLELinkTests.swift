import Glibc
import OBDCore
import SystemIO
import Testing

@testable import Accessory

/// A Bluetooth LE adapter as a stream, over the test's own daemon.
@Suite struct `A Bluetooth LE link` {
    private static let notify = "notify"
    private static let write = "write"
    private static let command = "write-without-response"

    private func target(_ bluez: FakeBlueZ, pin: String? = nil) throws -> BLELink.Target {
        let address = try #require(BluetoothAddress("D2:E0:2F:8D:54:D5"))
        var limits = BLELink.Limits()
        limits.search = .milliseconds(300)
        limits.services = .milliseconds(300)
        limits.subscribe = .milliseconds(500)
        limits.probe = .milliseconds(300)
        limits.pairing = .milliseconds(300)
        return BLELink.Target(
            address: address, name: "ble:\(address)", pin: pin, bus: bluez.path, limits: limits)
    }

    /// Opens a link.
    private func open(_ target: BLELink.Target) throws -> DescriptorSession {
        guard let session = try BLELink.open(target, cancelledBy: nil) else {
            throw CancellationError()
        }
        return session
    }

    /// Sends a line and returns the text up to the prompt.
    ///
    /// Ends after ten seconds, or with the link.
    private func ask(_ line: String, _ session: inout DescriptorSession) throws -> String {
        try session.write(Array((line + "\r").utf8))
        var answer: [UInt8] = []
        var set = PollSet()
        let deadline = SystemClock.now() + .seconds(10)
        while answer.last != UInt8(ascii: ">") {
            set.removeAll()
            set.add(session.descriptor)
            if try set.wait(until: deadline) == 0 { break }
            answer += try session.receive()
        }
        return String(decoding: answer, as: UTF8.self)
    }

    @Test func `commands and answers pass over Bluetooth LE in packets`() throws {
        var setup = FakeBlueZ.Setup()
        setup.answers["0902"] = String(repeating: "7E8 10 14 49 02 01 31 48\r", count: 40)
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        var session = try open(target(bluez))
        #expect(try ask("ATI", &session) == "ELM327 v1.5\r\r>")
        #expect(try ask("0902", &session) == (setup.answers["0902"] ?? "") + "\r\r>")
        let long = "AT" + String(repeating: "X", count: 60)
        #expect(try ask(long, &session) == "?\r\r>")
        #expect(bluez.writes.map(\.count).max() == 20)
        #expect(bluez.writes.flatMap(\.self) == Array("ATI\r0902\r\(long)\r".utf8))
        #expect(bluez.writeKinds == ["command"])
        #expect(bluez.calls.contains("Connect"))
    }

    @Test func `writes ask for a response where the adapter accepts no other write`() throws {
        var setup = FakeBlueZ.Setup()
        setup.rows = [.init("FEE0", ("FEE1", [Self.notify]), ("FEE3", [Self.write]))]
        setup.mtu = 247
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        var session = try open(target(bluez))
        #expect(try ask("ATI", &session) == "ELM327 v1.5\r\r>")
        #expect(bluez.writeKinds == ["request"])
    }

    @Test func `each of several GATT services is tried for an adapter`() throws {
        var setup = FakeBlueZ.Setup()
        setup.rows = [
            .init("FFF0", ("FFF1", [Self.notify]), ("FFF2", [Self.command])),
            .init("FFE0", ("FFE1", [Self.notify, Self.command])),
        ]
        setup.speaking = "FFE0"
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        var session = try open(target(bluez))
        #expect(try ask("010C", &session) == "41 0C 1A F8\r\r>")
        #expect(bluez.calls.filter { $0 == "StartNotify" }.count == 2)
        #expect(bluez.calls.contains("StopNotify"))
    }

    @Test func `an unknown adapter is searched for`() throws {
        var setup = FakeBlueZ.Setup()
        setup.isKnown = false
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        var session = try open(target(bluez))
        #expect(try ask("ATI", &session) == "ELM327 v1.5\r\r>")
        #expect(bluez.calls.contains("StopDiscovery"))
    }

    @Test func `the given number is used for pairing`() throws {
        var setup = FakeBlueZ.Setup()
        setup.passkey = 123_456
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        var session = try open(target(bluez, pin: "123456"))
        #expect(try ask("ATI", &session) == "ELM327 v1.5\r\r>")
    }

    @Test func `the link ends with the connection and can be opened again`() throws {
        var setup = FakeBlueZ.Setup()
        setup.losingLine = "ATDISC"
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        var session = try open(target(bluez))
        #expect(try ask("ATI", &session) == "ELM327 v1.5\r\r>")
        do {
            _ = try ask("ATDISC", &session)
            Issue.record("the loss was not noticed")
        } catch let error as AccessoryError {
            #expect(error.isLoss)
        }
        var again = try open(target(bluez))
        #expect(try ask("ATI", &again) == "ELM327 v1.5\r\r>")
    }

    @Test func `a new connection waits for the end of the earlier connection`() throws {
        var setup = FakeBlueZ.Setup()
        setup.isLeaving = true
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        var session = try open(target(bluez))
        #expect(try ask("ATI", &session) == "ELM327 v1.5\r\r>")
        #expect(bluez.calls.contains("Connect"))
        // It made the connection, and so it also ends it.
        session.close()
        #expect(bluez.awaitCall("Disconnect"))
    }

    /// BlueZ's texts for a connection that failed (src/device.c), and whether a new pairing helps.
    @Test(arguments: [
        ("le-connection-abort-by-local", false), ("le-connection-abort-by-remote", false),
        ("le-connection-refused", false), ("le-connection-timeout", false),
        ("le-connection-concurrent-connection-limit", false),
        ("le-connection-gatt-browsing", false), ("le-connection-key-missing", true),
        ("Operation already in progress", false), ("", false),
    ])
    func `a failed connection is explained with a remedy`(text: String, isOfPairing: Bool) {
        let words = BLEFault.notConnected(address: Self.name, reason: text).words
        #expect(
            words.explanation.message == "\(Self.name): no connection"
                + (text.isEmpty ? "" : " (\(text))"))
        #expect(words.explanation.category == (isOfPairing ? .noPermission : .unavailable))
        #expect(words.explanation.hint?.contains("D2:E0:2F:8D:54:D5") == !text.contains("limit"))
    }

    /// Told to disconnect then, the daemon of BlueZ 5.66 crashes at the next subscription.
    @Test
    func `BlueZ keeps a pairing without its number, and the adapter is paired later`() throws {
        var setup = FakeBlueZ.Setup()
        setup.passkey = 123_456
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        do {
            _ = try BLELink.open(target(bluez), cancelledBy: nil)
            Issue.record("it was opened")
        } catch let error as AccessoryError {
            #expect(error == AccessoryError(BLEFault.wantsPairing(address: Self.name)))
        }
        #expect(bluez.calls.contains("Connect") && !bluez.calls.contains("Disconnect"))
        let begun = SystemClock.now()
        var session = try open(target(bluez, pin: "123456"))
        #expect(SystemClock.now() - begun >= .milliseconds(300))
        #expect(try ask("ATI", &session) == "ELM327 v1.5\r\r>")
    }

    @Test func `a connection that existed before is left connected`() throws {
        let bluez = try FakeBlueZ()
        defer { bluez.end() }
        var session = try open(target(bluez))
        _ = try ask("ATI", &session)
        session.close()
        #expect(bluez.awaitCall("Disconnect"))
        #expect(bluez.calls.suffix(2) == ["StopNotify", "Disconnect"])
    }

    /// A fault in the set-up, and the error that it leads to.
    struct Fault: Sendable {
        var change: @Sendable (inout FakeBlueZ.Setup) -> Void
        var pin: String?
        var fault: BLEFault
    }

    private static let name = "ble:D2:E0:2F:8D:54:D5"
    static let faults: [Fault] = [
        Fault(
            change: {
                $0.isKnown = false
                $0.isInReach = false
            }, fault: .unseen(address: name)),
        Fault(
            change: { $0.connectError = "le-connection-abort-by-local" },
            fault: .notConnected(address: name, reason: "le-connection-abort-by-local")),
        Fault(change: { $0.resolves = false }, fault: .noServices(address: name)),
        Fault(
            change: { $0.rows = [.init("180F", ("2A19", ["read", "notify"]))] },
            fault: .noSerialLine(address: name, services: [])),
        Fault(
            change: {
                $0.rows = [
                    .init("FFF0", ("FFF1", ["notify"]), ("FFF2", ["write"])),
                    .init("FFE0", ("FFE1", ["notify", "write"])),
                ]
                $0.speaking = "none"
            }, fault: .noAdapter(address: name, services: ["FFF0", "FFE0"])),
        Fault(change: { $0.passkey = 123_456 }, fault: .wantsPairing(address: name)),
        Fault(change: { $0.passkey = 123_456 }, pin: "1", fault: .wrongPIN(address: name)),
        Fault(change: { $0.subscribes = false }, fault: .pairingUnanswered(address: name)),
        Fault(change: { $0.isNotifying = true }, fault: .inUse(address: name)),
        // Names and texts of BlueZ 5.66, src/gatt-client.c and src/error.c.
        Fault(
            change: { $0.notifyError = ("org.bluez.Error.NotPermitted", "Notify acquired") },
            fault: .inUse(address: name)),
        Fault(
            change: { $0.notifyError = ("org.bluez.Error.InProgress", "In Progress") },
            fault: .inUse(address: name)),
        Fault(
            change: { $0.notifyError = ("org.bluez.Error.NotPermitted", "Not paired") },
            fault: .wantsPairing(address: name)),
        Fault(
            change: {
                $0.notifyError = ("org.bluez.Error.NotAuthorized", "Operation Not Authorized")
            },
            fault: .wantsPairing(address: name)),
        Fault(
            change: { $0.notifyError = ("org.bluez.Error.NotConnected", "Not Connected") },
            fault: .notConnected(address: name, reason: "Not Connected")),
        Fault(
            change: {
                $0.notifyError = ("org.bluez.Error.NotSupported", "Operation is not supported")
            }, fault: .notSubscribed(address: name, reason: "Operation is not supported")),
        Fault(
            change: {
                $0.notifyError = ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80")
            },
            fault: .notSubscribed(address: name, reason: "Operation failed with ATT error: 0x80")),
    ]

    @Test(arguments: faults)
    func `the error says why the link cannot be opened`(one: Fault) throws {
        var setup = FakeBlueZ.Setup()
        one.change(&setup)
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        do {
            _ = try BLELink.open(target(bluez, pin: one.pin), cancelledBy: nil)
            Issue.record("it was opened")
        } catch let error as AccessoryError {
            #expect(error == AccessoryError(one.fault))
            #expect(error.explanation.hint?.isEmpty == false)
        }
    }

    @Test func `opening can be cancelled`() throws {
        var setup = FakeBlueZ.Setup()
        setup.subscribes = false
        let bluez = try FakeBlueZ(setup)
        defer { bluez.end() }
        let flag = try EventDescriptor()
        var target = try target(bluez)
        target.limits.subscribe = .seconds(60)
        try SystemThread {
            if bluez.awaitCall("StartNotify") { flag.signal() }
        }.detach()
        if case .some = try BLELink.open(target, cancelledBy: flag.descriptor) {
            Issue.record("it was opened")
        }
    }
}
