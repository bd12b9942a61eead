/// Whether one may drive on, the gravest first.
public enum DriveAdvice: String, Hashable, Comparable, CaseIterable, Sendable {
    /// Stop as soon as it is safe.
    case stop
    /// Something is damaged or fails soon: have it looked at within days.
    case soon
    /// Emissions or comfort only: within weeks.
    case weeks
    /// Good to know, nothing more.
    case note

    /// The gravest comes first.
    public static func < (left: DriveAdvice, right: DriveAdvice) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .stop: 0
        case .soon: 1
        case .weeks: 2
        case .note: 3
        }
    }

    /// A few words that answer the question.
    public var words: String {
        switch self {
        case .stop: "no, stop"
        case .soon: "yes, but have it repaired soon"
        case .weeks: "yes, have it repaired within weeks"
        case .note: "yes"
        }
    }
}

/// What is said beside the codes of one kind of fault: causes, what to watch, what proves the repair.
public struct CodeFamily: Hashable, Sendable {
    /// A likely cause.
    public struct Cause: Hashable, Sendable {
        /// What.
        public var what: String
        /// How to check it; empty where there is nothing to say.
        public var check: String
    }

    /// Signals to look at.
    public struct Watch: Hashable, Sendable {
        /// Names as `live` takes them.
        public var signals: [String]
        /// What they should show; empty where there is nothing to say.
        public var meaning: String
        /// For which codes; empty = all.
        var codes: [ClosedRange<UInt16>]
    }

    /// A sentence for some codes alone.
    struct Note: Hashable, Sendable {
        var codes: [ClosedRange<UInt16>]
        var text: String
    }

    /// A word for programs: `misfire`.
    public var id: String
    /// A title for people.
    public var title: String
    /// The codes that it owns, unless another family has a narrower range.
    public internal(set) var codes: [ClosedRange<UInt16>] = []
    /// Whether one may drive on; nil for families of codes by their text.
    public internal(set) var drive: DriveAdvice?
    /// Why, or when not.
    public internal(set) var driveReason = ""
    /// What the driver notices.
    public internal(set) var notice = ""
    /// Likely causes, the likeliest and cheapest to check first.
    public internal(set) var causes: [Cause] = []
    /// Signals to look at.
    public internal(set) var watches: [Watch] = []
    var notes: [Note] = []
    /// The monitors that prove a repair.
    public internal(set) var monitors: [MonitorStatus.Monitor] = []
    /// Monitor ids of service 06 that belong to it.
    public internal(set) var tests: [ClosedRange<UInt8>] = []
    /// How the code goes where it is not the usual way; empty otherwise.
    public internal(set) var clears = ""
    /// Whether repair statistics name the first causes.
    public internal(set) var isFromStatistics = false
    /// What is in the texts of its codes, in families of codes by their text.
    var says: [String] = []
}

/// What can be said of one code.
public struct CodeExplanation: Hashable, Sendable {
    /// How sure it is.
    public enum Certainty: String, Hashable, Sendable {
        /// Repair statistics name the first causes.
        case statistics
        /// General knowledge of workshops; nobody has counted.
        case general
        /// From the kind of fault alone.
        case kind
    }

    /// The family's word for programs.
    public var family: String
    /// The family's title for people.
    public var title: String
    /// Whether one may drive on; nil where it is unknown.
    public var drive: DriveAdvice?
    /// Why, or when not; empty where there is nothing to say.
    public var driveReason: String
    /// What the driver notices.
    public var notice: String
    /// What this very code says beside its text.
    public var notes: [String]
    /// Likely causes, the likeliest and cheapest to check first.
    public var causes: [CodeFamily.Cause]
    /// Signals to look at; nil where there are none.
    public var watch: CodeFamily.Watch?
    /// The monitors that prove a repair.
    public var monitors: [MonitorStatus.Monitor]
    /// Monitor ids of service 06 that belong to it.
    public var tests: [ClosedRange<UInt8>]
    /// How the code goes.
    public var clears: String
    /// How sure it is.
    public var certainty: Certainty
}
