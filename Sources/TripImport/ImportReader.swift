import Formats
import OBDCore

/// Reads one file format in pieces.
protocol ImportReader {
    /// The size of the buffered incomplete line; unit: bytes.
    var pending: Int { get }
    /// The number of the incomplete line, or of the last one; counted from 1, 0 before the first
    /// piece.
    var pendingLine: Int { get }
    /// Whether the file ended within a quote.
    var endsInQuote: Bool { get }
    var skipped: SkippedLines { get }
    /// The clock of the file; nil if all times of such a format are complete.
    var clock: LogClock? { get }
    /// Whether times depend on a beginning that no line of the file contains.
    var assumesBeginning: Bool { get }
    /// Names with the name of a PID and values that the PID cannot have.
    var misnamed: Set<String> { get }
    /// Whether names that are no PID's may be those of PIDs in another language.
    var mayTranslate: Bool { get }
    /// How the numbers read, according to all of them until now.
    var grammar: NumberGrammar { get }

    /// Reads the next piece; adds new signals to `table` and passes completed items to `emit`.
    ///
    /// - Throws: An ``ImportFault``, or the errors of `emit`.
    mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws
}

extension ImportReader {
    var skipped: SkippedLines { SkippedLines() }
    var clock: LogClock? { nil }
    var assumesBeginning: Bool { clock?.assumesBeginning ?? false }
    var misnamed: Set<String> { [] }
    var mayTranslate: Bool { false }
    var grammar: NumberGrammar { NumberGrammar(isCommaSeparated: true) }
}

/// Reads a CSV format row by row.
protocol CSVImport: ImportReader {
    var csv: CSVReader { get set }
    /// Whether a last row that ends within a quote is skipped, because the program was ended there.
    var skipsCutRow: Bool { get }

    mutating func skip(_ fault: ImportFault)

    /// Reads the next row, including headings.
    mutating func read(
        row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws
}

extension CSVImport {
    var pending: Int { csv.pending }
    var pendingLine: Int { csv.line }
    var endsInQuote: Bool { csv.endsInQuote && !(skipsCutRow && csv.endsInCutRow) }
    var skipsCutRow: Bool { false }

    mutating func skip(_ fault: ImportFault) {}

    mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        csv.append(piece)
        if isLast { csv.finish() }
        while let row = csv.next() { try read(row: row, &table, emit) }
        if isLast, skipsCutRow, csv.endsInCutRow {
            skip(ImportFault(line: csv.line, reason: "it ends within a quote"))
        }
    }

    /// Checks that a row has as many cells as its heading.
    func check(_ row: [String], has cells: Int) throws {
        guard row.count == cells else {
            throw ImportFault(
                line: csv.line,
                reason:
                    "\(counted(row.count, "cell")), the heading has \(cells)")
        }
    }
}
