import Adapters
import OBDCore
import ScanSession

extension Answer {
    /// The request as a user would type it: `01 0C`, `AT RV`.
    package var requestText: String {
        switch request {
        case .vehicle(let request):
            request.payload.map { Hex.string([$0]) }.joined(separator: " ")
        case .action(_, let action): action.command
        case .command(_, let text, _, _), .monitor(_, let text, _, _): text
        }
    }
}
