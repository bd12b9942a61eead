public import Diagnostics
public import OBDCore

/// A table's text and the name that its faults are reported under.
public struct TableFile: Sendable {
    /// The path, as it was given.
    public var path: String
    /// The whole file, UTF-8.
    public var contents: [UInt8] { didSet { isUTF8 = false } }
    /// Whether it is known to be UTF-8, as what was compiled in is.
    private(set) var isUTF8: Bool

    /// A file's text.
    public init(path: String, contents: [UInt8]) {
        self.path = path
        self.contents = contents
        isUTF8 = false
    }

    /// A text that was compiled in, or whole lines of it.
    init(path: String, embedded: [UInt8]) {
        self.path = path
        contents = embedded
        isUTF8 = true
    }
}

/// One record of a table's text with everything that stands beside its signals.
public struct TableRecord: Sendable {
    /// Its identifier.
    public var dataID: DataID
    /// Its name for people.
    public var name: String
    /// Data bytes after the identifier.
    public var length: ClosedRange<Int>
    /// The ECU to ask; nil asks all.
    public var target: ECUAddress?
    /// The only ECU whose answers the record describes; nil describes those of any.
    public var responder: ECUAddress?
    /// The vehicles that it is of; empty = not known.
    public var vehicles: [VINPattern] = []
    /// The model years that it is of; empty = all, or nobody says.
    public var years: [ClosedRange<Int>] = []
    /// Its signals; flags and conditions count from the first of them.
    public var signals: [Signal] = []

    /// Where its text begins.
    public var file: String
    /// The line of its first word, from 1.
    public var line: Int

    /// The line of each signal.
    public var signalLines: [Int] = []
    /// Positions of the signals that no independent source confirms.
    public var unverified: Set<Int> = []
    /// Positions of the signals whose bits other signals read, too.
    public var shared: Set<Int> = []
    /// What gauges show of signals.
    public var displays: [StatedRange] = []
    /// Smallest and largest values as somebody else states them.
    public var ranges: [StatedRange] = []
    /// Who says so.
    public var sources: [String] = []
    /// What else is worth knowing.
    public var notes: [String] = []
    /// Data and what it means, from outside this program.
    public var examples: [TableExample] = []

    /// What a signal is said to reach.
    public struct StatedRange: Hashable, Sendable {
        /// The signal's position.
        public var signal: Int
        /// The smallest value, with the decimals as written.
        public var low: TableExample.Value
        /// The largest value, with the decimals as written.
        public var high: TableExample.Value
        /// The line, from 1.
        public var line: Int
    }

    /// A record without signals and evidence.
    public init(
        dataID: DataID, name: String, length: ClosedRange<Int>, file: String, line: Int
    ) {
        self.dataID = dataID
        self.name = name
        self.length = length
        self.file = file
        self.line = line
    }
}

/// Data of a record and what somebody else says it means.
public struct TableExample: Hashable, Sendable {
    /// What a signal is said to be.
    public enum Value: Hashable, Sendable {
        /// A number in the signal's unit, with the decimals as written.
        case number(Double, decimals: Int)
        /// A flag.
        case flag(Bool)
        /// Raw bits: the code of an enumeration, a support map.
        case raw(UInt64)
        /// Text, a trouble code, bytes in hexadecimal.
        case text(String)
        /// No value.
        case missing(Reading.Missing)
        /// Not in the record, because its condition is not met.
        case absent
    }

    /// The record's data, byte A first.
    public var data: [UInt8]
    /// Signal position and value.
    public var values: [(signal: Int, value: Value)]
    /// Who says so.
    public var source: String
    /// The line, from 1.
    public var line: Int

    /// Whether line, data and values agree.
    public static func == (left: TableExample, right: TableExample) -> Bool {
        left.line == right.line && left.data == right.data && left.source == right.source
            && left.values.elementsEqual(right.values, by: ==)
    }

    /// Hashes line and data.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(line)
        hasher.combine(data)
    }
}
