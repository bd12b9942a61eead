/// An error that knows its own sentence.
public protocol Explained: Error {
    /// The error in words for the user.
    var explanation: Explanation { get }
}

/// An error in words for the user: what happened, what to do about it, and a category for programs.
public struct Explanation: Hashable, Sendable {
    /// The category of an error; obdscan has an exit code for each.
    public enum Category: Hashable, Sendable, CaseIterable {
        /// The user's request is not possible, or is not written correctly.
        case usage
        /// An input is damaged, or has a form that is not known.
        case badInput
        /// An input is missing.
        case noInput
        /// The adapter or the vehicle is missing, in use, or does not answer.
        case unavailable
        /// The answer did not come in time; the next try may succeed.
        case timedOut
        /// The session was open and ended.
        case lost
        /// The user lacks a permission.
        case noPermission
        /// An output cannot be created or written.
        case cannotCreate
        /// The configuration is wrong.
        case configuration
        /// A fault of the program itself.
        case bug
        /// The user, or the reader of the output, ended the command; no message is needed.
        case ended
    }

    /// Names the thing and says what happened to it, without a full stop or a line break; empty if there is
    /// nothing to tell.
    public var message: String
    /// The remedy; nil if none is known.
    public var hint: String?
    /// The category for programs.
    public var category: Category
    /// Whether the adapter works and the vehicle does not answer: the vehicle may be off.
    public var isOfSilentVehicle: Bool

    /// Describes an error in words.
    public init(
        _ message: String, hint: String? = nil, _ category: Category,
        isOfSilentVehicle: Bool = false
    ) {
        self.message = message
        self.hint = hint
        self.category = category
        self.isOfSilentVehicle = isOfSilentVehicle
    }

    /// An end that needs no message.
    public static let ended = Explanation("", .ended)
}

/// A fault whose sentence names a place that the caller provides: an accessory or a file.
public protocol ExplainedAt {
    /// The fault in words for the user.
    func explanation(at place: String) -> Explanation
}

extension Explanation {
    /// The words of an error that occurred at `place`; nil for an error that has none.
    public init?(of error: any Error, at place: String) {
        switch error {
        case let error as any Explained: self = error.explanation
        case let error as any ExplainedAt: self = error.explanation(at: place)
        default: return nil
        }
    }
}
