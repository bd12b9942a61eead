import Adapters
import OBDCore

// Handles events in the idle state.
extension ScanTool {
    mutating func handleIdle(_ event: Event, _ out: inout [Effect]) {
        switch event {
        case .submitted(let request):
            // The only gate to the vehicle, for all callers and purposes.
            let isReadOnly = request.consent == nil && dialect.isReadOnly(request)
            guard isReadOnly || request.consent != nil else {
                out.append(.refuse(request.id, .needsConsent))
                return
            }
            send(request, isReadOnly: isReadOnly, &out)
        case .received(let bytes):
            dialect.receive(bytes.span, &said)
            absorbUnasked(&out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorbUnasked(&out)
        case .stopRequested: leave(&out)
        case .closed: fail(.linkLost, in: .idle, linkIsOpen: false, &out)
        // Deadlines of other states are not armed here, and there is nothing to open or to retry.
        case .deadlineExpired, .opened, .openFailed, .lineRateSet, .replyProcessed, .retry: break
        }
    }
}
