import Diagnostics
import OBDCore
import Synchronization

/// Passes the batches of a poll on to the stream that follows it.
final class PollTap: ReadingSink, ScanObserver {
    typealias Continuation = AsyncThrowingStream<ReadingBatch, any Error>.Continuation

    private struct State {
        var number = 0
        var continuation: Continuation?
    }

    private let state = Mutex(State())

    let spaceDescriptor: Int32? = nil
    let interests = ScanEvent.Kinds.milestones

    func offer(_ batch: ReadingBatch) -> Bool {
        state.withLock { $0.continuation }?.yield(batch)
        return true
    }

    func scan(_ event: ScanEvent, at time: Instant) {
        switch event {
        case .pollDidFinish: finish()
        case .sessionDidEnd(let error): finish(error)
        default: break
        }
    }

    /// Passes batches on to `continuation` from now on, and ends an earlier stream.
    ///
    /// Returns the number of the stream.
    func follow(_ continuation: Continuation) -> Int {
        let (earlier, number) = state.withLock { state in
            defer { state.continuation = continuation }
            state.number += 1
            return (state.continuation, state.number)
        }
        earlier?.finish()
        return number
    }

    /// Ends the stream.
    func finish(_ error: ScanError? = nil) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.finish(throwing: error)
    }

    /// Forgets a stream whose reader has left; whether it was the current one.
    func leave(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.number == number, state.continuation != nil else { return false }
            state.continuation = nil
            return true
        }
    }
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
            poll(plan, for: continuation)
        }
    }
}
