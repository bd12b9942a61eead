public import Adapters
public import OBDCore
public import VehicleLink

/// An action that a scan tool requests.
///
/// The caller carries out actions at once and in order, and reports their results before any other event.
public enum Effect: Hashable, Sendable {
    /// Open a session; report ``Event/opened`` or ``Event/openFailed``.
    case open
    /// Write all of these bytes.
    case write([UInt8])
    /// Send ``Event/deadlineExpired(_:)`` after this time; replaces an earlier deadline with the same name.
    case arm(Deadline, after: Duration)
    /// Remove a deadline.
    case disarm(Deadline)
    /// Set the line to this rate after all written bytes are sent; report ``Event/lineRateSet(_:)``.
    ///
    /// Unit: bit/s.
    case setLineRate(Int)
    /// Receive only frames that pass one of these filters; without a filter, all frames.
    case setFilter([CANFilter])
    /// Deliver the outcome of a request; report ``Event/replyProcessed(_:)``.
    // Indirect, because effects are moved around and an outcome is large.
    indirect case deliver(RequestID, Outcome)
    /// Report that a request was refused.
    case refuse(RequestID, Refusal)
    /// Report an event that is not part of a request.
    case notice(Notice)
    /// Report a failure and the next step.
    case report(ErrorReport)
    /// Close the session; report ``Event/closed``.
    case close
}

/// An event that is not part of a request.
public enum Notice: Hashable, Sendable {
    /// The adapter is set up.
    case initialized(AdapterIdentity)
    /// A notice of the dialect.
    case dialect(DialectNotice)
    /// The adapter reported its voltage without a request; unit: V.
    case voltage(Double)
    /// A message without a request.
    case unsolicited(ECUMessage)
    /// A request is sent again.
    case repeated(RequestID)
    /// A reply was discarded, and its request is sent again.
    ///
    /// The answer was damaged in this many places, or had this many messages that answer another request.
    /// `errors` has the faults that can be described.
    case damaged(RequestID, faults: Int, errors: [LinkError])
    /// A line of an adapter that monitors the bus.
    case heard(String)
    /// The frame in a line of an adapter that monitors the bus; reported after its ``heard(_:)``.
    case heardFrame(BusFrame)
}

/// Why a scan tool is in its error state.
public enum ErrorReason: Hashable, Sendable {
    /// The adapter cannot be opened.
    case openFailed
    /// The adapter has disconnected.
    case linkLost
    /// The adapter could not be set up.
    case initialisation(InitialisationFailure)
    /// The set-up of the adapter did not end in time.
    case initialisationTimedOut
    /// The adapter restarted or lost its settings.
    case adapterRestarted
    /// The adapter sent more than any answer has.
    case flooded
    /// The adapter showed no prompt, even after an interrupt.
    case unresponsive
}

extension ErrorReason {
    /// Whether the adapter works but the vehicle does not.
    public var isVehicle: Bool {
        switch self {
        case .initialisation(.noVehicle): true
        case .initialisation, .openFailed, .linkLost, .initialisationTimedOut, .adapterRestarted,
            .flooded, .unresponsive:
            false
        }
    }
}

extension ErrorReason {
    /// Whether repeating the set-up would only waste time.
    ///
    /// This is true if all first commands were tried, or the other end has refused and closes the link.
    var isFinal: Bool {
        switch self {
        case .initialisation(.silent), .initialisation(.notUnderstood),
            .initialisation(.refusesEverything), .initialisation(.busNotOpened),
            .initialisation(.webServer),
            .initialisation(.activationRefused), .initialisation(.headerRefused):
            true
        case .initialisation, .openFailed, .linkLost, .initialisationTimedOut, .adapterRestarted,
            .flooded, .unresponsive:
            false
        }
    }
}

/// The next step after a failure.
public enum NextStep: Hashable, Sendable {
    /// Set up the adapter again over the same session, after this time.
    case reinitialise(after: Duration)
    /// Try to open a new session after this time.
    case awaitSession(after: Duration)
    /// Wait until a retry is requested.
    case givenUp
}

/// A failure and the next step.
public struct ErrorReport: Hashable, Sendable {
    /// The reason of the failure.
    public var reason: ErrorReason
    /// The state in which the failure happened.
    public var phase: StateKind
    /// The number of failures in a row, from 1; only an answered request resets it.
    public var attempt: Int
    /// The next step.
    public var next: NextStep

    /// Creates a report of a failure.
    public init(reason: ErrorReason, phase: StateKind, attempt: Int, next: NextStep) {
        self.reason = reason
        self.phase = phase
        self.attempt = attempt
        self.next = next
    }
}
