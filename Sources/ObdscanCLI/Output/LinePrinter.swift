import Formats
import Glibc
import OBDCore
import Synchronization
import SystemIO
import VehicleScan

/// Buffers standard output of commands that poll, so that a slow reader does not block them.
///
/// The printing thread keeps reacting to signals, events and deadlines. Several threads may print;
/// lines stay whole.
final class LinePrinter: LineOutlet {
    private struct Waiting: ~Copyable {
        var text: TextOutput
        var hasHeading = false
    }

    private let waiting: Mutex<Waiting>
    /// The descriptor for output; this object does not close it.
    let descriptor: Int32

    /// Prints to an open descriptor, which stays open.
    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        waiting = Mutex(
            Waiting(
                text: TextOutput(
                    keepingFor: descriptor, shown: LocaleText.isASCII ? asciiWords : nil)))
    }

    /// Whether lines wait for a reader; the caller should print more only after they are written.
    var isBehind: Bool { waiting.withLock { $0.text.kept > 0 } }

    /// Adds the whole lines that `body` prints to the buffer.
    ///
    /// `body` gets whether the heading was written already, and updates that.
    func print(_ body: (inout TextOutput, inout Bool) throws -> Void) throws {
        try waiting.withLock { try body(&$0.text, &$0.hasHeading) }
    }

    /// Writes as much as the reader accepts at once.
    func flush() throws(OutputError) {
        try waiting.withLock { (waiting) throws(OutputError) in try waiting.text.flushReady() }
    }

    /// Writes all buffered lines.
    ///
    /// Without `patience` the method waits for as long as necessary, else until the reader accepted nothing
    /// for this time.
    ///
    /// - Returns: The number of lines that were not written and are given up.
    func finish(patience: Duration? = nil) throws(OutputError) -> Int {
        let limit = patience.map { Int32(clamping: $0.nanoseconds / 1_000_000) } ?? -1
        return try waiting.withLock { (waiting) throws(OutputError) in
            while true {
                try waiting.text.flushReady()
                guard waiting.text.kept > 0 else { return 0 }
                guard takesMore(descriptor, within: limit) else { return waiting.text.giveUp() }
            }
        }
    }
}

extension LinePrinter {
    /// The same at the end of a command; reports the number of lost lines.
    func finish(patience: Duration?, _ output: OutputOptions) throws {
        let lines = try finish(patience: patience)
        // Standard error may be the same pipe.
        if lines > 0, takesMore(STDERR_FILENO) {
            output.note(
                "standard output is not being read; the last \(counted(lines, "line was", "lines were")) not printed"
            )
        }
    }
}
