import Formats
import Glibc
import OBDCore
import ScanSession
import Synchronization
import SystemIO

/// The progress of `log` for a person: one line on stderr that is updated.
final class LogProgress: Sendable {
    private let sessions = Mutex<[ScanSession]>([])
    private let start = SystemClock.now()

    /// Adds the session of another device whose trip has begun.
    func begin(_ session: ScanSession) {
        sessions.withLock { $0.append(session) }
    }

    /// Shows the total figures of all devices.
    func show() {
        var all = SessionStatistics()
        for session in sessions.withLock({ $0 }) {
            let one = session.statistics
            all.readings += one.readings
            all.seconds = max(all.seconds, one.seconds)
        }
        Self.show(all, since: start)
    }

    /// Shows the figures of one session.
    static func show(_ statistics: SessionStatistics, since start: Instant) {
        StatusLine.show(
            "\(durationText((SystemClock.now() - start).seconds))  \(statistics.readings) readings  "
                + "\(fixed(statistics.readingsPerSecond, 1))/s")
    }

    /// Whether a person can see the progress.
    static func isWatched(_ output: OutputOptions) -> Bool {
        output.format == .text && StatusLine.isWatched(output)
    }
}
