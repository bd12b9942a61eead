public import OBDCore

/// Reads a file of trips: pieces of bytes in, values out, with no more in memory than its longest line.
public struct TripFileReader {
    /// The signals that were seen so far.
    public private(set) var table: ImportTable
    private var reader: any ImportReader
    private var pieces = UTF16Pieces()
    private let source: ImportSource
    /// A longer line is none of a log, but a quote that nobody closed; unit: bytes.
    private static let longestLine = 16 << 20

    /// A reader of a file of that form.
    ///
    /// - Parameters:
    ///   - table: the signals that may occur; what is new is added to it.
    ///   - source: what is known of the file besides its bytes.
    ///   - localTime: the point in time at which clocks on the wall show what is given as if it were UTC.
    public init(
        _ format: ImportFormat, _ table: ImportTable, _ source: ImportSource = ImportSource(),
        localTime: @escaping (UTC) -> UTC
    ) {
        self.table = table
        self.source = source
        let clock = LogClock(localTime, beginning: source.beginning?.clock)
        switch format {
        case .jsonLines: reader = JSONImport()
        case .csvLong: reader = LongImport()
        case .csvWide: reader = WideImport(clock, names: source.names)
        case .carScanner:
            reader = CarScannerImport(clock, names: source.names)
        case .freematics: reader = FreematicsImport(clock)
        case .frames(let form): reader = FrameLogImport(form, clock, table, source)
        }
    }

    /// Lines of other programs that were passed over.
    public var skipped: SkippedLines { reader.skipped }

    /// The day that the file's times were taken to be of, where no line says it.
    public var assumedDay: AssumedDay? {
        guard reader.assumesBeginning, let beginning = source.beginning else { return nil }
        return AssumedDay(
            day: String(beginning.clock.midnight.text.prefix(10)), source: beginning.from)
    }

    /// How many frames of a bus there were, and how many of them are diagnostic; nil for other files.
    public var frames: FrameCount? { (reader as? FrameLogImport)?.count }

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
        try reader.read(pieces.read(piece, isLast: isLast), isLast: isLast, &table, emit)
        let line = reader.pendingLine
        if reader.pending > Self.longestLine {
            throw ImportFault(line: max(1, line), reason: "more than 16 MiB without an end")
        }
        if reader.endsInQuote {
            throw ImportFault(line: line, reason: "a quote is opened here and never closed")
        }
    }
}
