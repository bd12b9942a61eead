public import Adapters
public import OBDCore
public import ScanSession
public import ScanTool

/// One question and what became of it.
public struct QueryResult: Sendable {
    /// What came, complete or not.
    public var answer: Answer
    /// Why it is not complete; nil when it is.
    public var problem: Failure?
    /// Whether it was written to the adapter; false = the vehicle never got it.
    public var wasSent = true

    /// What became of a question.
    public init(answer: Answer, problem: Failure? = nil, wasSent: Bool = true) {
        self.answer = answer
        self.problem = problem
        self.wasSent = wasSent
    }

    /// The same as an error.
    public var error: VehicleError? {
        problem.map { .session(.requestFailed($0, soFar: answer)) }
    }

    /// The messages that answer the question, refusals included.
    public var answers: [ECUMessage] {
        guard let request = answer.exchange.request else { return answer.reply.messages }
        return answer.reply.messages.filter { $0.answers(request) }
    }

    /// Whether an ECU brought what was asked for.
    public var isPositive: Bool {
        let request = answer.exchange.request ?? []
        return answers.contains { message in
            !message.payload.isEmpty
                && (request.isEmpty ? !message.isRefusal : message.isPositiveAnswer(to: request))
        }
    }

    /// Whether everything that came answers another question: nothing is known of this one.
    public var isOutOfStep: Bool { answers.isEmpty && !answer.reply.messages.isEmpty }

    /// Whether an ECU's only message answers another question beside those that answer this one; its
    /// own answer may be late.
    ///
    /// In SAE J1939 every ECU says of itself now and then.
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

    /// The adapter's word where no ECU answered.
    public var status: AdapterStatus? {
        answer.reply.messages.isEmpty ? answer.reply.statuses.last : nil
    }
}
