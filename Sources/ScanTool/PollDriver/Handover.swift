public import OBDCore

/// The way of a request to its reply and of the reply to the sinks, as a pure machine.
///
/// The next request is written before the reply is decoded, so that the vehicle is at work meanwhile.
/// So there are at most one request under way, one reply that is not decoded and one batch that a
/// sink does not take; with a batch and a reply nothing is asked. The machine has no clock. Each state
/// owns what is on its way there, and every pair of state and event is spelled out below.
///
/// The scan tool hands a reply over and takes no request before that reply is acknowledged. One that
/// waits for its acknowledgement is *held*.
public struct Handover<Request, Reply, Batch> {
    /// Where it is.
    public enum State {
        /// Nothing is on its way.
        case free
        /// A request is under way.
        case asking(Request)
        /// A reply is acknowledged and not decoded.
        case replied(Reply)
        /// The next request is under way, and the reply before it is not decoded.
        case askingBefore(Request, Reply)
        /// A reply is held and to be decoded.
        case held(Reply, RequestID)
        /// A reply is held, and the one before it is not decoded.
        case repliedTwice(Reply, Reply, RequestID)
        /// A sink has no space for a batch; its reply is held where the identifier says so.
        case offering(Batch, RequestID?)
        /// The same, and the next request is under way.
        case askingWhileOffering(Request, Batch)
        /// The same, and its reply is held.
        case full(Batch, Reply, RequestID)
        /// The session is over.
        case ended
    }

    /// What happens.
    public enum Event {
        /// A request is about to be written.
        case submitted(Request)
        /// The request under way was not taken.
        case refused
        /// The request under way has its outcome; `goesOn` = the next one need not wait until it is
        /// decoded.
        case delivered(Reply, RequestID, goesOn: Bool)
        /// There is time to decode.
        case decode
        /// A sink has no space for the batch of a reply that was given out to be decoded.
        case kept(Batch, RequestID?)
        /// All sinks have taken the batch, or it is given up.
        case gone
    }

    /// What has to be done.
    public enum Order {
        /// Tell the scan tool that it may take the next request.
        case acknowledge(RequestID)
        /// Decode a reply and offer its batch; acknowledge it then, unless a sink has no space.
        case decode(Reply, held: RequestID?)
        /// Count a batch that no sink has taken.
        case lose(Batch)
    }

    /// What is left at the end.
    public enum Rest {
        /// A request without an answer.
        case request(Request)
        /// A reply that came too late to be decoded.
        case reply(Reply)
        /// A batch that no sink has taken.
        case batch(Batch)
    }

    /// Where it is.
    @inlinable public var state: State { current }

    @usableFromInline var current = State.free

    /// Nothing is on its way.
    @inlinable public init() {}

    /// Whether a request may be submitted.
    @inlinable public var mayAsk: Bool {
        switch current {
        case .free, .replied: true
        case .asking, .askingBefore, .held, .repliedTwice, .offering, .askingWhileOffering, .full,
            .ended:
            false
        }
    }

    /// The request under way.
    @inlinable public var request: Request? {
        switch current {
        case .asking(let request), .askingBefore(let request, _),
            .askingWhileOffering(let request, _):
            request
        case .free, .replied, .held, .repliedTwice, .offering, .full, .ended: nil
        }
    }

    /// The batch that a sink has no space for.
    @inlinable public var batch: Batch? {
        switch current {
        case .offering(let batch, _), .askingWhileOffering(_, let batch), .full(let batch, _, _):
            batch
        case .free, .asking, .replied, .askingBefore, .held, .repliedTwice, .ended:
            nil
        }
    }

    /// Takes an event; what has to be done about it.
    @inlinable public mutating func take(_ event: consuming Event) -> Order? {
        switch event {
        case .submitted(let request): submit(request)
        case .refused: refuse()
        case .delivered(let reply, let id, let goesOn): return deliver(reply, id, goesOn)
        case .decode: return decode()
        case .kept(let batch, let id): return keep(batch, id)
        case .gone: return endOffering()
        }
        return nil
    }

