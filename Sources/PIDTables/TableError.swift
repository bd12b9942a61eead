public import OBDCore

/// A fault in a table's text: where it is and what is wrong.
public struct TableError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Fault: Hashable, Sendable {
        /// A line that begins with none of the words a table knows.
        case unknownWord(String)
        /// A word of a line that cannot be there.
        case unexpected(String, after: String)
        /// A line that ends too early.
        case missing(String)
        /// A word that is not what is in its place: a number, bits, an identifier.
        case malformed(String, wanted: String)
        /// A line that belongs to a record or to a signal, before the first one.
        case outside(String)
        /// Bits that do not fit the record; unit: bytes.
        case beyondRecord(signal: String, needed: Int, length: Int)
        /// A signal of no bits, or a number of more than 64.
        case width(signal: String, bits: Int)
        /// Bits that cannot hold the number as it is said to be coded.
        case encoding(signal: String)
        /// A record whose request is not known to only read.
        case writes(DataID)
        /// A record that is asked at an address that is not for diagnostics.
        case address(DataID, ECUAddress)
        /// A flag or deciding signal that the record does not have.
        case unknownSignal(String)
        /// Text that is not UTF-8.
        case notUTF8
        /// A record without a signal.
        case empty(DataID)
    }

    /// The file, as it was given.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// What is wrong.
    public var fault: Fault

    /// A fault at a line of a file.
    public init(file: String, line: Int, _ fault: Fault) {
        self.file = file
        self.line = line
        self.fault = fault
    }

    /// One sentence for people.
    public var reason: String {
        switch fault {
        case .unknownWord(let word):
            "a line cannot begin with `\(word)`"
        case .unexpected(let word, let place):
            "`\(word)` cannot follow `\(place)`"
        case .missing(let what):
            "\(what) is missing"
        case .malformed(let word, let wanted):
            "`\(word)` is not \(wanted)"
        case .outside(let word):
            "`\(word)` comes before the line that it belongs to"
        case .beyondRecord(let signal, let needed, let length):
            "\(signal) needs \(needed) bytes, the record has \(length)"
        case .width(let signal, let bits):
            "\(signal) has \(bits) bits; a number has 1 to 64, text and bytes are whole bytes"
        case .encoding(let signal):
            "\(signal) does not fit: float has 32 or 64 bits, bcd 4 a digit and no sign"
        case .writes(let id) where id.service == DataID.parameterGroups:
            "record \(id): it is not known that a request for this parameter group only reads"
        case .writes(let id):
            "record \(id): service \(id.service) does more than read, so no table may ask for it"
        case .address(let id, let target):
            "record \(id): \(target) is not known as an address for diagnostics"
        case .unknownSignal(let name):
            "the record has no signal `\(name)`"
        case .notUTF8:
            "the text is not UTF-8"
        case .empty(let id):
            "record \(id) has no signal"
        }
    }
}

extension TableError: CustomStringConvertible {
    /// `FILE:LINE: reason`, as compilers write it.
    public var description: String { "\(file):\(line): \(reason)" }
}
