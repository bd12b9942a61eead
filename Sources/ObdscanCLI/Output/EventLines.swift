import Glibc
import Synchronization
import SystemIO

/// Lines for standard error from a thread that must not wait: what is not read is left out, and the
/// next line that is taken says how much that was.
final class EventLines: Sendable {
    private let leftOut = Mutex(0)
    private let descriptor: Int32

    /// Lines for an open descriptor, which stays open.
    init(descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
    }

    /// Writes a line with its end, or counts it as left out.
    func write(_ line: [UInt8]) {
        leftOut.withLock { leftOut in
            if leftOut > 0, takesMore(descriptor) {
                put(Array("(\(leftOut) lines were left out because they were not read)\n".utf8))
                leftOut = 0
            }
            if takesMore(descriptor) { put(line) } else { leftOut += 1 }
        }
    }

    /// What is longer than a pipe takes at once is cut.
    private func put(_ line: [UInt8]) {
        let whole = line.count <= Self.longest
        // There is nowhere left to report a failure to.
        try? writeAll(whole ? line : line.prefix(Self.longest - 1) + [0x0A], to: descriptor)
    }

    /// What a pipe takes without waiting (PIPE_BUF).
    private static let longest = 4_096
}
