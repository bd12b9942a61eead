import Accessory
import Adapters
public import OBDCore
import SystemIO

extension ScanError: CustomStringConvertible {
    /// The error in one line.
    public var description: String {
        switch self {
        case .interrupted: "the wait was interrupted"
        case .stopped: "the session was stopped"
        default: explanation(at: "the adapter").line
        }
    }
}

extension ScanError: ExplainedAt {
    /// Why the session with an accessory could not start or continue.
    public func explanation(at accessory: String) -> Explanation {
        switch self {
        case .accessory(let error): return error.explanation
        case .initialisation(let failure): return failure.explanation(at: accessory)
        case .adapterSilent:
            return Explanation(
                "\(accessory): the adapter stopped answering",
                hint: "unplug it and plug it in again; --record FILE shows what it said last",
                .unavailable)
        case .adapterRestarted(let status):
            return status.explanation(insteadOfAnswerAt: accessory)
        case .linkLost(let error):
            let reason = error.explanation
            return Explanation(
                "the link was lost: \(reason.message)", hint: reason.hint, .lost)
        case .requestFailed(.adapterRestarted, let answer) where answer.reply.restart != nil:
            var words = answer.reply.restart?.explanation(insteadOfAnswerAt: accessory) ?? .ended
            // The session continues after a single restart, so the next try may succeed.
            words.category = .timedOut
            return words
        case .requestFailed(let reason, _):
            switch reason {
            case .timedOut:
                return Explanation(
                    "\(accessory): no complete answer in time",
                    hint: "turn the ignition on, then try again", .timedOut)
            case .stopped:
                return Explanation(
                    "\(accessory): the request was stopped", hint: "try again", .timedOut)
            case .flooded:
                return Explanation(
                    "\(accessory): more data arrived than any answer has",
                    hint: "another device may be sending on this line", .unavailable)
            case .outOfStep:
                return Explanation(
                    "\(accessory): the answer of the adapter belongs to another request",
                    hint: "unplug the adapter and plug it in again, then try again",
                    .timedOut)
            case .notSent:
                return Explanation(
                    "\(accessory): this adapter cannot send such a request: nothing was sent",
                    hint:
                        "\"obdscan doctor\" shows what it can do; an OBDLink or a genuine ELM327 can "
                        + "send more", .unavailable)
            case .adapterRestarted:
                return Explanation(
                    "\(accessory): the adapter restarted in the middle of a request",
                    hint: "its power supply may be weak: start the engine, or check the plug",
                    .timedOut)
            case .restartedBeforeSending:
                return Explanation(
                    "\(accessory): the adapter restarted or lost its settings before the request was sent",
                    hint:
                        "try again; if the adapter restarts again, check the plug and its power supply",
                    .timedOut)
            case .linkLost:
                return Explanation(
                    "\(accessory): the link was lost",
                    hint: "is it still plugged in and in reach?", .lost)
            }
        case .refused(let refusal):
            switch refusal {
            case .notReady, .busy, .stopping:
                return Explanation(
                    "\(accessory): the request was refused (\(refusal))",
                    hint: "this is a fault of obdscan: please report it", .bug)
            case .needsConsent:
                return Explanation(
                    "\(accessory): obdscan did not send the request: it may change something",
                    hint: "\"obdscan send\" asks before it sends such a request", .usage)
            case .inError:
                return Explanation(
                    "\(accessory): the adapter has failed",
                    hint: "unplug it and plug it in again", .unavailable)
            }
        case .interrupted, .stopped:
            return .ended
        case .system(let call, let number):
            return SystemError(call: call, errno: number).explanation
        }
    }
}
