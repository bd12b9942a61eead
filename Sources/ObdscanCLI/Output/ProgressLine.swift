import Formats
import Glibc
import OBDCore
import Synchronization
import SystemIO

/// A line on the terminal that says how far a long command is; nothing without a terminal.
///
/// It appears when the work has taken a second and is drawn at most five times a second.
final class ProgressLine: Sendable {
    private struct State {
        var next: Instant
        var isShown = false
    }

    private let isOn: Bool
    private let start = SystemClock.now()
    private let state: Mutex<State>

    /// A line that is not there yet.
    init(_ output: OutputOptions) {
        isOn = StatusLine.isWatched(output)
        state = Mutex(State(next: start + .seconds(1)))
    }

    /// Says that so much, 0 to 1, is done.
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

    /// An error must not be written after it.
    deinit { clear() }

    /// Takes the line away.
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
