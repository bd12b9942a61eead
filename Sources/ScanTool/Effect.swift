public import Adapters
public import OBDCore
public import VehicleLink

/// What a scan tool wants done; its caller does it at once and in order, and answers orders
/// before it passes on anything else.
public enum Effect: Hashable, Sendable {
    /// Open a session; answer with ``Event/opened`` or ``Event/openFailed``.
    case open
    /// Write these bytes, all of them.
    case write([UInt8])
    /// Send ``Event/deadlineExpired(_:)`` after this time; replaces an earlier one of the same name.
    case arm(Deadline, after: Duration)
    /// Forget a deadline.
    case disarm(Deadline)
    /// Set the line to this rate once everything written is sent; answer with
    /// ``Event/lineRateSet(_:)``. Unit: bit/s.
    case setLineRate(Int)
    /// Hand on what became of a request; answer with ``Event/replyProcessed(_:)``.
    // Behind a pointer: effects are passed about, and an outcome is large.
    indirect case deliver(RequestID, Outcome)
    /// Tell that a request was not taken.
    case refuse(RequestID, Refusal)
    /// Tell what happened beside requests.
    case notice(Notice)
    /// Tell of a failure and what comes next.
    case report(ErrorReport)
    /// Close the session; answer with ``Event/closed``.
    case close
}

/// What happens beside requests.
public enum Notice: Hashable, Sendable {
    /// The adapter is set up.
    case initialized(AdapterIdentity)
    /// What the dialect says.
    case dialect(DialectNotice)
    /// The adapter tells its voltage unasked; unit: V.
    case voltage(Double)
    /// A message that was not asked for.
    case unsolicited(ECUMessage)
    /// A request is sent once more.
    case repeated(RequestID)
    /// A reply was damaged in this many places, or brought this many messages that answer another request,
    /// and is not used: its request is sent once more. `errors` are those that have words of their own.
    case damaged(RequestID, faults: Int, errors: [LinkError])
    /// A line of an adapter that prints what it hears.
    case heard(String)
    /// The frame in a line of an adapter that prints what it hears; after its ``heard(_:)``.
    case heardFrame(BusFrame)
}

/// Why a scan tool is in its error state.
public enum ErrorReason: Hashable, Sendable {
    /// The accessory cannot be opened.
    case openFailed
    /// The accessory has gone.
    case linkLost
    /// The adapter could not be set up.
    case initialisation(InitialisationFailure)
    /// The adapter's setting up came to no end.
    case initialisationTimedOut
    /// The adapter restarted or lost its settings.
    case adapterRestarted
    /// The adapter sent more than any answer has.
    case flooded
    /// The adapter gave no prompt even when interrupted.
    case unresponsive
}

extension ErrorReason {
    /// Whether the adapter works and the vehicle does not.
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
    /// Whether every first word was tried already, or the other end has refused and closes the link: more
    /// of the same would only take time.
    var isFinal: Bool {
        switch self {
        case .initialisation(.silent), .initialisation(.notUnderstood),
            .initialisation(.refusesEverything), .initialisation(.webServer),
            .initialisation(.activationRefused), .initialisation(.headerRefused):
            true
        case .initialisation, .openFailed, .linkLost, .initialisationTimedOut, .adapterRestarted,
            .flooded, .unresponsive:
            false
        }
    }
}

/// What comes after a failure.
public enum NextStep: Hashable, Sendable {
    /// The adapter is set up again over the same session, after this time.
    case reinitialise(after: Duration)
    /// A new session is awaited, tried for after this time.
    case awaitSession(after: Duration)
    /// Nothing, until someone asks for a retry.
    case givenUp
}

/// A failure and what comes next.
public struct ErrorReport: Hashable, Sendable {
    /// What happened.
    public var reason: ErrorReason
    /// In which state it happened.
    public var phase: StateKind
    /// Failures in a row, from 1; back to 0 only when a request was answered.
    public var attempt: Int
    /// What comes next.
    public var next: NextStep

    /// A failure and what comes next.
    public init(reason: ErrorReason, phase: StateKind, attempt: Int, next: NextStep) {
        self.reason = reason
        self.phase = phase
        self.attempt = attempt
        self.next = next
    }
}
