/// The life of a session from its first connection to its end, as a pure state machine.
///
/// The state machine decides the consequences of a failure. Before the adapter was set up for the first time,
/// the caller gets the failure at once; later, the session waits for a lost link to return. Every pair of
/// state and event is listed below.
public struct SessionLife: Hashable, Sendable {
    /// The state of the session's life.
    public enum State: Hashable, Sendable {
        /// The adapter was not set up yet.
        case starting
        /// The adapter has been set up.
        case ready
        /// The adapter had been set up, but the link was lost since.
        case lost
        /// The end was requested.
        case stopping
        /// The session has ended.
        case over(End)
    }

    /// Why the session ended.
    public enum End: Hashable, Sendable {
        /// The end was requested.
        case stopped
        /// No further attempt is made; `wasReady` means that the adapter had been set up.
        case gaveUp(ErrorReason, wasReady: Bool)
        /// The system cannot wait for descriptors.
        case cannotWait(call: String, errno: Int32)
    }

    /// The events.
    public enum Event: Hashable, Sendable {
        /// The adapter is set up.
        case initialized
        /// The link was closed unexpectedly.
        case linkLost
        /// A failure; `isAnotherRate` means that the adapter sent nothing that makes sense at an untested
        /// line rate.
        case failed(ErrorReason, NextStep, isAnotherRate: Bool)
        /// The end was requested.
        case stopRequested
        /// The scan tool has ended in order.
        case detached
        /// The system cannot wait for descriptors.
        case cannotWait(call: String, errno: Int32)
    }

    /// An action for the caller.
    public enum Order: String, Hashable, Sendable {
        /// Count a restored link.
        case countReconnect
        /// Let the scan tool try again at once.
        case retry
        /// End the scan tool in order.
        case stopTool
    }

    /// The state of the session's life.
    public private(set) var state = State.starting

    /// A session at its start.
    public init() {}

    /// Why the session ended; nil if it has not ended.
    public var end: End? { if case .over(let end) = state { end } else { nil } }

    /// Whether the end was requested or reached.
    public var isEnding: Bool {
        switch state {
        case .starting, .ready, .lost: false
        case .stopping, .over: true
        }
    }

    /// Whether the end was requested but not reached yet.
    public var isStopping: Bool { state == .stopping }

    /// Handles an event and returns the resulting action.
    public mutating func take(_ event: Event) -> Order? {
        switch (state, event) {
        case (.starting, .initialized): state = .ready
        case (.lost, .initialized):
            state = .ready
            return .countReconnect
        case (.ready, .linkLost): state = .lost
        case (.starting, .failed(_, _, isAnotherRate: true)): return .retry
        case (.starting, .failed(let reason, let next, isAnotherRate: false)):
            if next.leavesUserWaiting(because: reason) {
                state = .over(.gaveUp(reason, wasReady: false))
            }
        case (.ready, .failed(let reason, .givenUp, _)), (.lost, .failed(let reason, .givenUp, _)):
            state = .over(.gaveUp(reason, wasReady: true))
        // The scan tool retries by itself.
        case (.ready, .failed), (.lost, .failed): break
        case (.starting, .stopRequested), (.ready, .stopRequested), (.lost, .stopRequested):
            state = .stopping
            return .stopTool
        case (.stopping, .detached): state = .over(.stopped)
        // No other event would end the wait.
        case (.stopping, .failed(_, .givenUp, _)): state = .over(.stopped)
        case (.starting, .cannotWait(let call, let errno)),
            (.ready, .cannotWait(let call, let errno)), (.lost, .cannotWait(let call, let errno)),
            (.stopping, .cannotWait(let call, let errno)):
            state = .over(.cannotWait(call: call, errno: errno))
        // The adapter is already set up, the link is already lost, or was never set up.
        case (.ready, .initialized), (.lost, .linkLost), (.starting, .linkLost): break
        // The scan tool has not started, or restarts.
        case (.starting, .detached), (.ready, .detached), (.lost, .detached): break
        // The end is already in progress, and the first reason counts.
        case (.stopping, .initialized), (.stopping, .linkLost), (.stopping, .failed),
            (.stopping, .stopRequested):
            break
        case (.over, .initialized), (.over, .linkLost), (.over, .failed), (.over, .stopRequested),
            (.over, .detached), (.over, .cannotWait):
            break
        }
        return nil
    }
}

extension NextStep {
    /// Whether the user, just after the start, would wait without knowing that there is no adapter or no
    /// vehicle.
    fileprivate func leavesUserWaiting(because reason: ErrorReason) -> Bool {
        switch self {
        case .reinitialise: reason.isVehicle
        case .awaitSession, .givenUp: true
        }
    }
}
