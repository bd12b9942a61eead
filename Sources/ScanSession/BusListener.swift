public import OBDCore
public import ScanTool

/// Decodes what a session hears on the bus, for its sinks.
///
/// `take` is called on the session's thread for each frame.
public protocol BusListener: Sendable {
    /// Takes a frame, and appends the batches that it completes.
    ///
    /// A batch with a message is for the poll: its parameter group may take the place of an answer.
    mutating func take(_ frame: BusFrame, at time: Instant, _ batches: inout [ReadingBatch])
    /// Ends the listening, and appends the batches that still waited.
    mutating func finish(at time: Instant, _ batches: inout [ReadingBatch])
}

/// The frames and readings that a session has heard and its sinks have not accepted yet.
struct HeardBatches {
    /// More than a store refuses while its disk is slow for a minute.
    static let most = 20_000

    private var waiting: [PendingBatch] = []
    /// The batches that were dropped because no sink had space, since the last report.
    private var dropped = 0

    /// Offers the batches in their order, by `offer`: the first sink without space, or nil.
    mutating func offer(
        _ batches: [ReadingBatch], by offer: (ReadingBatch, _ from: Int) -> Int?
    ) {
        for batch in batches {
            if !waiting.isEmpty {
                hold(PendingBatch(batch, sink: 0))
            } else if let sink = offer(batch, 0) {
                hold(PendingBatch(batch, sink: sink))
            }
        }
    }

    /// Offers those that wait again.
    mutating func retry(by offer: (ReadingBatch, _ from: Int) -> Int?) {
        var taken = 0
        for pending in waiting {
            if let sink = offer(pending.batch, pending.sink) {
                pending.sink = sink
                break
            }
            taken += 1
        }
        waiting.removeFirst(taken)
    }

    /// The first sink that has no space; nil if nothing waits.
    var fullSink: Int? { waiting.first?.sink }

    /// The number of batches that were dropped since the last call.
    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }

    private mutating func hold(_ pending: PendingBatch) {
        guard waiting.count < Self.most else {
            dropped += 1
            return
        }
        waiting.append(pending)
    }
}
