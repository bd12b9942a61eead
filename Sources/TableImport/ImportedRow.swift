import Diagnostics
import OBDCore

/// A signal from another program's table.
package struct ImportedRow: Hashable, Sendable {
    /// The signal; the signal's id becomes unique when tables are merged.
    package var signal: Signal
    /// The range of a gauge, according to the source.
    var display: ClosedRange<Double>?
    /// Decides whether the record has the signal; nil if it always has.
    var condition: ImportedCondition?
    /// The measured quantity in our words: `ev-soc`.
    package var role: SignalRole?
    /// The line in the source, from 1.
    package var line: Int
    /// The name of the source in findings.
    package var file: String
    var equation: String?
    /// Whether recorded answers confirm the row.
    var isProven = false

    /// Whether both rows read the same number from the same bits under the same name.
    func isSame(as other: ImportedRow) -> Bool {
        var (left, right) = (signal, other.signal)
        left.id = ""
        right.id = ""
        return left == right
    }
}

/// Another row of the same record, whose raw bits decide whether a row is present.
struct ImportedCondition: Hashable, Sendable {
    /// The other row's id.
    var id: String
    /// The raw bits with which the row is present.
    var ranges: [ClosedRange<UInt64>]
}

/// The rows for the answer to one request, or for a message that an ECU sends by itself.
package struct ImportedRecord: Sendable {
    package var dataID: DataID
    /// The name of the message; empty if the source has none.
    var name = ""
    /// The ECU to ask; nil = all.
    package var target: ECUAddress?
    /// The ECU that answers; nil if the source does not name it.
    package var responder: ECUAddress?
    /// The allowed number of data bytes in the answer.
    var length = 1...4095
    /// The model years of the record; empty = all.
    var years: [ClosedRange<Int>] = []
    package var rows: [ImportedRow] = []
    /// Actions of the source besides the request, which obdscan does not perform.
    var notes: [String] = []
    var examples: [ImportedExample] = []
    /// The line in the source, from 1.
    var line: Int
    var repeatedRows = 0

    /// Identifies the request.
    struct Key: Hashable {
        var dataID: DataID
        var target: ECUAddress?
        var responder: ECUAddress?
    }

    /// Whether rows of both records can belong to the same answer.
    func isJoinable(with other: ImportedRecord) -> Bool {
        years == other.years && length == other.length
    }

    /// Whether only the ECU that answers is known, and the address to ask it is not for diagnostics.
    var hasUnaskableReply: Bool {
        !dataID.isHeard && target == nil && responder.map { !$0.isAskedForDiagnostics } ?? false
    }

    /// No person writes more notes to one request; others are left out.
    private static let mostNotes = 16

    /// Adds notes that are missing.
    mutating func add(_ others: [String]) {
        for note in others where notes.count < Self.mostNotes && !notes.contains(note) {
            notes.append(note)
        }
    }

    var key: Key { Key(dataID: dataID, target: target, responder: responder) }
}

/// A recorded answer with the values that its recorder states.
struct ImportedExample: Hashable, Sendable {
    /// The data after the identifier.
    var data: [UInt8]
    /// The row of each value, and the value in the form of a table.
    var values: [Value]
    var source: String

    struct Value: Hashable, Sendable {
        /// The row's id in the source.
        var id: String
        var text: String
    }
}

/// A message about a row of a source.
package struct ImportFinding: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// The row is in the table, with a warning.
        case warned(String)
        /// The row is not in the table.
        case leftOut(RowFault)
    }

    package var file: String
    /// The line, from 1.
    package var line: Int
    /// The name of the row in the source.
    package var name: String
    package var outcome: Outcome

    /// Whether the row is missing from the table.
    package var isLeftOut: Bool { if case .leftOut = outcome { true } else { false } }

    /// Whether the row has a fault because of which nothing decodes it.
    ///
    /// A row that the built-in table has, or one for another year, has no fault.
    package var isLost: Bool {
        switch outcome {
        case .warned, .leftOut(.builtIn), .leftOut(.otherYear), .leftOut(.years): false
        case .leftOut: true
        }
    }

    /// The reason as a clause for people.
    package var reason: String {
        switch outcome {
        case .warned(let reason): reason
        case .leftOut(let fault): fault.reason
        }
    }
}

package struct ImportedSource: Sendable {
    /// The file name without folders.
    package var file: String
    package var format: TableFormat
    package var records: [ImportedRecord] = []
    /// Rows that are left out, and warnings.
    package var findings: [ImportFinding] = []
    /// The number of rows in the file.
    package var rowCount = 0
    /// Counts of recorded values that agree, differ, or were limited to a range.
    package var recorded = RecordedCounts()

    init(_ file: String, _ format: TableFormat) {
        self.file = file
        self.format = format
    }

    /// Adds a row to the record of its request.
    mutating func add(_ row: ImportedRow, to record: ImportedRecord) {
        if let place = places[record.key], records[place].isJoinable(with: record) {
            records[place].rows.append(row)
            records[place].add(record.notes)
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

/// The results of comparing recorded values with the rows.
package struct RecordedCounts: Hashable, Sendable {
    package var agree = 0
    /// Values that differ from the row.
    package var differ = 0
    /// Values that the recorder limited to a range.
    package var clamped = 0
    /// Answers that are incomplete or belong to an unknown record.
    package var unusable = 0
}

package struct ImportOptions: Sendable {
    /// The model year; nil = any.
    package var year: Int?
    /// The ECU to ask if the source names none.
    package var header: ECUAddress?
    /// Identifiers to leave out, because the built-in table has them.
    package var builtIn: Set<DataID> = []

    /// The default options.
    package init() {}
}

package enum TableFormat: String, CaseIterable, Sendable {
    /// Signal sets of the OBDb project, JSON.
    case obdb
    /// Torque's extended PIDs, CSV.
    case torque
    /// Vehicle profiles of the WiCAN adapter, JSON.
    case wican
    /// Lists of A Better Routeplanner, JSON.
    case abrp
    /// CAN databases, DBC.
    case dbc

    /// The licence that the source's project states for its files; nil if it states none.
    package var licence: String? {
        switch self {
        case .obdb: "CC BY-SA 4.0"
        case .wican: "GPL-3.0"
        case .abrp: "Apache-2.0"
        case .torque, .dbc: nil
        }
    }

    package var title: String {
        switch self {
        case .obdb: "OBDb signal set"
        case .torque: "Torque extended PIDs"
        case .wican: "WiCAN vehicle profile"
        case .abrp: "ABRP list"
        case .dbc: "DBC file"
        }
    }
}
