import Adapters
import OBDCore

// Handles events in the error state.
extension ScanTool {
    mutating func handleError(
        _ report: ErrorReport, _ event: Event, _ out: inout [Effect]
    ) {
        switch event {
        case .deadlineExpired(.retry), .retry: takeNextStep(report.next, &out)
        case .opened:
            disarmAll(&out)
            probe(&out)
        case .openFailed:
            switch report.next {
            case .awaitSession, .givenUp:
                fail(.openFailed, in: .error, linkIsOpen: false, &out)
            // A session is already open, so there was no attempt to open one.
            case .reinitialise: break
            }
        case .closed:
            switch report.next {
            case .reinitialise: fail(.linkLost, in: .error, linkIsOpen: false, &out)
            // The session was closed on request.
            case .awaitSession, .givenUp: break
            }
        case .submitted(let request): out.append(.refuse(request.id, .inError))
        case .stopRequested:
            disarmAll(&out)
            switch report.next {
            case .reinitialise:
                out.append(.close)
                state = .initializing(.ready)
            case .awaitSession, .givenUp: state = .initializing(.detached)
            }
        // The dialect will be set up from the start, so earlier data are noise.
        case .received, .lineRateSet: break
        // These events belong to other states or are late.
        case .deadlineExpired, .replyProcessed: break
        }
    }

    private mutating func takeNextStep(_ next: NextStep, _ out: inout [Effect]) {
        disarmAll(&out)
        switch next {
        case .reinitialise: probe(&out)
        case .awaitSession, .givenUp: out.append(.open)
        }
    }
}
