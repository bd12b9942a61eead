import Diagnostics
import OBDCore

/// The stream that receives the batches of one poll.
///
/// The session's thread begins and ends the stream together with its poll, so that the end of an earlier poll
/// cannot end the stream of a later one.
final class PollStream: Sendable {
    typealias Continuation = AsyncThrowingStream<ReadingBatch, any Error>.Continuation

    private let continuation: Continuation

    init(_ continuation: Continuation) {
        self.continuation = continuation
    }

    /// Passes a batch on to the reader.
    func take(_ batch: ReadingBatch) { continuation.yield(batch) }

    /// Ends the stream.
    func finish(_ error: ScanError?) { continuation.finish(throwing: error) }
}

extension ScanSession {
    /// Polls by `plan` and returns the batches as they arrive; replaces an earlier poll.
    ///
    /// The stream ends when the plan is done, the poll is cancelled or replaced, or the session stops. It throws
    /// the ``ScanError`` of a session that failed. The poll ends when the stream has no reader any more, or the
    /// reader's task is cancelled. If the reader is slow, the oldest batches are dropped.
    public func batches(
        of plan: PollPlan, keeping newest: Int = 1_024
    ) -> AsyncThrowingStream<ReadingBatch, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(newest)) { continuation in
            let stream = PollStream(continuation)
            continuation.onTermination = { [weak self] reason in
                if case .cancelled = reason { self?.leave(stream) }
            }
            poll(plan, for: stream)
        }
    }
}
