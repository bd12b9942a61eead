/// Whether driving on is safe, the most serious first.
public enum DriveAdvice: String, Hashable, Comparable, CaseIterable, Sendable {
    /// Stop at the next safe place.
    case stop
    /// Something is damaged or fails soon: have it checked within days.
    case soon
    /// Only emissions or comfort are affected: have it checked within weeks.
    case weeks
    /// For information only.
    case note

    /// The most serious comes first.
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

    /// The answer where nothing is known about a code.
    public static let unknown = "not known; a red or flashing light means stop"

    /// When a fault with which one may drive on has to be repaired; nil for other advice.
    var urgency: String? {
        switch self {
        case .soon: "soon"
        case .weeks: "within weeks"
        case .stop, .note: nil
        }
    }

    /// A short answer in words.
    public var words: String {
        switch self {
        case .stop: "no, stop"
        case .soon: "yes, but have it repaired soon"
        case .weeks: "yes, have it repaired within weeks"
        case .note: "yes"
        }
    }
}

/// The explanation for a family of codes: causes, signals to watch, and monitors that prove the repair.
public struct CodeFamily: Hashable, Sendable {
    /// A likely cause.
    public struct Cause: Hashable, Sendable {
        /// The cause.
        public var what: String
        /// How to check the cause; may be empty.
        public var check: String
        /// The meanings that the cause can have; with no codes either, all.
        var meanings: Set<CodeMeaning> = []
        /// The codes that the cause can have.
        var codes: [ClosedRange<UInt16>] = []
    }

    /// Signals to watch.
    public struct Watch: Hashable, Sendable {
        /// Signal names for `live`.
        public var signals: [String]
        /// The expected values; may be empty.
        public var meaning: String
        /// The codes to which the answer applies; empty for all.
        var codes: [ClosedRange<UInt16>]
    }

    /// A sentence that applies to some codes only; to all without codes.
    struct Note: Hashable, Sendable {
        var codes: [ClosedRange<UInt16>]
        var text: String
    }

    /// An identifier for programs: `misfire`.
    public var id: String
    /// A title for the user.
    public var title: String
    /// The family's codes, except those that another family has in a narrower range.
    public internal(set) var codes: [ClosedRange<UInt16>] = []
    /// The family's codes of SAE J1939.
    var trucks: [CodeExplanations.TruckCode] = []
    /// Whether driving on is safe; nil if the advice differs from code to code.
    public internal(set) var drive: DriveAdvice?
    /// The reason, or the exceptions.
    public internal(set) var driveReason = ""
    /// The symptoms for the driver.
    public internal(set) var notice = ""
    /// Likely causes, the most likely and cheapest to check first.
    public internal(set) var causes: [Cause] = []
    /// Signals to watch.
    public internal(set) var watches: [Watch] = []
    /// The causes of a fault of which only the family is known.
    public var unspecificCauses: [Cause] {
        causes.filter { cause in
            cause.meanings.contains(.none) || cause.meanings.isEmpty && cause.codes.isEmpty
        }
    }
    var notes: [Note] = []
    /// The monitors that prove a repair.
    public internal(set) var monitors: [MonitorStatus.Monitor] = []
    /// Monitor ids of service 06 that belong to the family.
    public internal(set) var tests: [ClosedRange<UInt8>] = []
    /// How the code is erased, if it differs from the usual way; empty otherwise.
    public internal(set) var clears = ""
    /// Whether the first causes are from repair statistics.
    public internal(set) var isFromStatistics = false
}

/// The explanation of a single code.
public struct CodeExplanation: Hashable, Sendable {
    /// How reliable the explanation is.
    public enum Certainty: String, Hashable, Sendable {
        /// The first causes are from repair statistics.
        case statistics
        /// General workshop knowledge without statistics.
        case general
    }

    /// The family's identifier for programs; that of the meaning if no family has the code.
    public var family: String
    /// The fault that the code describes.
    public var meaning: CodeMeaning
    /// The family's title for the user.
    public var title: String
    /// Whether driving on is safe; nil if unknown.
    public var drive: DriveAdvice?
    /// The reason, or the exceptions; may be empty.
    public var driveReason: String
    /// Whether the code refers to other controllers, whose codes decide about driving on.
    public var dependsOnOthers = false
    /// Whether a drive of any kind shows that the fault is gone.
    public var showsInEveryDrive = true
    /// The symptoms for the driver.
    public var notice: String
    /// Additional notes about this code.
    public var notes: [String]
    /// Likely causes, the most likely and cheapest to check first.
    public var causes: [CodeFamily.Cause]
    /// Signals to watch; nil if there are none.
    public var watch: CodeFamily.Watch?
    /// The monitors that prove a repair.
    public var monitors: [MonitorStatus.Monitor]
    /// Monitor ids of service 06 that belong to the family.
    public var tests: [ClosedRange<UInt8>]
    /// The dangers, a sentence for each hazard of the code or of the advice.
    public var hazards: [String]
    /// How the code is erased.
    public var clears: String
    /// How reliable the causes are; nil if nothing is known about this very code.
    public var certainty: Certainty?

    /// Whether one may drive on, with the reason.
    public var driving: String {
        guard let drive else {
            return driveReason.isEmpty ? DriveAdvice.unknown : "not known: \(driveReason)"
        }
        return drive.words + (driveReason.isEmpty ? "" : ": \(driveReason)")
    }
}
