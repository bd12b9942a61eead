import Formats
import OBDCore
import ScanSession
import Synchronization

/// Shows the progress of connecting on one line of the terminal, which is cleared at the end.
final class ConnectProgress: ScanObserver {
    let interests = ScanEvent.Kinds.progress
    private let text: String
    private let isShown = Mutex(true)

    /// Shows that it connects to `accessory`.
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
        case .setupGoesOn, .heard, .heardFrame: return
        }
        isShown.withLock { if $0 { StatusLine.show("\(text) \(detail)") } }
    }

    /// Clears the line.
    func end() {
        isShown.withLock { isShown in
            if isShown { StatusLine.clear() }
            isShown = false
        }
    }
}
