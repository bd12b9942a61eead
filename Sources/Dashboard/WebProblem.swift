import Formats
import OBDCore
import SystemIO
import TripStore
import VehicleScan
import WebServer

/// The reason why a request fails, as an object.
package struct WebProblem: Error {
    package var status: ResponseHead.Status
    package var message: String
    package var hint: String?

    package init(_ status: ResponseHead.Status, _ message: String, hint: String? = nil) {
        self.status = status
        self.message = message
        self.hint = hint
    }

    /// The object.
    var bytes: [UInt8] {
        let row = Row(
            "problem",
            [
                "status": .integer(status.rawValue), "message": .text(printable(message)),
                "hint": .text(hint.map(printable)),
            ])
        var bytes: [UInt8] = []
        row.appendJSON(to: &bytes)
        return bytes
    }
}

extension WebProblem {
    package init(_ explanation: Explanation) {
        let status: ResponseHead.Status =
            switch explanation.category {
            case .usage: .badRequest
            case .noInput: .notFound
            case .unavailable, .lost, .timedOut, .noPermission: .unavailable
            case .badInput, .bug, .cannotCreate, .configuration, .ended: .internalError
            }
        self.init(status, explanation.message, hint: explanation.hint)
    }

    /// An error of the vehicle at a device.
    init(_ error: VehicleError, at accessory: String) {
        self.init(error.explanation(at: accessory))
    }

    /// The problem for any error; nil if no client waits for the answer any more.
    init?(_ error: any Error) {
        switch error {
        case let problem as WebProblem: self = problem
        case StoreError.unknownTrip(let number, _):
            self.init(.notFound, "there is no trip \(number)", hint: "/api/trips lists them")
        case is OutputError: return nil
        case let error as any Explained where error.explanation.message.isEmpty: return nil
        case let error as any Explained: self.init(error.explanation)
        default: self.init(.internalError, "unexpected: \(error)")
        }
    }
}
