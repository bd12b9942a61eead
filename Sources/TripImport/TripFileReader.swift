import OBDCore

/// Reads a file of trips in pieces; the memory that it needs is limited by the longest line.
package struct TripFileReader {
    /// The signals that appeared until now.
    package private(set) var table: ImportTable
    private var reader: any ImportReader
    private var pieces = TextPieces()
    private let source: ImportSource
    /// The number of entries until now.
    private var entries = 0
    /// A longer line is probably due to an unclosed quote; unit: bytes.
    private static let longestLine = 16 << 20

    /// A reader for a file of this format.
    ///
    /// - Parameters:
    ///   - table: the known signals; new ones are added to it.
    ///   - source: facts about the file besides its bytes.
    ///   - wallTime: the points in time at which the clock on the wall shows a time, which is given as if
    ///     it were UTC, in their order: two in the hour that autumn repeats, none in the one that spring skips.
    ///     The clock is local, or in the zone of this name; nil for an unknown zone.
    package init(
        _ format: ImportFormat, _ table: ImportTable, _ source: ImportSource = ImportSource(),
        wallTime: @escaping (UTC, _ zone: String?) -> [UTC]?
    ) {
        self.table = table
        self.source = source
        let clock = LogClock(wallTime, beginning: source.beginning?.clock, source.findings)
        switch format {
        case .jsonLines: reader = JSONImport()
        case .csvLong: reader = LongImport(clock)
        case .csvWide: reader = WideImport(clock, source)
        case .carScanner: reader = CarScannerImport(clock, source)
        case .freematics: reader = FreematicsImport(clock)
        case .frames(let form): reader = FrameLogImport(form, clock, table, source)
        }
    }

    package var skipped: SkippedLines { reader.skipped }

    /// The assumed day of the file's times; nil if a line contains the day.
    package var assumedDay: AssumedDay? {
        guard reader.assumesBeginning, let beginning = source.beginning else { return nil }
        return AssumedDay(
            day: String(beginning.clock.midnight.text.prefix(10)), source: beginning.from)
    }

    /// Whether all times are in the hour that autumn repeats, so that they may be an hour later than assumed.
    package var isInRepeatedHour: Bool { reader.clock?.repeated != nil }

    /// The number of frames and of diagnostic frames; nil for files without frames.
    package var frames: FrameCount? { (reader as? FrameLogImport)?.count }

    /// Whether names that are no PID's may be those of PIDs in another language.
    package var mayTranslate: Bool { reader.mayTranslate }

    /// The findings of the whole file, if it must be read again with these ``ImportSource/findings``; else nil.
    package var findings: ImportFindings? {
        var found = source.findings
        if found.numbers == nil, reader.grammar.matters {
            // Other numbers may be other times, and possible for other PIDs.
            found.numbers = reader.grammar
        } else if found.zone == nil, let zone = reader.clock?.lateZone {
            found.zone = zone
        } else if let clock = reader.clock, found.restarts == nil,
            !clock.stopwatch.restarts.isEmpty || clock.order.finding != nil
        {
            found.restarts = clock.stopwatch.restarts
            found.isMonthFirst = clock.order.finding
        } else if let clock = reader.clock, clock.showsSecondPass {
            found.beginsInSecondPass = true
        } else if found.misnamed.isEmpty {
            found.misnamed = reader.misnamed
        }
        return found == source.findings ? nil : found
    }

    /// Reads the next piece of the file.
    ///
    /// - Throws: An ``ImportFault``, or the errors of `emit`.
    package mutating func read(
        _ piece: ArraySlice<UInt8>, _ emit: (ImportEvent) throws -> Void
    ) throws {
        try read(piece, isLast: false, emit)
    }

    /// Reads the remaining incomplete data at the end of the file.
    ///
    /// - Throws: An ``ImportFault``, or the errors of `emit`.
    package mutating func finish(_ emit: (ImportEvent) throws -> Void) throws {
        try read([], isLast: true, emit)
    }

    private mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ emit: (ImportEvent) throws -> Void
    ) throws {
        var entries = self.entries
        defer { self.entries = entries }
        try reader.read(pieces.read(piece, isLast: isLast), isLast: isLast, &table) { event in
            if case .entry = event { entries += 1 }
            try emit(event)
        }
        let line = reader.pendingLine
        if reader.pending > Self.longestLine {
            throw ImportFault(line: max(1, line), reason: "more than 16 MiB without an end")
        }
        if reader.endsInQuote {
            throw ImportFault(line: line, reason: "a quote is opened here and never closed")
        }
        // If nearly no line can be read, the file has another format than it seems to have.
        if isLast, frames == nil, let first = skipped.first, skipped.count > 9 * entries {
            throw first
        }
        if isLast, let fault = reader.clock?.order.fault { throw fault }
        if isLast, frames == nil, entries == 0, findings == nil, let cell = skipped.firstCell {
            throw cell
        }
    }
}
