import ScanSession
import Synchronization
import TripExport

/// Standard output of `log`, which several accessories write to: lines stay whole.
final class LogPrinter: Sendable {
    private let hasHeading = Mutex(false)

    /// Prints with `body`, which writes whole lines, while nobody else does; it is told whether the
    /// line of column names still has to be written, and tells whether it has been.
    func print(_ body: (inout Bool) throws -> Void) throws {
        try hasHeading.withLock { try body(&$0) }
    }
}
