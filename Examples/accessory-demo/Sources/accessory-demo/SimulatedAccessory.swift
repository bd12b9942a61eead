import Foundation
import Glibc
import Paddle
import Synchronization

/// A simulated paddle on a pty, served by its own thread for the lifetime of this object.
final class SimulatedAccessory: Sendable {
    /// The device node that a host opens.
    let path: String
    private let state: Mutex<SimulatedPaddle>
    /// Closing this end of a pipe ends the thread.
    private let stop: Int32

    /// The lights that are on, one bit each.
    var lights: UInt16 { state.withLock(\.lights) }
    /// Number of undamaged frames from the host.
    var framesReceived: Int { state.withLock(\.framesReceived) }

    /// Creates a pty and begins to serve it.
    init() throws {
        var (main, own): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 64)
        var ends: [Int32] = [-1, -1]
        guard openpty(&main, &own, &name, nil, nil) == 0, pipe(&ends) == 0 else {
            throw SystemFault(call: "openpty", errno: errno)
        }
        path = String(
            decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Keep the other end open here, so that the pty exists between two sessions.
        var settings = termios()
        tcgetattr(own, &settings)
        cfmakeraw(&settings)
        tcsetattr(own, TCSANOW, &settings)
        // Positions that the host does not read are lost, as on a serial line.
        _ = fcntl(main, F_SETFL, O_NONBLOCK)
        stop = ends[1]
        state = Mutex(SimulatedPaddle())
        Thread.detachNewThread { [weak self, main, own, flag = ends[0]] in
            let begin = ContinuousClock.now
            var waiting = [main, flag].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            while waiting[1].revents == 0,
                let timeout = self?.proceed(main, at: ContinuousClock.now - begin)
            {
                poll(&waiting, 2, timeout)
            }
            for descriptor in [main, own, flag] { close(descriptor) }
        }
    }

    deinit { close(stop) }

    /// Reads and writes all available data; returns the time to the next call (unit: ms).
    private func proceed(_ descriptor: Int32, at now: Duration) -> Int32 {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &buffer, buffer.count)
        let received = buffer.prefix(max(0, count))
        return state.withLock { paddle in
            paddle.receive(received)
            let bytes = paddle.due(at: now)
            if !bytes.isEmpty { _ = write(descriptor, bytes, bytes.count) }
            return milliseconds(until: paddle.nextDeadline, from: now)
        }
    }
}

/// A failed system call.
struct SystemFault: Error, CustomStringConvertible {
    /// Its name.
    var call: String
    /// The error number.
    var errno: Int32

    var description: String { "\(call): \(String(cString: strerror(errno)))" }
}

/// The time until `deadline` for `poll`; unit: ms, rounded up.
func milliseconds(until deadline: Duration, from now: Duration) -> Int32 {
    let rest = max(.zero, deadline - now)
    return Int32(clamping: Int64((rest / .milliseconds(1)).rounded(.up)))
}
