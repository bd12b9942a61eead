import Formats
import Glibc
import OBDCore
import Synchronization
import SystemIO

/// A line on the terminal with the progress of a long command; invisible without a terminal.
///
/// The line appears after one second and is updated at most five times per second.
final class ProgressLine: Sendable {
    private struct State {
        var next: Instant
        var isShown = false
    }

    private let isOn: Bool
    private let start = SystemClock.now()
    private let state: Mutex<State>

    /// A line that is not visible yet.
    init(_ output: OutputOptions) {
        isOn = StatusLine.isWatched(output)
        state = Mutex(State(next: start + .seconds(1)))
    }

    /// Shows the finished share, 0 to 1.
    func show(_ share: Double, _ what: String) {
        guard isOn else { return }
        let now = SystemClock.now()
        let isDue = state.withLock { state in
            guard now >= state.next else { return false }
            state = State(next: now + .milliseconds(200), isShown: true)
            return true
        }
        guard isDue else { return }
        let passed = (now - start).seconds
        let rest = share > 0.02 ? ", \(durationText(passed / share - passed)) left" : ""
        StatusLine.show("\(fixed(share * 100, 0)) % \(what)\(rest)")
    }

    /// Clears the line, so that an error message does not follow it on the same line.
    deinit { clear() }

    func clear() {
        let wasShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        guard isOn, wasShown else { return }
        StatusLine.clear()
    }
}

/// `12.3 MB`; unit: bytes.
func byteText(_ bytes: Int) -> String {
    let size = Double(bytes)
    if size < 1e3 { return "\(bytes) B" }
    if size < 1e6 { return fixed(size / 1e3, 1) + " kB" }
    if size < 1e9 { return fixed(size / 1e6, 1) + " MB" }
    return fixed(size / 1e9, 2) + " GB"
}
