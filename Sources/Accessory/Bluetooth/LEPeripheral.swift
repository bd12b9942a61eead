import CSystem
import Glibc
import OBDCore
import Synchronization
import SystemIO

/// This machine as a Bluetooth LE adapter, so that the apps of phones can use a simulated vehicle.
public enum LEPeripheral {
    /// Why the adapter cannot be served.
    public enum Fault: Error, Hashable, Sendable {
        /// BlueZ, the controller or the bus is missing.
        case unavailable(errno: Int32)
        /// BlueZ refused, with this message.
        case refused(String)
    }

    /// The result of the thread for the caller.
    private final class Box: Sendable {
        let done: EventDescriptor
        let outcome = Mutex<Result<String, Fault>?>(nil)

        init() throws(SystemError) { done = try EventDescriptor() }
    }

    /// Registers service and advertisement, and serves them until the session ends or BlueZ goes.
    ///
    /// BlueZ removes service and advertisement when the bus connection that registered them ends. A thread
    /// owns that connection, and passes bytes between it and the session.
    ///
    /// - Parameter name: the name that phones show.
    public static func open(name: String) throws(Fault) -> DescriptorSession {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .unavailable(errno: errno) }
        let served = ends[1]
        let own = ends[0]
        do {
            let box = try Box()
            try SystemThread { [box] in
                serve(name, on: served, box)
                close(served)
            }.detach()
            var set = PollSet()
            _ = set.add(box.done.descriptor)
            try set.wait(until: nil)
            guard let outcome = box.outcome.withLock({ $0 }) else {
                throw Fault.unavailable(errno: EPROTO)
            }
            return DescriptorSession(
                descriptor: own, kind: .stream, name: "ble:" + (try outcome.get()))
        } catch let fault as Fault {
            close(own)
            throw fault
        } catch {
            // The thread did not start.
            close(own)
            close(served)
            throw .unavailable(errno: (error as? SystemError)?.errno ?? EAGAIN)
        }
    }

    private static func serve(_ name: String, on socket: Int32, _ box: Box) {
        do throws(Fault) {
            var link = try LEServerLink(name: name)
            try link.register()
            box.outcome.withLock { $0 = .success(link.address) }
            box.done.signal()
            link.run(on: socket)
        } catch {
            box.outcome.withLock { $0 = .failure(error) }
            box.done.signal()
        }
    }
}

/// The bus connection that serves a ``GATTServer`` by BlueZ's GattManager.
struct LEServerLink: ~Copyable {
    typealias Fault = LEPeripheral.Fault

    let address: String
    private var bus: SystemBus
    private let adapter: String
    private var server: GATTServer
    private static let bluez = "org.bluez"
    private static let patience = Duration.seconds(10)
    /// Bytes that wait for a host or a phone; more than any answer.
    private static let mostWaiting = 1 << 20
    private static let piecesAtOnce = 32

    /// Connects to BlueZ and chooses a controller.
    ///
    /// - Parameter name: the name that phones show.
    init(name: String) throws(Fault) {
        var bus = try Self.connect()
        let controller = try Self.controller(on: &bus)
        adapter = controller.path
        address = controller.address
        server = GATTServer(name: name)
        self.bus = bus
    }

    private static func connect() throws(Fault) -> SystemBus {
        do throws(SystemBus.Fault) {
            return try SystemBus(until: SystemClock.now() + patience, cancelledBy: nil)
        } catch {
            throw fault(error, "")
        }
    }

    private static func controller(
        on bus: inout SystemBus
    ) throws(Fault) -> (path: String, address: String) {
        let objects: [DBusValue]
        do throws(SystemBus.Fault) {
            objects = try bus.call(
                bluez, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects",
                until: SystemClock.now() + patience)
        } catch {
            throw fault(error, bus.refusalText)
        }
        let known = BlueZObjects(objects)
        guard !known.adapters.isEmpty else { throw .unavailable(errno: ENODEV) }
        guard let chosen = known.adapters.first(where: \.isPowered) else {
            throw .unavailable(errno: ENETDOWN)
        }
        let entry = (objects.first?.entries ?? []).first { $0.key.text == chosen.path }
        return (chosen.path, entry?.value["org.bluez.Adapter1"]?["Address"]?.text ?? "")
    }

