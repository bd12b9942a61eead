import CSystem
import Glibc
import OBDCore
import SystemIO

/// Waits for a socket that connects in the background.
enum StreamConnection {
    /// The outcome of a connection attempt.
    enum Result {
        case connected
        case failed(errno: Int32)
        case timedOut
        case cancelled
    }

    /// Waits for the end of a `connect` that returned `status`.
    static func finish(
        _ descriptor: Int32, status: Int32, deadline: Instant, cancelledBy cancel: Int32?
    ) throws(AccessoryError) -> Result {
        if status == 0 { return .connected }
        if errno != EINPROGRESS && errno != EINTR { return .failed(errno: errno) }
        var set = PollSet()
        let socket = set.add(descriptor, reading: false, writing: true)
        let flag = set.add(cancel ?? -1)
        do {
            if try set.wait(until: deadline) == 0 { return .timedOut }
        } catch {
            throw .system(call: error.call, address: "", errno: error.errno)
        }
        // A refused connection raises POLLERR and POLLHUP even if they were not requested.
        if !set.isWritable(socket) && !set.isReadable(socket) && set.isReadable(flag) {
            return .cancelled
        }
        let error = sys_socket_error(descriptor)
        return error == 0 ? .connected : .failed(errno: error < 0 ? errno : error)
    }
}
