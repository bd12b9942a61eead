import Formats

/// Reads one form of files, a piece of bytes after the other.
protocol ImportReader {
    /// How much is kept of a line that is not complete; unit: bytes.
    var pending: Int { get }
    /// The line that is not complete, or the last one; counted from 1, 0 before the first piece.
    var pendingLine: Int { get }
    /// Whether the file has ended in a quote that is never closed.
    var endsInQuote: Bool { get }
    /// What was passed over.
    var skipped: SkippedLines { get }
    /// Whether times were worked out from a beginning that stands in no line of the file.
    var assumesBeginning: Bool { get }

    /// Reads the next piece; new signals are added to `table`, what the piece completes goes to `emit`.
    ///
    /// - Throws: an ``ImportFault``, or what `emit` throws.
    mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws
}

extension ImportReader {
    var skipped: SkippedLines { SkippedLines() }
    var assumesBeginning: Bool { false }
}

/// Reads a form of files that is CSV, row by row.
protocol CSVImport: ImportReader {
    /// What cuts the file into rows.
    var csv: CSVReader { get set }

    /// Reads the next row, a heading among them.
    mutating func read(
        row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws
}

extension CSVImport {
    var pending: Int { csv.pending }
    var pendingLine: Int { csv.line }
    var endsInQuote: Bool { csv.endsInQuote }

    mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        csv.append(piece)
        if isLast { csv.finish() }
        while let row = csv.next() { try read(row: row, &table, emit) }
    }

    /// Makes sure that a row has as many cells as its heading.
    func check(_ row: [String], has cells: Int) throws {
        guard row.count == cells else {
            throw ImportFault(
                line: csv.line, reason: "\(row.count) cells, the heading has \(cells)")
        }
    }
}
