import CSystem
import Glibc
import OBDCore
import SystemIO

/// A connection to the system message bus, used to ask BlueZ; needs no privilege.
///
/// The protocol has not changed since 2006, and the three calls that are needed here cost less code than a
/// library costs dependencies: libsystemd would be one more package to build with. A `busctl`
/// process cannot replace this connection. Such a process cannot stay connected, and BlueZ ends a
/// search when the client that began it leaves the bus.
struct SystemBus: ~Copyable {
    /// Why the bus cannot be used.
    enum Fault: Error, Hashable, Sendable {
        /// There is no bus, or the bus does not accept the connection.
        case unavailable(errno: Int32)
        /// The other side answered with an error; its name.
        case refused(String)
        /// No answer in time.
        case timedOut
        /// The caller cancelled the wait.
        case cancelled
        /// The bus sent data that is not valid D-Bus.
        case nonsense
    }

    /// For `poll`: readable when a message has arrived.
    ///
    /// This value owns and closes the descriptor.
    let descriptor: Int32
    private var received: [UInt8] = []
    private var serial: UInt32 = 0
    private let cancel: Int32?
    /// Signals that arrived during the wait for a reply.
    private var signals: [DBusMessage] = []
    /// The other side's text for its last refusal.
    private(set) var refusalText = ""
    /// Answers calls from others; nil if no calls are answered.
    private var agent: PairingAgent?
    /// Whether the agent was asked for a PIN.
    private(set) var wasAskedForPIN = false

    /// The path of the system bus; DBUS_SYSTEM_BUS_ADDRESS overrides it.
    static var systemPath: String {
        let prefix = "unix:path="
        if let text = getenv("DBUS_SYSTEM_BUS_ADDRESS").map({ String(cString: $0) }),
            text.hasPrefix(prefix)
        {
            return String(text.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" })
        }
        return "/run/dbus/system_bus_socket"
    }

    init(
        path: String = SystemBus.systemPath, until deadline: Instant, cancelledBy cancel: Int32?
    ) throws(Fault) {
        self.init(descriptor: sys_stream_socket(AF_UNIX, 0), cancel)
        if descriptor < 0 { throw .unavailable(errno: errno) }
        guard sys_connect_unix(descriptor, path) == 0 else { throw .unavailable(errno: errno) }
        let user = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
        try send(Array("\0AUTH EXTERNAL \(user)\r\n".utf8))
        while !received.contains(0x0A) { try receive(until: deadline) }
        let line = received.prefix { $0 != 0x0A }
        guard line.starts(with: Array("OK ".utf8)) else { throw .unavailable(errno: EACCES) }
        received.removeFirst(line.count + 1)
        try send(Array("BEGIN\r\n".utf8))
        _ = try call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello",
            until: deadline)
    }

    private init(descriptor: Int32, _ cancel: Int32?) {
        self.descriptor = descriptor
        self.cancel = cancel
    }

    deinit { Glibc.close(descriptor) }

