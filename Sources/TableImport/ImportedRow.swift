public import Diagnostics
public import OBDCore

/// A signal that another program's table describes.
public struct ImportedRow: Hashable, Sendable {
    /// What it reads; its id becomes unique when tables are put together.
    public var signal: Signal
    /// What a gauge shows, as the source says.
    var display: ClosedRange<Double>?
    /// What it measures, in our words: `ev-soc`.
    public var role: SignalRole?
    /// The line of the source, from 1.
    public var line: Int
    /// The source, as findings name it.
    public var file: String
    /// The equation as written, for people.
    var equation: String?
    /// Whether recorded answers agree.
    var isProven = false

    /// Whether both read the same number from the same bits under the same name.
    func isSame(as other: ImportedRow) -> Bool {
        var (left, right) = (signal, other.signal)
        left.id = ""
        right.id = ""
        return left == right
    }
}

/// Rows that one request reads.
public struct ImportedRecord: Sendable {
    /// Service and identifier.
    public var dataID: DataID
    /// The ECU to ask; nil asks all.
    public var target: ECUAddress?
    /// Who answers; nil where the source does not say.
    public var responder: ECUAddress?
    /// Data bytes that the answer may have.
    var length = 1...4095
    /// The model years that it is of; empty = all.
    var years: [ClosedRange<Int>] = []
    /// What it reads.
    public var rows: [ImportedRow] = []
    /// What the source does beside asking, which is not done here.
    var notes: [String] = []
    /// Recorded answers.
    var examples: [ImportedExample] = []
    /// The line of the source, from 1.
    var line: Int
    /// Rows that other rows say, too.
    var repeatedRows = 0

    /// How the record is asked, as a key.
    struct Key: Hashable {
        var dataID: DataID
        var target: ECUAddress?
        var responder: ECUAddress?
    }

    /// Whether rows of both may read one answer.
    func isJoinable(with other: ImportedRecord) -> Bool {
        years == other.years && length == other.length
    }

    var key: Key { Key(dataID: dataID, target: target, responder: responder) }
}

/// A recorded answer and what its recorder says it means.
struct ImportedExample: Hashable, Sendable {
    /// Data after the identifier.
    var data: [UInt8]
    /// Position of the row and the value as a table writes it.
    var values: [Value]
    var source: String

    struct Value: Hashable, Sendable {
        /// The row's id in the source.
        var id: String
        var text: String
    }
}

/// What became of a row of a source.
public struct ImportFinding: Hashable, Sendable {
    /// How it went.
    public enum Outcome: Hashable, Sendable {
        /// It is in the table, but something about it should be known.
        case warned(String)
        /// It is not in the table.
        case leftOut(RowFault)
    }

    /// The source.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// What the source calls the row.
    public var name: String
    /// What became of it.
    public var outcome: Outcome

    /// Whether the row is missing from the table.
    public var isLeftOut: Bool { if case .leftOut = outcome { true } else { false } }

    /// One clause for people.
    public var reason: String {
        switch outcome {
        case .warned(let reason): reason
        case .leftOut(let fault): fault.reason
        }
    }
}

/// What one file holds.
public struct ImportedSource: Sendable {
    /// Its name, without folders.
    public var file: String
    /// What it is.
    public var format: TableFormat
    /// Its rows.
    public var records: [ImportedRecord] = []
    /// Rows that are left out, and what else should be known.
    public var findings: [ImportFinding] = []
    /// Rows in all.
    public var rowCount = 0
    /// Recorded values that agree, differ and were limited to a range by their recorder.
    public var recorded = RecordedCounts()

    init(_ file: String, _ format: TableFormat) {
        self.file = file
        self.format = format
    }

    /// Adds a row to the record that its request reads.
    mutating func add(_ row: ImportedRow, to record: ImportedRecord) {
        if let place = places[record.key], records[place].isJoinable(with: record) {
            records[place].rows.append(row)
            for note in record.notes where !records[place].notes.contains(note) {
                records[place].notes.append(note)
            }
            return
        }
        places[record.key] = records.count
        var record = record
        record.rows = [row]
        records.append(record)
    }

    private var places: [ImportedRecord.Key: Int] = [:]

    mutating func leaveOut(_ name: String, _ line: Int, _ fault: RowFault) {
        findings.append(ImportFinding(file: file, line: line, name: name, outcome: .leftOut(fault)))
    }

    mutating func warn(_ name: String, _ line: Int, _ reason: String) {
        findings.append(ImportFinding(file: file, line: line, name: name, outcome: .warned(reason)))
    }
}

/// How recorded values compare with the rows.
public struct RecordedCounts: Hashable, Sendable {
    /// The row says the same.
    public var agree = 0
    /// The row says something else.
    public var differ = 0
    /// The recorder cut the value to its range.
    public var clamped = 0
    /// Answers that cannot be put together, or are not of a known record.
    public var unusable = 0
}

/// What an import is asked for.
public struct ImportOptions: Sendable {
    /// The model year; nil = any.
    public var year: Int?
    /// The ECU to ask where the source does not say.
    public var header: ECUAddress?
    /// Identifiers that the built-in table has and that are therefore left out.
    public var builtIn: Set<DataID> = []

    /// No wishes.
    public init() {}
}

/// Whose tables are read.
public enum TableFormat: String, CaseIterable, Sendable {
    /// Signal sets of the OBDb project, JSON.
    case obdb
    /// Torque's extended PIDs, CSV.
    case torque
    /// Vehicle profiles of the WiCAN adapter, JSON.
    case wican
    /// Lists of A Better Routeplanner, JSON.
    case abrp
    /// CAN databases whose messages are answers, DBC.
    case dbc

    /// The licence that the source's project states for its files; nil where it states none.
    public var licence: String? {
        switch self {
        case .obdb: "CC BY-SA 4.0"
        case .wican: "GPL-3.0"
        case .abrp: "Apache-2.0"
        case .torque, .dbc: nil
        }
    }

    /// For people.
    public var title: String {
        switch self {
        case .obdb: "OBDb signal set"
        case .torque: "Torque extended PIDs"
        case .wican: "WiCAN vehicle profile"
        case .abrp: "ABRP list"
        case .dbc: "DBC file"
        }
    }
}
