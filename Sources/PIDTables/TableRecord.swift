public import Diagnostics
public import OBDCore

/// A table's text with its name for messages.
public struct TableFile: Sendable {
    /// The path as given.
    public var path: String
    /// The whole file, UTF-8.
    public var contents: [UInt8] { didSet { isUTF8 = false } }
    /// Whether the user named the file for this vehicle or input, so that its records fit the vehicle.
    public var isNamed = false
    /// Whether the text is known to be UTF-8, as embedded text is.
    private(set) var isUTF8: Bool

    /// A file's text.
    public init(path: String, contents: [UInt8]) {
        self.path = path
        self.contents = contents
        isUTF8 = false
    }

    /// Embedded text, or whole lines of it.
    init(path: String, embedded: [UInt8]) {
        self.path = path
        contents = embedded
        isUTF8 = true
    }
}

/// A record in a table's text with all its details.
public struct TableRecord: Sendable {
    /// The record's identifier.
    public var dataID: DataID
    /// The record's name for the user.
    public var name: String
    /// The number of data bytes after the identifier.
    public var length: ClosedRange<Int>
    /// The ECU to ask; nil for all ECUs.
    public var target: ECUAddress?
    /// The only ECU for whose answers the record is valid; nil for any ECU.
    public var responder: ECUAddress?
    /// The vehicles for which the record is valid; empty if not known.
    public var vehicles: [VINPattern] = []
    /// The model years for which it is valid; empty for all, or if not known.
    public var years: [ClosedRange<Int>] = []
    /// The record's signals; indices in flags and conditions are relative to the first one.
    public var signals: [Signal] = []

    /// The file with its text.
    public var file: String
    /// The line of the record's first word, from 1.
    public var line: Int

    /// The line of each signal.
    public var signalLines: [Int] = []
    /// Indices of the signals that no independent source confirms.
    public var unverified: Set<Int> = []
    /// Indices of the signals whose bits other signals also use.
    public var shared: Set<Int> = []
    /// The ranges on gauges.
    public var displays: [StatedRange] = []
    /// Smallest and largest values according to another source.
    public var ranges: [StatedRange] = []
    /// The sources.
    public var sources: [String] = []
    /// Further notes.
    public var notes: [String] = []
    /// Data with their meaning according to other sources than this program.
    public var examples: [TableExample] = []

    /// The stated range of a signal.
    public struct StatedRange: Hashable, Sendable {
        /// The signal's index.
        public var signal: Int
        /// The smallest value with its written decimals.
        public var low: TableExample.Value
        /// The largest value with its written decimals.
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

/// Data of a record with their meaning according to another source.
public struct TableExample: Hashable, Sendable {
    /// The stated value of a signal.
    public enum Value: Hashable, Sendable {
        /// A number in the signal's unit with its written decimals.
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
    /// The signal's index and its value.
    public var values: [(signal: Int, value: Value)]
    /// The source.
    public var source: String
    /// The line, from 1.
    public var line: Int

    /// Compares line, data and values.
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
