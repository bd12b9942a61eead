public import OBDCore

/// A fault in a table's text with its position.
public struct TableError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// A line that does not begin with a known word.
        case unknownWord(String)
        /// A word that is not allowed in its line.
        case unexpected(String, after: String)
        /// A line that ends too early.
        case missing(String)
        /// A word that is not valid in its place: a number, bits, an identifier.
        case malformed(String, wanted: String)
        /// A line for a record or a signal before the first one.
        case outside(String)
        /// Bits beyond the end of the record; unit: bytes.
        case beyondRecord(signal: String, needed: Int, length: Int)
        /// A signal without bits, or a number of more than 64 bits.
        case width(signal: String, bits: Int)
        /// Bits that do not match the encoding of the number.
        case encoding(signal: String)
        /// A record whose request is not known to only read.
        case writes(DataID)
        /// A record whose request address is not for diagnostics.
        case address(DataID, ECUAddress)
        /// A record without a request address whose ECU would be asked at an address that is not for
        /// diagnostics.
        case reply(DataID, ECUAddress)
        /// A flag or condition signal that is not in the record.
        case unknownSignal(String)
        /// A signal whose condition depends on itself, or on too many others.
        case circle(signal: String)
        /// Text that is not UTF-8.
        case notUTF8
        /// A record without a signal.
        case empty(DataID)
    }

    /// The path of the file as given.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The fault.
    public var fault: Fault

    /// A fault in a line of a file.
    public init(file: String, line: Int, _ fault: Fault) {
        self.file = file
        self.line = line
        self.fault = fault
    }

    /// One sentence for the user.
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
            "\(signal) needs \(counted(needed, "byte")), the record has \(length)"
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
        case .reply(let id, let ecu):
            "record \(id): \(ecu) has no header, and would be asked at \(ecu.physicalRequest), which is "
                + "not known as an address for diagnostics"
        case .unknownSignal(let name):
            "the record has no signal `\(name)`"
        case .circle(let signal):
            "the condition of \(signal) depends on itself, or on too many signals"
        case .notUTF8:
            "the text is not UTF-8"
        case .empty(let id):
            "record \(id) has no signal"
        }
    }
}

extension TableError: CustomStringConvertible {
    /// `FILE:LINE: reason`, in the format of compilers.
    public var description: String { "\(file):\(line): \(reason)" }
}

extension TableError: Explained {
    /// A fault in a user's table; the embedded tables are checked when obdscan is built.
    public var explanation: Explanation {
        Explanation(
            description, hint: "\"obdscan pids lint FILE\" checks a table; see obdscan-pids(5)",
            .badInput)
    }
}
