import Formats
import OBDCore
import ScanSession
import Synchronization

/// Reports once that a search for the vehicle takes long, before the search ends.
///
/// Only the adapter knows when it has tried every protocol, so the search is not cut short.
final class LongSearchNote: ScanObserver {
    let interests = ScanEvent.Kinds.progress
    private let accessory: String
    private let output: OutputOptions
    private let isConnecting = Mutex(true)

    /// A note about `accessory`.
    init(_ accessory: String, _ output: OutputOptions) {
        self.accessory = accessory
        self.output = output
    }

    func scan(_ event: ScanEvent, at time: Instant) {
        guard case .didProgress(.longSearch) = event else { return }
        isConnecting.withLock { isConnecting in
            guard isConnecting else { return }
            isConnecting = false
            if StatusLine.isWatched(output) { StatusLine.clear() }
            output.remark(
                "\(accessory): the adapter works, but the vehicle has not answered yet. The search "
                    + "continues; trucks and the newest cars are found last. Is the ignition on?")
        }
    }

    /// Prints nothing from now on.
    func end() { isConnecting.withLock { $0 = false } }
}

/// Shows the current step of connecting on a line of the terminal that disappears again.
final class ConnectProgress: ScanObserver {
    let interests = ScanEvent.Kinds.progress
    private let text: String
    private let isShown = Mutex(true)

    /// Shows that the program connects to `accessory`.
    init(_ accessory: String) {
        text = "connecting to \(printable(accessory)) …"
        StatusLine.show(text)
    }

    func scan(_ event: ScanEvent, at time: Instant) {
        guard case .didProgress(let progress) = event else { return }
        let detail: String
        switch progress {
        case .lineRate(let rate): detail = "trying \(rate) bit/s"
        case .protocolSearch: detail = "the adapter works; searching for the vehicle"
        case .longSearch, .setupGoesOn, .heard, .heardFrame: return
        }
        isShown.withLock { if $0 { StatusLine.show("\(text) \(detail)") } }
    }

    func end() {
        isShown.withLock { isShown in
            if isShown { StatusLine.clear() }
            isShown = false
        }
    }
}
