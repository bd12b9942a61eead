public import Adapters
public import OBDCore
public import VehicleLink

/// Everything that was received for one request.
public struct Reply: Hashable, Sendable {
    /// Complete messages, in the order of their completion.
    public var messages: [ECUMessage] = []
    /// Damaged or incomplete frames.
    public var errors: [LinkError] = []
    /// The statuses of the adapter.
    public var statuses: [AdapterStatus] = []
    /// Lines of an adapter command's answer.
    public var texts: [String] = []
    /// The voltage that the adapter reported; unit: V.
    public var voltage: Double?
    /// Frames of a monitored bus.
    public var frames: [BusFrame] = []
    /// Whether an ECU sent "response pending" (NRC 78), including in repeated attempts.
    ///
    /// An adapter's count digit counts this frame.
    public var wasPending = false
    /// The received bytes, cut off after ``rawLimit``.
    public var raw: [UInt8] = []

    /// The most bytes in ``raw``.
    public static let rawLimit = 65_536

    /// An empty reply.
    public init() {}

    /// The status with which the adapter restarted; nil if the reply shows none.
    package var restart: AdapterStatus? { statuses.last { $0.recovery == .initialise } }

    /// The statuses, and a damaged answer as a status, that a user has to know.
    ///
    /// Silence and an unknown command are not among them: a vehicle lacks many signals, and an adapter many
    /// commands.
    package var troubles: [AdapterStatus] {
        let isMarked = errors.contains { $0.fault == .markedByAdapter }
        return statuses.filter { $0 != .noData && $0 != .unknownCommand }
            + (isMarked ? [.dataError] : [])
    }
}

/// A frame of a monitored bus.
public struct BusFrame: Hashable, Sendable {
    /// The frame's identifier; nil if headers are off.
    public var id: ECUAddress?
    /// The frame's data.
    public var data: [UInt8]

    /// A frame.
    public init(id: ECUAddress?, data: [UInt8]) {
        self.id = id
        self.data = data
    }
}

/// Why an exchange failed.
public enum Failure: Hashable, Sendable {
    /// The reply did not end in time.
    case timedOut
    /// The reply was interrupted by a stop.
    case stopped
    /// The adapter restarted or lost its settings; the request may have reached the vehicle.
    case adapterRestarted
    /// The adapter restarted, or a typed command changed its protocol, before the request was written, so the
    /// vehicle never received it.
    case restartedBeforeSending
    /// The adapter sent more bytes than any answer has.
    case flooded
    /// Every message answers another request, even after a repetition if one was allowed.
    case outOfStep
    /// The adapter's dialect cannot send such a request, so nothing was written.
    case notSent
    /// The session ended before the reply did.
    case linkLost
}

/// The outcome of a request; each request has exactly one.
public enum Outcome: Hashable, Sendable {
    /// The reply is complete.
    case answered(Reply)
    /// There is no complete reply; `soFar` has the received part.
    case failed(Failure, soFar: Reply)

    /// The received data, complete or not.
    public var reply: Reply {
        switch self {
        case .answered(let reply), .failed(_, let reply): reply
        }
    }
}

/// Why a request was refused.
public enum Refusal: Hashable, Sendable {
    /// The adapter is not set up (yet).
    case notReady
    /// Another request is running.
    case busy
    /// A stop was requested.
    case stopping
    /// The scan tool is in its error state.
    case inError
    /// The request is not known to be read-only and has no consent, so nothing was sent.
    case needsConsent
}
