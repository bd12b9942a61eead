public import Adapters
public import OBDCore
public import VehicleLink

/// Everything that came back for one request.
public struct Reply: Hashable, Sendable {
    /// Whole messages, in the order of their completion.
    public var messages: [ECUMessage] = []
    /// Damaged or unfinished frames.
    public var errors: [LinkError] = []
    /// What the adapter said in words.
    public var statuses: [AdapterStatus] = []
    /// Lines of an adapter command's answer.
    public var texts: [String] = []
    /// The voltage that the adapter reported; unit: V.
    public var voltage: Double?
    /// Frames of a bus that was listened to.
    public var frames: [BusFrame] = []
    /// Whether an ECU said on the way to it, repeats included, that its answer would take longer (NRC
    /// 78): a frame that an adapter's count digit counts.
    public var wasPending = false
    /// The bytes as received, cut off after ``rawLimit``.
    public var raw: [UInt8] = []

    /// Bytes that ``raw`` keeps at most.
    public static let rawLimit = 65_536

    /// An empty reply.
    public init() {}
}

/// A frame of a bus that was listened to.
public struct BusFrame: Hashable, Sendable {
    /// Its identifier; nil where headers are off.
    public var id: ECUAddress?
    /// Its data.
    public var data: [UInt8]

    /// A frame.
    public init(id: ECUAddress?, data: [UInt8]) {
        self.id = id
        self.data = data
    }
}

/// Why an exchange failed.
public enum Failure: Hashable, Sendable {
    /// No end of the reply in time.
    case timedOut
    /// The reply was cut short because a stop was asked for.
    case stopped
    /// The adapter restarted or lost its settings; the request may have reached the vehicle.
    case adapterRestarted
    /// The adapter restarted before the request was written: the vehicle never got it.
    case restartedBeforeSending
    /// More bytes came than any answer has.
    case flooded
    /// Every message answers another request; where it may be repeated, twice.
    case outOfStep
    /// The adapter's dialect cannot send such a request: nothing was written.
    case notSent
    /// The session ended before the reply did.
    case linkLost
}

/// What became of a request; each request has exactly one.
public enum Outcome: Hashable, Sendable {
    /// The reply is complete.
    case answered(Reply)
    /// No complete reply; `soFar` holds what came.
    case failed(Failure, soFar: Reply)

    /// Whatever came, complete or not.
    public var reply: Reply {
        switch self {
        case .answered(let reply), .failed(_, let reply): reply
        }
    }
}

/// Why a request was not taken.
public enum Refusal: Hashable, Sendable {
    /// The adapter is not set up (yet).
    case notReady
    /// Another request is under way.
    case busy
    /// A stop was asked for.
    case stopping
    /// The scan tool is in its error state.
    case inError
    /// It is not known to only read, and there is no consent: nothing was sent.
    case needsConsent
}
