public import Adapters
public import OBDCore
public import ScanSession
public import ScanTool

/// A request and its outcome.
public struct QueryResult: Sendable {
    /// The received data, complete or not.
    public var answer: Answer
    /// Why the answer is not complete; nil if it is.
    public var problem: Failure?
    /// Whether the request was written to the adapter; if not, the vehicle never received it.
    public var wasSent = true

    /// Creates a request's outcome.
    public init(answer: Answer, problem: Failure? = nil, wasSent: Bool = true) {
        self.answer = answer
        self.problem = problem
        self.wasSent = wasSent
    }

    /// The problem as an error.
    public var error: VehicleError? {
        problem.map { .session(.requestFailed($0, soFar: answer)) }
    }

    /// The messages that answer the request, including refusals.
    public var answers: [ECUMessage] {
        guard let request = answer.exchange.request else { return answer.reply.messages }
        return answer.reply.messages.filter { $0.answers(request) }
    }

    /// Whether an ECU answered with the requested data.
    public var isPositive: Bool {
        let request = answer.exchange.request ?? []
        return answers.contains { message in
            !message.payload.isEmpty
                && (request.isEmpty ? !message.isRefusal : message.isPositiveAnswer(to: request))
        }
    }

    /// Whether all received messages answer other requests, so that the answer to this request is unknown.
    public var isOutOfStep: Bool { answers.isEmpty && !answer.reply.messages.isEmpty }

    /// Whether an ECU's only message answers another request while others answered this one.
    ///
    /// The ECU's own answer may be late.
    ///
    /// In SAE J1939 every ECU broadcasts messages from time to time, so this does not apply.
    var missesAnECU: Bool {
        let answers = answers
        guard problem == nil, !answers.isEmpty, answers.count < answer.reply.messages.count else {
            return false
        }
        return answer.reply.messages.contains { message in
            guard message.parameterGroup == nil, !answers.contains(message) else { return false }
            return message.ecu == nil || !answers.contains { $0.ecu == message.ecu }
        }
    }

    /// The adapter's status if no ECU answered.
    public var status: AdapterStatus? {
        answer.reply.messages.isEmpty ? answer.reply.statuses.last : nil
    }
}
