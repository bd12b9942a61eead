import Adapters
import OBDCore
import ScanTool
import VehicleLink

// What a runner holds of the request under way and of the replies that are not handed on yet.
//
// Classes, because they are large and change hands with every request; none of them leaves the session's
// thread.

/// Decides what a session's thread does next.
typealias SessionDriver = PollDriver<Promise<Answer>, RunningRequest, Delivered, PendingBatch>

/// A request from outside.
typealias Ask = RequestQueue<Promise<Answer>>.Entry

/// The request under way.
final class RunningRequest {
    let request: AdapterRequest
    let asked: Instant
    /// Who asked; nil = the plan.
    let ask: Ask?
    /// What was wrong with replies that were not used.
    var damage: [LinkError] = []

    init(request: AdapterRequest, asked: Instant, ask: Ask?) {
        self.request = request
        self.asked = asked
        self.ask = ask
    }
}

/// A request and what became of it.
final class Delivered {
    let id: RequestID
    /// Whatever came, complete or not.
    let reply: Reply
    /// Why the exchange failed; nil = it was answered.
    let failure: Failure?
    let current: RunningRequest
    let exchange: Exchange
    /// When it came.
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

    /// Whether it brought data, or a fault of which someone may want to keep a record.
    var isWorthKeeping: Bool {
        failure != nil || !reply.messages.isEmpty || reply.voltage != nil
            || !reply.statuses.isEmpty || !reply.errors.isEmpty || !reply.texts.isEmpty
    }
}

/// A batch that is being offered to one sink after the other.
final class PendingBatch {
    let batch: ReadingBatch
    /// The index of the sink that has no space.
    var sink: Int

    init(_ batch: ReadingBatch, sink: Int) {
        self.batch = batch
        self.sink = sink
    }
}
