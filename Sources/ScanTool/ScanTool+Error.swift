import Adapters
import OBDCore

// A failure, and what comes after it.
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
            // A session is open: nothing was ordered that could have failed.
            case .reinitialise: break
            }
        case .closed:
            switch report.next {
            case .reinitialise: fail(.linkLost, in: .error, linkIsOpen: false, &out)
            // As ordered.
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
        // The dialect is set up from its beginning next time: what comes before is noise.
        case .received, .lineRateSet: break
        // The rest belongs to other states, or is late.
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
