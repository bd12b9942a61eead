import Glibc
import OBDCore
import Synchronization
import SystemIO

/// Presents a Bluetooth LE adapter as a stream: one end of a socket pair, with a thread on the other end.
///
/// BlueZ ends a connection and a subscription together with the bus connection that asked for them, so the
/// thread keeps one bus connection for the whole session. The link asks for notifications as signals
/// (StartNotify) and writes with WriteValue.
///
/// BlueZ also offers sockets through AcquireNotify and AcquireWrite. obdscan does not use these sockets for
/// three reasons. The sockets do not work for characteristics that only indicate or only accept writes with
/// a response. The sockets lose data that arrives before the subscription is confirmed. And before BlueZ
/// 5.86 the daemon crashes if such a socket outlives the bus connection.
enum BLELink {
    struct Target: Hashable, Sendable {
        var address: BluetoothAddress
        var name: String
        var pin: String?
        var wish = GATTLayout.Wish()
        var bus = SystemBus.systemPath
        var limits = Limits()
    }

    /// The time limit of each step.
    struct Limits: Hashable, Sendable {
        /// For objects that the daemon already knows.
        var known = Duration.seconds(5)
        /// Until an unknown adapter is seen; some advertise only every few seconds.
        var search = Duration.seconds(20)
        var connect = Duration.seconds(20)
        /// For BlueZ to end an earlier connection; BlueZ needs two seconds.
        var disconnect = Duration.milliseconds(2_500)
        /// For BlueZ to give up a pairing that lacked its number; BlueZ needs 30 s.
        var pairing = Duration.seconds(35)
        var services = Duration.seconds(10)
        /// Includes pairing.
        var subscribe = Duration.seconds(20)
        /// For the answer to a command, if several services may belong to the adapter.
        var probe = Duration.seconds(1)
    }

    /// Passes the thread's result to the caller that opens the link.
    private final class Box: Sendable {
        let done: EventDescriptor
        let stop: EventDescriptor
        /// Set when the thread has left the adapter and the bus.
        let ended: EventDescriptor
        let outcome = Mutex<Result<Void, AccessoryError>?>(nil)

        init() throws(SystemError) {
            done = try EventDescriptor()
            stop = try EventDescriptor()
            ended = try EventDescriptor()
        }

        func end(_ result: Result<Void, AccessoryError>) {
            outcome.withLock { $0 = $0 ?? result }
            done.signal()
        }
    }

    /// Opens the link; nil if the caller cancelled the wait.
    static func open(
        _ target: Target, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> DescriptorSession? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw .system(call: "socketpair", address: target.name, errno: errno)
        }
        // From here on the session closes its end on every path.
        var session = DescriptorSession(descriptor: ends[0], kind: .stream, name: target.name)
        let served = ends[1]
        let box: Box
        do throws(SystemError) {
            box = try Box()
            try SystemThread { [box] in
                serve(target, on: served, box)
                close(served)
                box.ended.signal()
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
        session.ended = box.ended
        return session
    }

    /// The thread's body: opens the link, reports the result, and forwards bytes until either side ends.
    private static func serve(_ target: Target, on descriptor: Int32, _ box: Box) {
        do throws(BLEOpening.Failure) {
            var pump = try BLEPump(target, socket: descriptor, cancel: box.stop.descriptor)
            box.end(.success(()))
            pump.run()
        } catch {
            switch error {
            // The caller has already given up.
            case .cancelled: box.end(.success(()))
            case .fault(let fault): box.end(.failure(fault))
            }
        }
    }
}
