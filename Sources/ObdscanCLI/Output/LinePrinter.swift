import Formats
import Glibc
import OBDCore
import Synchronization
import SystemIO
import VehicleScan

/// Standard output of commands that poll, whose lines wait until somebody reads them: a reader that is
/// slow keeps nobody who prints from hearing signals, events and deadlines.
///
/// Several threads may print: lines stay whole.
final class LinePrinter: LineOutlet {
    private struct Waiting: ~Copyable {
        var text: TextOutput
        var hasHeading = false
    }

    private let waiting: Mutex<Waiting>
    /// What is written to; belongs to someone else.
    let descriptor: Int32

    /// Prints to an open descriptor, which stays open.
    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
        waiting = Mutex(
            Waiting(
                text: TextOutput(
                    keepingFor: descriptor, shown: LocaleText.isASCII ? asciiWords : nil)))
    }

    /// Whether lines wait for a reader: more should be printed when they are gone.
    var isBehind: Bool { waiting.withLock { $0.text.kept > 0 } }

    /// Adds what `body` prints, whole lines, to what waits; it is told whether the line of column
    /// names still has to be written, and says whether it has been.
    func print(_ body: (inout TextOutput, inout Bool) throws -> Void) throws {
        try waiting.withLock { try body(&$0.text, &$0.hasHeading) }
    }

    /// Writes as much as is taken at once.
    func flush() throws(OutputError) {
        try waiting.withLock { (waiting) throws(OutputError) in try waiting.text.flushReady() }
    }

    /// Writes everything that waits, however long that takes; with a `patience`, until nothing was
    /// taken for this long.
    ///
    /// - Returns: how many lines nobody took; they are given up.
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
    /// The same for a command at its end, which says what was given up.
    func finish(patience: Duration?, _ output: OutputOptions) throws {
        let lines = try finish(patience: patience)
        // It may be the same pipe.
        if lines > 0, takesMore(STDERR_FILENO) {
            output.note(
                "standard output is not being read; the last \(lines) lines were not printed")
        }
    }
}
