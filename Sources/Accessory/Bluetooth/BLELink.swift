import Glibc
import OBDCore
import Synchronization
import SystemIO

/// A Bluetooth LE adapter as a stream: one end of a socket pair, whose other end a thread serves.
///
/// BlueZ ends connection and subscription with the bus connection that asked for them, so that the thread
/// has one for as long as the session lives. It asks for notifications as signals (StartNotify) and writes
/// with WriteValue. BlueZ's other way, sockets from AcquireNotify and AcquireWrite, is not taken: it does not
/// have characteristics that only indicate or only take writes with a response, loses what comes before the
/// subscription is confirmed, and before BlueZ 5.86 its daemon crashes where such a socket outlives the bus
/// connection.
enum BLELink {
    /// What to open.
    struct Target: Hashable, Sendable {
        var address: BluetoothAddress
        /// The accessory as messages name it.
        var name: String
        var pin: String?
        var wish = GATTLayout.Wish()
        /// Where the bus is.
        var bus = SystemBus.systemPath
        /// How long each step may take.
        var limits = Limits()
    }

    /// How long each step may take.
    struct Limits: Hashable, Sendable {
        /// What the daemon knows already.
        var known = Duration.seconds(5)
        /// Until an adapter that is not known is seen; some advertise every few seconds.
        var search = Duration.seconds(20)
        var connect = Duration.seconds(20)
        var services = Duration.seconds(10)
        /// Pairing included.
        var subscribe = Duration.seconds(20)
        /// The answer to a command, where several services may be the adapter.
        var probe = Duration.seconds(1)
    }

    /// What the thread leaves behind for who opens.
    private final class Box: Sendable {
        let done: EventDescriptor
        let stop: EventDescriptor
        let outcome = Mutex<Result<Void, AccessoryError>?>(nil)

        init() throws(SystemError) {
            done = try EventDescriptor()
            stop = try EventDescriptor()
        }

        func end(_ result: Result<Void, AccessoryError>) {
            outcome.withLock { $0 = $0 ?? result }
            done.signal()
        }
    }

    /// Opens the link; nil = the waiting was cancelled.
    static func open(
        _ target: Target, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw .system(call: "socketpair", address: target.name, errno: errno)
        }
        // From here on the session closes its end, on every path.
        let session = DescriptorSession(descriptor: ends[0], kind: .stream, name: target.name)
        let served = ends[1]
        let box: Box
        do throws(SystemError) {
            box = try Box()
            try SystemThread { [box] in
                serve(target, on: served, box)
                close(served)
            }.detach()
        } catch {
            close(served)
            throw .system(call: error.call, address: target.name, errno: error.errno)
        }
        var set = PollSet()
        let done = set.add(box.done.descriptor)
        let flag = set.add(cancel ?? -1)
        do throws(SystemError) {
            while !set.isReadable(done) {
                try set.wait(until: nil)
                if set.isReadable(flag), !set.isReadable(done) {
                    box.stop.signal()
                    return nil
                }
            }
        } catch {
            box.stop.signal()
            throw .system(call: error.call, address: target.name, errno: error.errno)
        }
        try box.outcome.withLock { $0 }?.get()
        return session
    }

    /// The thread: opens, says how that came out, and passes bytes on until either side ends.
    private static func serve(_ target: Target, on descriptor: Int32, _ box: Box) {
        do throws(BLEOpening.Failure) {
            var pump = try BLEPump(target, socket: descriptor, cancel: box.stop.descriptor)
            box.end(.success(()))
            pump.run()
        } catch {
            switch error {
            // Who opens has left already.
            case .cancelled: box.end(.success(()))
            case .fault(let fault): box.end(.failure(fault))
            }
        }
    }
}
