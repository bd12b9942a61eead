import Adapters

/// Decides what a session does next, without a clock, a descriptor or a PID.
///
/// Four machines, each with its own states and without a flag: how far the session is, whether it
/// polls, what is on its way between the scan tool and the sinks, and who asks. Whoever runs the session
/// tells them what happens, does what they order, and waits.
public struct PollDriver<Promise, Request, Reply, Batch> {
    /// From the first connection to the end.
    public var life = SessionLife()
    /// Whether a plan is polled by.
    public var polling = Polling()
    /// The request under way, its reply, a batch that a sink does not take.
    public var handover = Handover<Request, Reply, Batch>()
    /// Requests from outside; they go before the plan's.
    public var requests = RequestQueue<Promise>()

    /// What is asked next.
    public enum Next {
        /// A request from outside.
        case request(RequestQueue<Promise>.Entry)
        /// Whatever the plan says.
        case plan
        /// Nothing.
        case nothing
    }

    /// A session that begins.
    @inlinable public init() {}

    /// Whether something may be asked, once the scan tool is idle.
    @inlinable public var mayAsk: Bool {
        handover.mayAsk && !life.isEnding && (!requests.isEmpty || polling.state == .polling)
    }

    /// What is asked next.
    @inlinable public mutating func next() -> Next {
        guard mayAsk else { return .nothing }
        return requests.next().map(Next.request) ?? .plan
    }

    /// Whether the next request may be written before the reply to this one is decoded.
    ///
    /// A plan needs what came, not what it says; one that rests waits for what it says.
    @inlinable public func goesOn(
        after outcome: Outcome, isPolled: Bool, vehicleRests: Bool
    ) -> Bool {
        guard case .answered = outcome else { return false }
        return isPolled && !life.isEnding && !vehicleRests
    }

    /// Puts a request that failed first again; false = it is not to be sent once more.
    ///
    /// - Parameter reconnects: whether a lost link is awaited.
    @inlinable public mutating func takeBack(
        _ entry: RequestQueue<Promise>.Entry, after failure: Failure, reconnects: Bool
    ) -> Bool {
        !life.isEnding && requests.takeBack(entry, after: failure, reconnects: reconnects)
    }

    /// Whether a batch keeps the end waiting.
    @inlinable public var keepsEndWaiting: Bool {
        guard life.isEnding else { return false }
        return handover.batch != nil
    }
}
