public import OBDCore

/// The way from a request to its reply and from the reply to the sinks, as a pure state machine.
///
/// The next request is written before the reply is decoded, so that the vehicle works in the meantime. There
/// are therefore at most one current request, one undecoded reply, and one batch that a sink has not
/// accepted. With both a batch and a reply, no request is sent. The machine has no clock. Each state owns its
/// data, and every pair of state and event is listed below.
///
/// The scan tool delivers a reply and accepts no request until the reply is acknowledged. A reply that was
/// not acknowledged yet is *held*.
public struct Handover<Request, Reply, Batch> {
    /// The position of the handover.
    public enum State {
        /// There is no request, reply or batch.
        case free
        /// A request is running.
        case asking(Request)
        /// A reply was acknowledged but not decoded.
        case replied(Reply)
        /// The next request is running, and the previous reply is not decoded.
        case askingBefore(Request, Reply)
        /// A reply is held and has to be decoded.
        case held(Reply, RequestID)
        /// A reply is held, and the previous one is not decoded.
        case repliedTwice(Reply, Reply, RequestID)
        /// A sink has no space for a batch; if there is an identifier, its reply is held.
        case offering(Batch, RequestID?)
        /// A sink has no space for a batch, and the next request is running.
        case askingWhileOffering(Request, Batch)
        /// A sink has no space for a batch, and the next reply is held.
        case full(Batch, Reply, RequestID)
        /// The session is over.
        case ended
    }

    /// The events.
    public enum Event {
        /// A request is about to be written.
        case submitted(Request)
        /// The current request was refused.
        case refused
        /// The current request has its outcome; `goesOn` means that the next request need not wait until it
        /// is decoded.
        case delivered(Reply, RequestID, goesOn: Bool)
        /// There is time to decode a reply.
        case decode
        /// A sink has no space for the batch of a decoded reply.
        case kept(Batch, RequestID?)
        /// All sinks have accepted the batch, or it was dropped.
        case gone
    }

    /// An action for the caller.
    public enum Order {
        /// Let the scan tool accept the next request.
        case acknowledge(RequestID)
        /// Decode a reply and offer its batch; then acknowledge it, unless a sink has no space.
        case decode(Reply, held: RequestID?)
        /// Count a batch that no sink accepted.
        case lose(Batch)
    }

    /// Data that remain at the end.
    public enum Rest {
        /// A request without an answer.
        case request(Request)
        /// A reply that arrived too late to be decoded.
        case reply(Reply)
        /// A batch that no sink accepted.
        case batch(Batch)
    }

    /// The position of the handover.
    @inlinable public var state: State { current }

    @usableFromInline var current = State.free

    /// Creates an empty handover.
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

    /// The current request.
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

    /// Handles an event and returns the resulting action.
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

    /// Ends the handover and returns the remaining data, oldest first.
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

// One function per event; each lists all states.
extension Handover {
    @inlinable mutating func submit(_ request: Request) {
        switch current {
        case .free: current = .asking(request)
        case .replied(let reply): current = .askingBefore(request, reply)
        // Only one request may run, and none before the previous reply is acknowledged.
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
        // There is no current request.
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
        // The outcome arrived without a wait, such as after a failed write.
        case .askingBefore(_, let earlier): current = .repliedTwice(earlier, reply, id)
        case .askingWhileOffering(_, let batch): current = .full(batch, reply, id)
        // There was no request, so the scan tool need not wait.
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
        // The sinks still have the previous reply.
        case .full: break
        // There is no reply to decode.
        case .free, .asking, .offering, .askingWhileOffering, .ended: break
        }
        return nil
    }

    @inlinable mutating func keep(_ batch: Batch, _ id: RequestID?) -> Order? {
        switch current {
        case .free: current = .offering(batch, id)
        case .asking(let request): current = .askingWhileOffering(request, batch)
        case .held(let reply, let heldID): current = .full(batch, reply, heldID)
        // In these states no reply is being decoded.
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
        // There is no batch.
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
