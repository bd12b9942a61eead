import Adapters
import OBDCore

// Handles events while a reply is being delivered.
extension ScanTool {
    mutating func handleProcessing(
        _ id: RequestID, _ event: Event, _ out: inout [Effect]
    ) {
        switch event {
        case .replyProcessed(id): state = .idle
        case .received(let bytes):
            dialect.receive(bytes.span, &said)
            absorbUnasked(&out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorbUnasked(&out)
        case .submitted(let request): out.append(.refuse(request.id, .busy))
        case .stopRequested: state = .processingLast(id)
        case .closed: fail(.linkLost, in: .processing, linkIsOpen: false, &out)
        // A late acknowledgement of another request, or events of other states.
        case .replyProcessed, .deadlineExpired, .opened, .openFailed, .lineRateSet, .retry: break
        }
    }

    mutating func handleProcessingLast(
        _ id: RequestID, _ event: Event, _ out: inout [Effect]
    ) {
        switch event {
        case .replyProcessed(id): leave(&out)
        case .received(let bytes):
            dialect.receive(bytes.span, &said)
            absorbUnasked(&out)
        case .deadlineExpired(.dialect(let timer)):
            dialect.expired(timer, &said)
            absorbUnasked(&out)
        case .submitted(let request): out.append(.refuse(request.id, .stopping))
        case .closed:
            disarmAll(&out)
            state = .initializing(.detached)
        // The end already follows.
        case .stopRequested: break
        // A late acknowledgement of another request, or events of other states.
        case .replyProcessed, .deadlineExpired, .opened, .openFailed, .lineRateSet, .retry: break
        }
    }
}
