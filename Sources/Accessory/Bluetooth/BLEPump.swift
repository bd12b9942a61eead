import CSystem
import Glibc
import OBDCore
import SystemIO

/// An open connection to an LE adapter.
///
/// Notifications become bytes for the host. The host's bytes become writes of at most one packet.
struct BLEPump: ~Copyable {
    private static let service = "org.bluez"
    private static let characteristic = "org.bluez.GattCharacteristic1"
    private static let deviceInterface = "org.bluez.Device1"
    /// The most bytes to keep for a host that does not read; an adapter's answers are far shorter.
    private static let mostWaiting = 1 << 20
    /// After this time a write has failed: BlueZ itself gives up waiting for a response after 30 s.
    private static let writeTime = Duration.seconds(30)

    private var bus: SystemBus
    private let socket: Int32
    /// The device's object path in BlueZ.
    private let device: String
    private let layout: GATTLayout
    /// Whether this program made the connection and therefore has to end it.
    private let hasConnected: Bool
    private var toAdapter: [UInt8]
    private var toHost: [UInt8]
    /// The pending write and its deadline.
    private var writing: Optional<(serial: UInt32, deadline: Instant)>

    init(
        _ target: BLELink.Target, socket: Int32, cancel: Int32
    ) throws(BLEOpening.Failure) {
        var opening = try BLEOpening(target, cancel: cancel)
        let found = try opening.run()
        bus = opening.leaveBus()
        self.socket = socket
        device = found.device
        layout = found.layout
        hasConnected = found.hasConnected
        toAdapter = []
        toHost = []
        writing = nil
    }

    /// Forwards bytes until either side ends.
    mutating func run() {
        do throws(SystemBus.Fault) {
            while try pass() {}
        } catch {
            // Otherwise the daemon or the bus has closed, and the connection ended with it.
            guard case .refused = error else { return }
        }
        leave()
    }

    /// Runs one turn of the loop; false if either side has ended.
    private mutating func pass() throws(SystemBus.Fault) -> Bool {
        var set = PollSet()
        let link = set.add(bus.descriptor)
        let host = set.add(
            socket, reading: toAdapter.count < Self.mostWaiting, writing: !toHost.isEmpty)
        do throws(SystemError) {
            if try set.wait(until: writing?.deadline) == 0 { return false }
        } catch {
            throw .unavailable(errno: error.errno)
        }
        if set.isReadable(host) {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = buffer.withUnsafeMutableBytes { sys_read(socket, $0.baseAddress, $0.count) }
            if count > 0 {
                toAdapter += buffer[..<count]
            } else if count == 0 || errno != EAGAIN {
                return false
            }
        }
        if set.isReadable(link) {
            for message in try bus.take() {
                if !take(message) { return false }
            }
        }
        if !toHost.isEmpty, !flush() { return false }
        if writing == nil, !toAdapter.isEmpty { try writePiece() }
        return true
    }

    /// Handles a message from the bus; false if the link has ended.
    private mutating func take(_ message: DBusMessage) -> Bool {
        switch message.kind {
        case .reply where message.replySerial == writing?.serial: writing = nil
        case .error where message.replySerial == writing?.serial: return false
        case .signal: return takeSignal(message)
        case .call, .reply, .error: break
        }
        return true
    }

    private mutating func takeSignal(_ message: DBusMessage) -> Bool {
        if message.member == "NameOwnerChanged" {
            return message.body.first?.text != Self.service || message.body.last?.text != ""
        }
        guard message.member == "PropertiesChanged", message.body.count > 1 else { return true }
        if message.path == layout.notify.path, let value = message.gattValue {
            toHost += value
            return toHost.count <= Self.mostWaiting
        }
        return message.path != device || message.body[1]["Connected"]?.boolean != false
    }

    private mutating func flush() -> Bool {
        let count = toHost.withUnsafeBytes { sys_write(socket, $0.baseAddress, $0.count) }
        if count > 0 { toHost.removeFirst(count) }
        return count >= 0 || errno == EAGAIN
    }

    private mutating func writePiece() throws(SystemBus.Fault) {
        let piece = Array(toAdapter.prefix(layout.longestWrite))
        toAdapter.removeFirst(piece.count)
        let serial = try bus.post(
            Self.service, layout.write.path, Self.characteristic, "WriteValue",
            layout.writeArguments(piece))
        writing = (serial, SystemClock.now() + Self.writeTime)
    }

    /// Returns the adapter to the state in which it was found.
    ///
    /// BlueZ disconnects after two seconds, even without this program.
    private mutating func leave() {
        _ = try? bus.call(
            Self.service, layout.notify.path, Self.characteristic, "StopNotify",
            until: SystemClock.now() + .seconds(1))
        if hasConnected {
            _ = try? bus.post(Self.service, device, Self.deviceInterface, "Disconnect", [])
        }
    }
}

extension GATTLayout {
    func writeArguments(_ bytes: [UInt8]) -> [DBusMessage.Argument] {
        [.bytes(bytes), .properties(["type": awaitsResponse ? "request" : "command"])]
    }
}

extension DBusMessage {
    /// The new value of a characteristic in a PropertiesChanged signal; nil for any other message.
    var gattValue: [UInt8]? {
        guard body.count > 1, body[0].text == "org.bluez.GattCharacteristic1",
            let value = body[1]["Value"]
        else { return nil }
        return value.list.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } }
    }
}
