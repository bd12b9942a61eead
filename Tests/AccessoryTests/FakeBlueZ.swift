import CSystem
import Foundation
import Glibc
import OBDCore
import Synchronization
import SystemIO
import Testing

@testable import Accessory

/// A D-Bus value for a fake daemon.
indirect enum WireValue {
    case text(String)
    case path(String)
    case flag(Bool)
    case short(UInt16)
    case bytes([UInt8])
    case texts([String])
    /// a{sv}
    case properties([(String, WireValue)])
    /// a{sa{sv}}
    case interfaces([(String, [(String, WireValue)])])
    /// a{oa{sa{sv}}}
    case objects([(String, [(String, [(String, WireValue)])])])

    var signature: String {
        switch self {
        case .text: "s"
        case .path: "o"
        case .flag: "b"
        case .short: "q"
        case .bytes: "ay"
        case .texts: "as"
        case .properties: "a{sv}"
        case .interfaces: "a{sa{sv}}"
        case .objects: "a{oa{sa{sv}}}"
        }
    }

    func write(to writer: inout DBusWriter) {
        switch self {
        case .text(let text), .path(let text): writer.text(text)
        case .flag(let flag): writer.word(flag ? 1 : 0)
        case .short(let number):
            writer.align(to: 2)
            writer.bytes += [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
        case .bytes(let bytes):
            writer.word(UInt32(bytes.count))
            writer.bytes += bytes
        case .texts(let texts):
            Self.array(4, &writer) { writer in for text in texts { writer.text(text) } }
        case .properties(let entries):
            Self.array(8, &writer) { writer in
                for (key, value) in entries {
                    writer.align(to: 8)
                    writer.text(key)
                    writer.signature(value.signature)
                    value.write(to: &writer)
                }
            }
        case .interfaces(let entries):
            Self.array(8, &writer) { writer in
                for (key, value) in entries {
                    writer.align(to: 8)
                    writer.text(key)
                    WireValue.properties(value).write(to: &writer)
                }
            }
        case .objects(let entries):
            Self.array(8, &writer) { writer in
                for (key, value) in entries {
                    writer.align(to: 8)
                    writer.text(key)
                    WireValue.interfaces(value).write(to: &writer)
                }
            }
        }
    }

    /// An array begins with its length, which excludes the padding before the first member.
    private static func array(
        _ boundary: Int, _ writer: inout DBusWriter, _ members: (inout DBusWriter) -> Void
    ) {
        writer.word(0)
        let length = writer.bytes.count - 4
        writer.align(to: boundary)
        let start = writer.bytes.count
        members(&writer)
        let count = UInt32(writer.bytes.count - start)
        for byte in 0..<4 {
            writer.bytes[length + byte] = UInt8(truncatingIfNeeded: count >> UInt32(8 * byte))
        }
    }
}

/// A fake daemon that manages one LE adapter, on its own bus.
final class FakeBlueZ: Sendable {
    /// The behaviour of its adapter.
    struct Setup: Sendable {
        var rows = [
            GATTLayoutTests.Row(
                "FFF0", ("FFF1", ["notify"]), ("FFF2", ["write", "write-without-response"]))
        ]
        var mtu: UInt16? = 23
        /// Whether BlueZ knows the device before a search.
        var isKnown = true
        /// Whether a search finds it.
        var isInReach = true
        /// The error that Connect returns; nil = it connects.
        var connectError: String?
        /// Whether the services are resolved.
        var resolves = true
        /// The number that it demands when a value is subscribed; nil = none.
        var passkey: UInt32?
        /// Whether it answers StartNotify.
        var subscribes = true
        /// The error that StartNotify returns, its name and its text; nil = none.
        var notifyError: (name: String, text: String)?
        /// Whether another program listens already.
        var isNotifying = false
        /// Whether it is connected at first, and BlueZ is about to disconnect it.
        var isLeaving = false
        /// The service of the adapter that answers; nil = all.
        var speaking: String?
        /// The adapter's answers by line.
        var answers = ["ATI": "ELM327 v1.5", "010C": "41 0C 1A F8"]
        /// The line after which the link is lost.
        var losingLine: String?
    }

    private struct State {
        var calls: [String] = []
        var writes: [[UInt8]] = []
        var writeKinds: Set<String> = []
        var isConnected = false
        var isPaired = false
        var line: [UInt8] = []
        var serial: UInt32 = 100
        /// A StartNotify that waits for the number.
        var awaited: DBusMessage?
    }

    let path: String
    private let setup: Setup
    private let listener: Int32
    private let state = Mutex(State())
    /// Readable after a call since the last check by ``awaitCall(_:)``.
    private let news: EventDescriptor

    var calls: [String] { state.withLock { $0.calls } }
    var writes: [[UInt8]] { state.withLock { $0.writes } }
    var writeKinds: Set<String> { state.withLock { $0.writeKinds } }

    init(_ setup: Setup = Setup()) throws {
        self.setup = setup
        news = try EventDescriptor()
        state.withLock { $0.isConnected = setup.isLeaving }
        (listener, path) = try ListeningSockets.local()
        try SystemThread { [self, listener] in
            while true {
                let host = accept(listener, nil, nil)
                if host < 0 { return }
                serve(host)
                close(host)
            }
        }.detach()
    }

    /// Refuses new connections; the thread ends with the last connection.
    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
    }

    /// Waits until a method is called; false = not within five seconds.
    func awaitCall(_ member: String) -> Bool {
        let deadline = SystemClock.now() + .seconds(5)
        while !calls.contains(member) {
            var set = PollSet()
            set.add(news.descriptor)
            guard let ready = try? set.wait(until: deadline), ready > 0 else { return false }
            news.take()
        }
        return true
    }

    // MARK: The bus

    private func serve(_ host: Int32) {
        var bytes: [UInt8] = []
        var isIn = false
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(host, &buffer, buffer.count)
            if count <= 0 { return }
            bytes += buffer[..<count]
            if !isIn {
                if bytes.contains(0x0A), !bytes.contains(UInt8(ascii: "B")) {
                    send(Array("OK 0123\r\n".utf8), host)
                }
                guard let end = bytes.firstRange(of: Array("BEGIN\r\n".utf8))?.upperBound else {
                    continue
                }
                bytes.removeFirst(end)
                isIn = true
            }
            while let length = try? DBusMessage.length(of: bytes), bytes.count >= length {
                let message = try? DBusMessage(Array(bytes[..<length]))
                bytes.removeFirst(length)
                guard let message else { return }
                take(message, host)
            }
        }
    }

    private func take(_ message: DBusMessage, _ host: Int32) {
        guard message.kind == .call else {
            takeNumber(message, host)
            return
        }
        let member = message.member ?? ""
        state.withLock { $0.calls.append(member) }
        news.signal()
        switch member {
        case "GetManagedObjects": reply(message, [.objects(objects)], host)
        case "StartDiscovery":
            reply(message, [], host)
            if setup.isInReach {
                signal(
                    "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
                    [.path(GATTLayoutTests.device), .interfaces([("org.bluez.Device1", device)])],
                    host)
            }
        case "Get":
            let (isConnected, isPaired) = state.withLock { ($0.isConnected, $0.isPaired) }
            let value =
                switch message.body.last?.text {
                case "Connected": isConnected
                case "ServicesResolved": isConnected && setup.resolves
                case "Paired": isPaired
                default: false
                }
            replyVariant(message, value, host)
            if setup.isLeaving, value, message.body.last?.text == "Connected",
                !calls.contains("Connect")
            {
                state.withLock { $0.isConnected = false }
                changed(
                    GATTLayoutTests.device, "org.bluez.Device1", ("Connected", .flag(false)), host)
            }
        case "Connect":
            if let error = setup.connectError {
                refuse(message, "org.bluez.Error.Failed", error, host)
            } else {
                state.withLock { $0.isConnected = true }
                reply(message, [], host)
            }
        case "Disconnect":
            state.withLock { $0.isConnected = false }
            reply(message, [], host)
        case "StartNotify": subscribe(message, host)
        case "WriteValue": write(message, host)
        default: reply(message, [], host)
        }
    }

    private func subscribe(_ message: DBusMessage, _ host: Int32) {
        guard setup.subscribes else { return }
        if let error = setup.notifyError {
            refuse(message, error.name, error.text, host)
            return
        }
        guard setup.passkey != nil, !state.withLock({ $0.isPaired }) else {
            reply(message, [], host)
            return
        }
        state.withLock { $0.awaited = message }
        call(
            "/org/obdscan/agent", "org.bluez.Agent1", "RequestPasskey",
            [.path(GATTLayoutTests.device)], host)
    }

    /// Takes the agent's answer.
    private func takeNumber(_ message: DBusMessage, _ host: Int32) {
        guard let awaited = state.withLock({ $0.awaited }) else { return }
        let isRight =
            message.kind == .reply && message.body.first?.integer == setup.passkey.map { Int($0) }
        state.withLock {
            $0.awaited = nil
            $0.isPaired = isRight
        }
        if isRight {
            reply(awaited, [], host)
        } else {
            refuse(awaited, "org.bluez.Error.NotPermitted", "Insufficient Authentication", host)
        }
    }

    private func write(_ message: DBusMessage, _ host: Int32) {
        let value = message.body.first?.list.compactMap { $0.integer.map { UInt8($0) } } ?? []
        let kind = message.body.last?["type"]?.text ?? ""
        let lines = state.withLock { state in
            state.writes.append(value)
            state.writeKinds.insert(kind)
            state.line += value
            var lines: [String] = []
            while let end = state.line.firstIndex(of: 0x0D) {
                lines.append(String(decoding: state.line[..<end], as: UTF8.self))
                state.line.removeFirst(end + 1)
            }
            return lines
        }
        reply(message, [], host)
        guard let notify = characteristic(besides: message.path ?? "") else { return }
        for line in lines {
            if line == setup.losingLine {
                state.withLock { $0.isConnected = false }
                changed(
                    GATTLayoutTests.device, "org.bluez.Device1", ("Connected", .flag(false)), host)
                return
            }
            let text = Array(((setup.answers[line] ?? "?") + "\r\r>").utf8)
            for start in stride(from: 0, to: text.count, by: 20) {
                let piece = Array(text[start..<min(start + 20, text.count)])
                changed(
                    notify, "org.bluez.GattCharacteristic1", ("Value", .bytes(piece)), host)
            }
        }
    }

    /// The notifying characteristic of the same service; nil if it has no adapter.
    private func characteristic(besides path: String) -> String? {
        for (number, row) in setup.rows.enumerated() {
            let service = "\(GATTLayoutTests.device)/service00\(number)0"
            guard path.hasPrefix(service) else { continue }
            if let speaking = setup.speaking, speaking != row.service { return nil }
            return row.members.firstIndex {
                $0.flags.contains("notify") || $0.flags.contains("indicate")
            }.map { "\(service)/char00\(number)\($0)" }
        }
        return nil
    }

    // MARK: Managed objects

    private var device: [(String, WireValue)] {
        [
            ("Address", .text("D2:E0:2F:8D:54:D5")), ("AddressType", .text("random")),
            ("Name", .text("OBDBLE")), ("Alias", .text("OBDBLE")), ("Paired", .flag(false)),
            ("Connected", .flag(false)), ("UUIDs", .texts([])),
        ]
    }

    private var objects: [(String, [(String, [(String, WireValue)])])] {
        var all: [(String, [(String, [(String, WireValue)])])] = [
            ("/org/bluez/hci0", [("org.bluez.Adapter1", [("Powered", .flag(true))])])
        ]
        if setup.isKnown { all.append((GATTLayoutTests.device, [("org.bluez.Device1", device)])) }
        guard state.withLock({ $0.isConnected }) else { return all }
        for (number, row) in setup.rows.enumerated() {
            let service = "\(GATTLayoutTests.device)/service00\(number)0"
            all.append(
                (
                    service,
                    [
                        (
                            "org.bluez.GattService1",
                            [("UUID", .text(GATTObjects.whole(row.service)))]
                        )
                    ]
                ))
            for (index, member) in row.members.enumerated() {
                var properties: [(String, WireValue)] = [
                    ("UUID", .text(GATTObjects.whole(member.uuid))), ("Service", .path(service)),
                    ("Flags", .texts(member.flags)),
                ]
                if setup.isNotifying { properties.append(("Notifying", .flag(true))) }
                if let mtu = setup.mtu { properties.append(("MTU", .short(mtu))) }
                all.append(
                    (
                        "\(service)/char00\(number)\(index)",
                        [("org.bluez.GattCharacteristic1", properties)]
                    ))
            }
        }
        return all
    }

    // MARK: Messages

    private func changed(
        _ path: String, _ interface: String, _ value: (String, WireValue), _ host: Int32
    ) {
        signal(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.text(interface), .properties([value]), .texts([])], host)
    }

    private func signal(
        _ path: String, _ interface: String, _ member: String, _ body: [WireValue], _ host: Int32
    ) {
        send(message(4, path, interface, member, body), host)
    }

    private func call(
        _ path: String, _ interface: String, _ member: String, _ body: [WireValue], _ host: Int32
    ) {
        send(message(1, path, interface, member, body), host)
    }

    private func message(
        _ kind: UInt8, _ path: String, _ interface: String, _ member: String, _ body: [WireValue]
    ) -> [UInt8] {
        var fields = DBusWriter()
        fields.field(1, "o", path)
        fields.field(2, "s", interface)
        fields.field(3, "s", member)
        fields.field(7, "s", ":1.1")
        return whole(kind, fields, body)
    }

    private func reply(_ call: DBusMessage, _ body: [WireValue], _ host: Int32) {
        send(whole(2, answering(call), body), host)
    }

    private func replyVariant(_ call: DBusMessage, _ flag: Bool, _ host: Int32) {
        var fields = answering(call)
        fields.field(8, "g", "v")
        var body = DBusWriter()
        body.signature("b")
        body.word(flag ? 1 : 0)
        send(whole(2, fields, body), host)
    }

    private func refuse(_ call: DBusMessage, _ name: String, _ text: String, _ host: Int32) {
        var fields = answering(call)
        fields.field(4, "s", name)
        send(whole(3, fields, [.text(text)]), host)
    }

    private func answering(_ call: DBusMessage) -> DBusWriter {
        var fields = DBusWriter()
        fields.align(to: 8)
        fields.bytes.append(5)
        fields.signature("u")
        fields.word(call.serial)
        return fields
    }

    private func whole(_ kind: UInt8, _ fields: DBusWriter, _ values: [WireValue]) -> [UInt8] {
        var fields = fields
        var body = DBusWriter()
        for value in values { value.write(to: &body) }
        let signature = values.map(\.signature).joined()
        if !signature.isEmpty { fields.field(8, "g", signature) }
        return whole(kind, fields, body)
    }

    private func whole(_ kind: UInt8, _ fields: DBusWriter, _ body: DBusWriter) -> [UInt8] {
        let serial = state.withLock { state in
            state.serial += 1
            return state.serial
        }
        var message = DBusWriter()
        message.bytes = [UInt8(ascii: "l"), kind, 0, 1]
        message.word(UInt32(body.bytes.count))
        message.word(serial)
        message.word(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes + body.bytes
    }

    private func send(_ bytes: [UInt8], _ host: Int32) {
        _ = bytes.withUnsafeBytes { sys_write(host, $0.baseAddress, $0.count) }
    }
}
