import Glibc
import OBDCore
import Simulator
import SystemIO

/// Writes the requests that reach the vehicle, a line each: `7DF 010C`.
public final class RequestLog {
    private let descriptor: Int32
    private var written = 0

    /// Writes to the file at `path`; nil = nowhere.
    public init(path: String?) throws(SystemError) {
        guard let path else {
            descriptor = -1
            return
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw SystemError.last("open") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func add(_ device: SharedDevice<some SimulatedDevice>) {
        guard descriptor >= 0 else { return }
        let seen = written
        let (lines, count) = device.look { adapter in
            // An interrupted request is taken back before it was sent.
            let new = max(0, adapter.requestCount - seen)
            let lines = adapter.requests.suffix(new).map { request in
                request.header + " " + Hex.string(request.payload) + "\n"
            }
            return (lines.joined(), adapter.requestCount)
        }
        written = count
        let bytes = Array(lines.utf8)
        // A full disk does not stop serving; the file then ends early.
        bytes.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
    }
}
