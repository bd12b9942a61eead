import Adapters

/// Decides the next action of a session, without a clock, a descriptor or a PID.
///
/// The driver consists of four state machines without flags: the life of the session, the poll, the way of
/// data between the scan tool and the sinks, and the requests from callers. The session reports events to
/// these state machines, carries out their orders, and waits.
public struct PollDriver<Promise, Request, Reply, Batch> {
    /// The session's life, from the first connection to the end.
    public var life = SessionLife()
    /// Whether a plan is being polled.
    public var polling = Polling()
    /// The current request, its reply, and a batch that a sink has not accepted.
    public var handover = Handover<Request, Reply, Batch>()
    /// Requests from callers, which come before those of the plan.
    public var requests = RequestQueue<Promise>()

    /// The next request.
    public enum Next {
        /// A request from a caller.
        case request(RequestQueue<Promise>.Entry)
        /// A request of the plan.
        case plan
        /// No request.
        case nothing
    }

    /// A session at its start.
    @inlinable public init() {}

    /// Whether a request may be sent once the scan tool is idle.
    @inlinable public var mayAsk: Bool {
        handover.mayAsk && !life.isEnding && (!requests.isEmpty || polling.state == .polling)
    }

    /// Chooses the next request.
    @inlinable public mutating func next() -> Next {
        guard mayAsk else { return .nothing }
        if requests.isEmpty { return .plan }
        return requests.next().map(Next.request) ?? .plan
    }

    /// Whether the next request may be written before the reply to this one is decoded.
    ///
    /// A plan normally only needs the outcome and not its content. A plan that decides whether the vehicle
    /// rests needs the content.
    @inlinable public func goesOn(
        after outcome: Outcome, isPolled: Bool, vehicleRests: Bool
    ) -> Bool {
        guard case .answered = outcome else { return false }
        return isPolled && !life.isEnding && !vehicleRests
    }

    /// Puts a failed request back to the front; false if it must not be sent again.
    ///
    /// - Parameter reconnects: whether the session restores a lost link.
    @inlinable public mutating func takeBack(
        _ entry: RequestQueue<Promise>.Entry, after failure: Failure, reconnects: Bool
    ) -> Bool {
        !life.isEnding && requests.takeBack(entry, after: failure, reconnects: reconnects)
    }

    /// Whether a batch delays the end.
    @inlinable public var keepsEndWaiting: Bool {
        guard life.isEnding else { return false }
        return handover.batch != nil
    }
}
