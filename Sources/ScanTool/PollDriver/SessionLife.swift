/// How far a session is on its way from its first connection to its end, as a pure machine.
///
/// It decides what a failure means: before the adapter was set up for the first time whoever began
/// wants to know of it at once; later a lost link is awaited. Every pair of state and event is spelled
/// out below.
public struct SessionLife: Hashable, Sendable {
    /// Where it is.
    public enum State: Hashable, Sendable {
        /// The adapter was not set up yet.
        case starting
        /// The adapter was set up.
        case ready
        /// The adapter was set up, and the link was lost since.
        case lost
        /// The end was asked for.
        case stopping
        /// It is over.
        case over(End)
    }

    /// Why it is over.
    public enum End: Hashable, Sendable {
        /// The end was asked for.
        case stopped
        /// Nothing more is tried; `wasReady` = the adapter was set up before.
        case gaveUp(ErrorReason, wasReady: Bool)
        /// The system cannot wait for descriptors.
        case cannotWait(call: String, errno: Int32)
    }

    /// What happens.
    public enum Event: Hashable, Sendable {
        /// The adapter is set up.
        case initialized
        /// The link was closed unexpectedly.
        case linkLost
        /// Something failed; `isAnotherRate` = at a line rate that was taken on trust nothing was
        /// understood.
        case failed(ErrorReason, NextStep, isAnotherRate: Bool)
        /// The end is asked for.
        case stopRequested
        /// The scan tool has come to its orderly end.
        case detached
        /// The system cannot wait for descriptors.
        case cannotWait(call: String, errno: Int32)
    }

    /// What has to be done.
    public enum Order: String, Hashable, Sendable {
        /// Count a link that works again.
        case countReconnect
        /// Let the scan tool try again at once.
        case retry
        /// Let the scan tool come to its orderly end.
        case stopTool
    }

    /// Where it is.
    public private(set) var state = State.starting

    /// A session that begins.
    public init() {}

    /// Why it is over; nil while it is not.
    public var end: End? { if case .over(let end) = state { end } else { nil } }

    /// Whether the end was asked for, or is there.
    public var isEnding: Bool {
        switch state {
        case .starting, .ready, .lost: false
        case .stopping, .over: true
        }
    }

    /// Whether the end was asked for and is awaited.
    public var isStopping: Bool { state == .stopping }

    /// Takes an event; what has to be done about it.
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
        // The scan tool goes on by itself.
        case (.ready, .failed), (.lost, .failed): break
        case (.starting, .stopRequested), (.ready, .stopRequested), (.lost, .stopRequested):
            state = .stopping
            return .stopTool
        case (.stopping, .detached): state = .over(.stopped)
        // Nothing would end the waiting.
        case (.stopping, .failed(_, .givenUp, _)): state = .over(.stopped)
        case (.starting, .cannotWait(let call, let errno)),
            (.ready, .cannotWait(let call, let errno)), (.lost, .cannotWait(let call, let errno)),
            (.stopping, .cannotWait(let call, let errno)):
            state = .over(.cannotWait(call: call, errno: errno))
        // Set up already, or lost already, or not yet set up.
        case (.ready, .initialized), (.lost, .linkLost), (.starting, .linkLost): break
        // The scan tool has not begun, or begins again.
        case (.starting, .detached), (.ready, .detached), (.lost, .detached): break
        // The end is on its way, and the first reason counts.
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
    /// Whether somebody who has just begun would wait without knowing that there is no accessory or
    /// no vehicle.
    fileprivate func leavesUserWaiting(because reason: ErrorReason) -> Bool {
        switch self {
        case .reinitialise: reason.isVehicle
        case .awaitSession, .givenUp: true
        }
    }
}