    /// Comes to the end; what was on its way, the oldest first.
    @inlinable public mutating func end() -> [Rest] {
        defer { current = .ended }
        switch current {
        case .free, .ended: return []
        case .asking(let request): return [.request(request)]
        case .replied(let reply), .held(let reply, _): return [.reply(reply)]
        case .askingBefore(let request, let reply): return [.reply(reply), .request(request)]
        case .repliedTwice(let earlier, let reply, _): return [.reply(earlier), .reply(reply)]
        case .offering(let batch, _): return [.batch(batch)]
        case .askingWhileOffering(let request, let batch):
            return [.batch(batch), .request(request)]
        case .full(let batch, let reply, _): return [.batch(batch), .reply(reply)]
        }
    }
}

// One function an event; each lists all states.
extension Handover {
    @inlinable mutating func submit(_ request: Request) {
        switch current {
        case .free: current = .asking(request)
        case .replied(let reply): current = .askingBefore(request, reply)
        // One request at a time, and none before the reply before it is acknowledged.
        case .asking, .askingBefore, .held, .repliedTwice, .offering, .askingWhileOffering, .full,
            .ended:
            break
        }
    }

    @inlinable mutating func refuse() {
        switch current {
        case .asking: current = .free
        case .askingBefore(_, let reply): current = .replied(reply)
        case .askingWhileOffering(_, let batch): current = .offering(batch, nil)
        // Nothing is under way.
        case .free, .replied, .held, .repliedTwice, .offering, .full, .ended: break
        }
    }

    @inlinable mutating func deliver(
        _ reply: Reply, _ id: RequestID, _ goesOn: Bool
    ) -> Order? {
        switch current {
        case .asking:
            if goesOn {
                current = .replied(reply)
                return .acknowledge(id)
            } else {
                current = .held(reply, id)
            }
        // It came without waiting, as when a write fails.
        case .askingBefore(_, let earlier): current = .repliedTwice(earlier, reply, id)
        case .askingWhileOffering(_, let batch): current = .full(batch, reply, id)
        // Nobody asked: the scan tool need not wait.
        case .free, .replied, .held, .repliedTwice, .offering, .full, .ended:
            return .acknowledge(id)
        }
        return nil
    }

    @inlinable mutating func decode() -> Order? {
        switch current {
        case .replied(let reply):
            current = .free
            return .decode(reply, held: nil)
        case .askingBefore(let request, let reply):
            current = .asking(request)
            return .decode(reply, held: nil)
        case .held(let reply, let id):
            current = .free
            return .decode(reply, held: id)
        case .repliedTwice(let earlier, let reply, let id):
            current = .held(reply, id)
            return .decode(earlier, held: nil)
        // The sinks are at the reply before.
        case .full: break
        // Nothing is to be decoded.
        case .free, .asking, .offering, .askingWhileOffering, .ended: break
        }
        return nil
    }

    @inlinable mutating func keep(_ batch: Batch, _ id: RequestID?) -> Order? {
        switch current {
        case .free: current = .offering(batch, id)
        case .asking(let request): current = .askingWhileOffering(request, batch)
        case .held(let reply, let heldID): current = .full(batch, reply, heldID)
        // No reply is given out to be decoded there.
        case .replied, .askingBefore, .repliedTwice, .offering, .askingWhileOffering, .full, .ended:
            return .lose(batch)
        }
        return nil
    }

    @inlinable mutating func endOffering() -> Order? {
        switch current {
        case .offering(_, let id):
            current = .free
            if let id { return .acknowledge(id) }
        case .askingWhileOffering(let request, _): current = .asking(request)
        case .full(_, let reply, let id): current = .held(reply, id)
        // Nothing is offered.
        case .free, .asking, .replied, .askingBefore, .held, .repliedTwice, .ended:
            break
        }
        return nil
    }
}

extension Handover: Sendable where Request: Sendable, Reply: Sendable, Batch: Sendable {}
extension Handover.State: Sendable where Request: Sendable, Reply: Sendable, Batch: Sendable {}
extension Handover.Event: Sendable where Request: Sendable, Reply: Sendable, Batch: Sendable {}
extension Handover.Rest: Sendable where Request: Sendable, Reply: Sendable, Batch: Sendable {}
extension Handover.Order: Sendable where Request: Sendable, Reply: Sendable, Batch: Sendable {}
