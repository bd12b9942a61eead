import Adapters
import OBDCore
import ScanTool
import VehicleLink

// The data of the current request and of replies that were not delivered yet.
//
// These are classes, because they are large and change owners with every request. None of these objects
// leaves the session's thread.

/// Decides the next action of a session's thread.
typealias SessionDriver = PollDriver<Promise<Answer>, RunningRequest, Delivered, PendingBatch>

/// A request from outside the thread.
typealias Ask = RequestQueue<Promise<Answer>>.Entry

final class RunningRequest {
    let request: AdapterRequest
    let asked: Instant
    /// The caller of the request; nil if it is from the plan.
    let ask: Ask?
    /// The faults of replies that were discarded.
    var damage: [LinkError] = []

    init(request: AdapterRequest, asked: Instant, ask: Ask?) {
        self.request = request
        self.asked = asked
        self.ask = ask
    }
}

/// A request and its outcome.
final class Delivered {
    let id: RequestID
    /// The received data, complete or not.
    let reply: Reply
    /// Why the exchange failed; nil if it succeeded.
    let failure: Failure?
    let current: RunningRequest
    let exchange: Exchange
    let time: Instant

    init(
        id: RequestID, outcome: Outcome, current: RunningRequest, exchange: Exchange,
        time: Instant
    ) {
        self.id = id
        switch outcome {
        case .answered(let reply):
            self.reply = reply
            failure = nil
        case .failed(let failure, let reply):
            self.reply = reply
            self.failure = failure
        }
        self.current = current
        self.exchange = exchange
        self.time = time
    }

    /// Whether the result has data, or a fault that is worth recording.
    var isWorthKeeping: Bool {
        failure != nil || !reply.messages.isEmpty || reply.voltage != nil
            || !reply.statuses.isEmpty || !reply.errors.isEmpty || !reply.texts.isEmpty
    }
}

/// A batch that is being offered to the sinks in turn.
final class PendingBatch {
    let batch: ReadingBatch
    /// The index of the sink that has no space.
    var sink: Int

    init(_ batch: ReadingBatch, sink: Int) {
        self.batch = batch
        self.sink = sink
    }
}