    /// Registers the service and the advertisement.
    mutating func register() throws(Fault) {
        do throws(SystemBus.Fault) {
            try register("org.bluez.GattManager1", "RegisterApplication", GATTServer.root)
            try register(
                "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement",
                GATTServer.advertisement)
        } catch {
            throw Self.fault(error, bus.refusalText)
        }
    }

    private static func fault(_ fault: SystemBus.Fault, _ text: String) -> Fault {
        switch fault {
        case .unavailable(let number): .unavailable(errno: number)
        case .refused(let name): .refused(text.isEmpty ? name : text)
        case .timedOut, .cancelled: .unavailable(errno: ETIMEDOUT)
        case .nonsense: .unavailable(errno: EPROTO)
        }
    }

    /// Registers an object; BlueZ asks for its properties before it replies.
    private mutating func register(
        _ interface: String, _ member: String, _ path: String
    ) throws(SystemBus.Fault) {
        let number = try bus.post(
            Self.bluez, adapter, interface, member, [.path(path), .dictionary([])])
        let deadline = SystemClock.now() + Self.patience
        while true {
            var set = PollSet()
            _ = set.add(bus.descriptor)
            let ready: Int
            do throws(SystemError) {
                ready = Int(try set.wait(until: deadline))
            } catch {
                throw .unavailable(errno: error.errno)
            }
            if ready == 0 { throw .timedOut }
            for message in try bus.takeAll() {
                switch message.kind {
                case .reply where message.replySerial == number: return
                case .error where message.replySerial == number:
                    throw .refused(
                        message.body.first?.text ?? message.errorName ?? "no reason")
                case .call: _ = try answer(message)
                case .reply, .error, .signal: break
                }
            }
        }
    }

    private mutating func answer(
        _ call: DBusMessage
    ) throws(SystemBus.Fault) -> GATTServer.Effect {
        var effect = GATTServer.Effect.none
        var bytes: [UInt8] = []
        try bus.say { serial in
            (bytes, effect) = server.answer(call, serial: serial)
            return bytes
        }
        return effect
    }

    /// Passes bytes on until BlueZ or the session goes.
    mutating func run(on socket: Int32) {
        var toHost: [UInt8] = []
        var toPhone: [UInt8] = []
        do throws(SystemBus.Fault) {
            while try pass(socket, &toHost, &toPhone) {}
        } catch {
            // The daemon or the bus has gone, and the end of the session reports that.
        }
    }

    /// One turn; false = the other end has gone.
    private mutating func pass(
        _ socket: Int32, _ toHost: inout [UInt8], _ toPhone: inout [UInt8]
    ) throws(SystemBus.Fault) -> Bool {
        var set = PollSet()
        let link = set.add(bus.descriptor, reading: true, writing: !toPhone.isEmpty)
        let host = set.add(
            socket, reading: toPhone.count < Self.mostWaiting, writing: !toHost.isEmpty)
        do throws(SystemError) {
            try set.wait(until: nil)
        } catch {
            throw .unavailable(errno: error.errno)
        }
        if set.isReadable(host) {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = buffer.withUnsafeMutableBytes { sys_read(socket, $0.baseAddress, $0.count) }
            if count > 0 {
                // Bytes are lost while no phone listens, as on a cable without a computer.
                if server.isSubscribed { toPhone += buffer[..<count] }
            } else if count == 0 || errno != EAGAIN {
                return false
            }
        }
        if set.isReadable(link) {
            for message in try bus.takeAll() where message.kind == .call {
                switch try answer(message) {
                case .written(let bytes): toHost += bytes
                case .unsubscribed: toPhone = []
                case .subscribed, .none: break
                }
            }
            if toHost.count > Self.mostWaiting { return false }
        }
        if !toHost.isEmpty {
            let count = toHost.withUnsafeBytes { sys_write(socket, $0.baseAddress, $0.count) }
            if count > 0 { toHost.removeFirst(count) }
            if count < 0, errno != EAGAIN { return false }
        }
        // No more pieces than the bus certainly accepts at once.
        for _ in 0..<Self.piecesAtOnce where !toPhone.isEmpty {
            let piece = Array(toPhone.prefix(server.longestPiece))
            toPhone.removeFirst(piece.count)
            try bus.say { GATTServer.notification(of: piece, serial: $0) }
        }
        return true
    }
}
