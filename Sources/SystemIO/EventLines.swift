public import Glibc
import OBDCore
import Synchronization

/// Writes lines to standard error from a thread that must not wait.
///
/// Lines that the reader does not accept are left out, and the next accepted line reports their
/// number.
public final class EventLines: Sendable {
    private let leftOut = Mutex(0)
    private let descriptor: Int32

    /// Lines for an open descriptor, which stays open.
    public init(descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
    }

    /// Writes a line with its end, or counts it as left out.
    public func write(_ line: [UInt8]) {
        leftOut.withLock { leftOut in
            if leftOut > 0, takesMore(descriptor) {
                put(
                    Array(
                        "(\(counted(leftOut, "line was left out because it was not read", "lines were left out because they were not read")))\n"
                            .utf8))
                leftOut = 0
            }
            if takesMore(descriptor) { put(line) } else { leftOut += 1 }
        }
    }

    /// Writes a line, cut to what a pipe accepts at once.
    private func put(_ line: [UInt8]) {
        let whole = line.count <= Self.longest
        // There is no other stream to report a failure to.
        try? writeAll(whole ? line : line.prefix(Self.longest - 1) + [0x0A], to: descriptor)
    }

    /// The number of bytes that a pipe accepts without waiting (PIPE_BUF).
    private static let longest = 4_096
}
