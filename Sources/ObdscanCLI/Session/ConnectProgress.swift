import Formats
import OBDCore
import ScanSession
import Synchronization

/// Shows on a terminal what connecting is about, on one line that goes away again.
final class ConnectProgress: ScanObserver {
    let interests = ScanEvent.Kinds.progress
    private let text: String
    private let isShown = Mutex(true)

    /// Begins to tell of connecting to `accessory`.
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

    /// Takes the line away.
    func end() {
        isShown.withLock { isShown in
            if isShown { StatusLine.clear() }
            isShown = false
        }
    }
}
