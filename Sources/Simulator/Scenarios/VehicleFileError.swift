/// A fault in a vehicle file: where it is and what is wrong.
public struct VehicleFileError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Fault: Hashable, Sendable {
        /// A line that begins with none of the words a vehicle file knows.
        case unknownWord(String)
        /// A word that is not what is in its place.
        case malformed(String, wanted: String)
        /// A line that ends too early.
        case missing(String)
        /// Words after the end of a line.
        case unexpected(String)
        /// A line that belongs to something that has not begun: an ECU, a record.
        case outside(String, of: String)
        /// Something that must be there once is there twice.
        case twice(String)
        /// A quantity of the drive that does not exist.
        case unknownQuantity(String)
        /// Something that cannot be as it is; one sentence says why.
        case impossible(String)
        /// Text that is not UTF-8.
        case notUTF8
    }

    /// The file, as it was given.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// What is wrong.
    public var fault: Fault

    /// One sentence for people.
    public var reason: String {
        switch fault {
        case .unknownWord(let word): "a line cannot begin with `\(word)`"
        case .malformed(let word, let wanted): "`\(word)` is not \(wanted)"
        case .missing(let what): "\(what) is missing"
        case .unexpected(let word): "`\(word)` is not allowed here"
        case .outside(let word, let place): "`\(word)` comes before the \(place) it belongs to"
        case .twice(let what): "\(what) is there twice"
        case .unknownQuantity(let name):
            "there is no quantity `\(name)`; obdscan-vehicle(5) lists them"
        case .impossible(let why): why
        case .notUTF8: "the text is not UTF-8"
        }
    }
}

extension VehicleFileError: CustomStringConvertible {
    /// `FILE:LINE: reason`, as compilers write it.
    public var description: String { "\(file):\(line): \(reason)" }
}
