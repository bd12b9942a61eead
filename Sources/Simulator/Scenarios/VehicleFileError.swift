import OBDCore

/// A fault in a vehicle file with its position.
public struct VehicleFileError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A line that does not begin with a known word; with the word that was probably meant.
        case unknownWord(String, meant: String?)
        /// A name that a statement does not have, with the names that it has.
        case unknownName(String, of: String, known: [String])
        /// A word that is not valid in its place.
        case malformed(String, wanted: String)
        /// A line that ends too early.
        case missing(String)
        /// Words after the end of a line.
        case unexpected(String)
        /// A line that needs another line before it, such as an ECU or a record.
        case outside(String, of: String)
        /// A line that may only occur once.
        case twice(String)
        /// An unknown quantity of the drive; with the one that was probably meant.
        case unknownQuantity(String, meant: String?)
        /// A combination that is not possible, with a sentence that gives the reason.
        case impossible(String)
        /// Text that is not UTF-8.
        case notUTF8
    }

    /// The path of the file as given.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The fault.
    public var fault: Fault

    /// One sentence for the user.
    public var reason: String {
        switch fault {
        case .unknownWord(let word, let meant):
            "a line cannot begin with `\(word)`" + (meant.map { "; did you mean `\($0)`?" } ?? "")
        case .unknownName(let word, let statement, let known):
            "`\(statement)` has no `\(word)`"
                + (nearestName(to: word, among: known).map { "; did you mean `\($0)`?" }
                    ?? ", but " + known.sorted().joined(separator: ", "))
        case .malformed(let word, let wanted): "`\(word)` is not \(wanted)"
        case .missing(let what): "\(what) is missing"
        case .unexpected(let word): "`\(word)` is not allowed here"
        case .outside(let word, let place): "`\(word)` comes before the \(place) it belongs to"
        case .twice(let what): "\(what) is there twice"
        case .unknownQuantity(let name, let meant):
            "there is no quantity `\(name)`; "
                + (meant.map { "did you mean `\($0)`?" } ?? "obdscan-vehicle(5) lists them")
        case .impossible(let why): why
        case .notUTF8: "the text is not UTF-8"
        }
    }
}

extension VehicleFileError: CustomStringConvertible {
    /// `FILE:LINE: reason`, in the format of compilers.
    public var description: String { "\(file):\(line): \(reason)" }
}