    /// Calls a method and waits for its reply.
    mutating func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        _ arguments: [DBusMessage.Argument] = [], until deadline: Instant
    ) throws(Fault) -> [DBusValue] {
        serial += 1
        // Each answer to a call from another program uses a further serial number.
        let number = serial
        try send(
            DBusMessage.call(
                serial: number, destination: destination, path: path, interface: interface,
                member: member, arguments: arguments))
        while true {
            let message = try next(until: deadline)
            switch message.kind {
            case .reply where message.replySerial == number: return message.body
            case .error where message.replySerial == number:
                refusalText = message.body.first?.text ?? ""
                throw .refused(message.errorName ?? "")
            case .signal:
                if signals.count < 64 { signals.append(message) }
            case .call, .reply, .error: continue
            }
        }
    }

    /// Waits for the next signal that was subscribed to.
    mutating func nextSignal(until deadline: Instant) throws(Fault) -> DBusMessage {
        if !signals.isEmpty { return signals.removeFirst() }
        while true {
            let message = try next(until: deadline)
            if message.kind == .signal { return message }
        }
    }

    /// Lets `agent` answer calls from others from now on.
    mutating func serve(_ agent: PairingAgent) { self.agent = agent }

    /// Calls a method without waiting for its reply, which ``take()`` returns later; returns the call's
    /// serial.
    mutating func post(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        _ arguments: [DBusMessage.Argument]
    ) throws(Fault) -> UInt32 {
        serial += 1
        try send(
            DBusMessage.call(
                serial: serial, destination: destination, path: path, interface: interface,
                member: member, arguments: arguments))
        return serial
    }

    /// Returns the signals and replies that have arrived, in order, without waiting.
    mutating func take() throws(Fault) -> [DBusMessage] {
        try fill()
        var messages = signals
        signals.removeAll()
        while let message = try parsed() {
            if message.kind == .call { try answer(message) } else { messages.append(message) }
        }
        return messages
    }

    /// Reads all messages that have arrived, including calls of others, without waiting.
    ///
    /// Answer each call with ``say(_:)``.
    mutating func takeAll() throws(Fault) -> [DBusMessage] {
        try fill()
        var messages = signals
        signals.removeAll()
        while let message = try parsed() { messages.append(message) }
        return messages
    }

    /// Sends a message that needs no reply: an answer, a refusal or a signal, made with its number.
    mutating func say(_ message: (UInt32) -> [UInt8]) throws(Fault) {
        serial += 1
        try send(message(serial))
    }

    /// Reads the messages that have arrived; true = one of them is a signal.
    mutating func takeSignals() throws(Fault) -> Bool {
        var found = !signals.isEmpty
        signals.removeAll()
        try fill()
        while let message = try parsed() {
            if message.kind == .signal { found = true }
        }
        return found
    }

    // MARK: Bytes

    private mutating func next(until deadline: Instant) throws(Fault) -> DBusMessage {
        while true {
            guard let message = try parsed() else {
                try receive(until: deadline)
                continue
            }
            if message.kind != .call { return message }
            try answer(message)
        }
    }

    private mutating func answer(_ call: DBusMessage) throws(Fault) {
        serial += 1
        try send(
            agent?.answer(to: call, serial: serial)
                ?? DBusMessage.refusal(
                    of: call, serial: serial, "org.freedesktop.DBus.Error.UnknownObject"))
        guard let agent, PairingAgent.isAboutPIN(call) else { return }
        wasAskedForPIN = true
        // BlueZ does not reply to the call that began the pairing.
        if agent.pin.isEmpty { throw .refused(PairingAgent.noPIN) }
    }

    private mutating func parsed() throws(Fault) -> DBusMessage? {
        do throws(DBusFault) {
            guard let length = try DBusMessage.length(of: received), received.count >= length
            else { return nil }
            let bytes = Array(received[..<length])
            received.removeFirst(length)
            return try DBusMessage(bytes)
        } catch {
            throw .nonsense
        }
    }

    private mutating func receive(until deadline: Instant) throws(Fault) {
        var set = PollSet()
        let link = set.add(descriptor)
        let flag = set.add(cancel ?? -1)
        do {
            if try set.wait(until: deadline) == 0 { throw Fault.timedOut }
        } catch let error as SystemError {
            throw .unavailable(errno: error.errno)
        } catch {
            throw .timedOut
        }
        if set.isReadable(flag) { throw .cancelled }
        if set.isReadable(link) { try fill() }
    }

    private mutating func fill() throws(Fault) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = buffer.withUnsafeMutableBytes {
                sys_read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) { return }
            if count <= 0 { throw .unavailable(errno: count < 0 ? errno : ECONNRESET) }
            received += buffer[..<count]
            if received.count > 2 * DBusMessage.longest { throw .nonsense }
        }
    }

    /// Sends a message in one write; the messages of this program are small enough for the socket's buffer.
    private func send(_ bytes: [UInt8]) throws(Fault) {
        let count = bytes.withUnsafeBytes { sys_write(descriptor, $0.baseAddress, $0.count) }
        if count != bytes.count { throw .unavailable(errno: count < 0 ? errno : ENOBUFS) }
    }
}
