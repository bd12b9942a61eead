public import OBDCore

/// Reads a file of trips: pieces of bytes in, values out, with no more in memory than its longest line.
public struct TripFileReader {
    /// The signals that were seen so far.
    public private(set) var table: ImportTable
    private var reader: any ImportReader
    /// A longer line is none of a log, but a quote that is never closed; unit: bytes.
    private static let longestLine = 16 << 20

    /// A reader of a file of that form.
    ///
    /// - Parameters:
    ///   - table: the signals that may occur; what is new is added to it.
    ///   - localTime: the point in time at which clocks on the wall show what is given as if it were UTC.
    public init(_ format: ImportFormat, _ table: ImportTable, localTime: @escaping (UTC) -> UTC) {
        self.table = table
        switch format {
        case .jsonLines: reader = JSONImport()
        case .csvLong: reader = LongImport()
        case .csvWide: reader = WideImport(WideTime(localTime))
        }
    }

    /// Reads the next piece of the file.
    ///
    /// - Throws: an ``ImportFault``, or what `emit` throws.
    public mutating func read(
        _ piece: ArraySlice<UInt8>, _ emit: (ImportEvent) throws -> Void
    ) throws {
        try read(piece, isLast: false, emit)
    }

    /// Reads what was not complete before the end of the file.
    ///
    /// - Throws: an ``ImportFault``, or what `emit` throws.
    public mutating func finish(_ emit: (ImportEvent) throws -> Void) throws {
        try read([], isLast: true, emit)
    }

    private mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ emit: (ImportEvent) throws -> Void
    ) throws {
        try reader.read(piece, isLast: isLast, &table, emit)
        let line = reader.pendingLine
        if reader.pending > Self.longestLine {
            throw ImportFault(line: max(1, line), reason: "more than 16 MiB without an end")
        }
        if reader.endsInQuote {
            throw ImportFault(line: line, reason: "a quote is opened here and never closed")
        }
    }
}
