import Dashboard
import SystemIO
import TripStore
import WebProtocol

extension WebProblem {
    /// The problem for the failure of a command.
    init(_ failure: Failure) {
        let status: ResponseHead.Status =
            switch failure.status {
            case .usage: .badRequest
            case .noInput: .notFound
            case .unavailable, .linkLost, .timedOut, .noPermission: .unavailable
            case .done, .findings, .badData, .bug, .cannotCreate, .badConfiguration: .internalError
            }
        self.init(status, failure.message, hint: failure.hint)
    }

    /// The problem for any error; nil if no client waits for the answer any more.
    init?(_ error: any Error) {
        switch error {
        case let problem as WebProblem: self = problem
        case StoreError.unknownTrip(let number, _):
            self.init(.notFound, "there is no trip \(number)", hint: "/api/trips lists them")
        case let error as StoreError: self.init(Failure(error))
        case is OutputError, is Interrupted: return nil
        default:
            self.init(
                Failure(known: error) ?? Failure("unexpected: \(error)", status: .bug))
        }
    }
}
