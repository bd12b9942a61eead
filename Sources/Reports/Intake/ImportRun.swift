import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripImport
import TripStore

/// Reads a file twice in pieces: first to check that the whole file can be read, then to store the trips.
///
/// What only the whole of the file shows needs further readings.
package struct ImportRun {
    package struct Result {
        package var trips: [Int64] = []
        /// The number of trips that were in the database before.
        package var known = 0
        /// Trips that are in the database, but deleted.
        package var deleted: [Int64] = []
        /// Trips of an earlier import of the same file that the new ones replace.
        package var replaced: [Int64] = []
        /// The number of readings in the new trips.
        package var readings = 0
        /// The trouble codes in the new trips; the same code of a later answer is one code.
        package var codes: Set<CodeReport.Code> = []
    }

    private let file: InputFile
    private let format: ImportFormat
    private let source: ImportSource
    /// The skipped lines of the file.
    package let skipped: SkippedLines
    /// The day that was assumed for its times; nil if its lines contain the day.
    package let assumedDay: AssumedDay?
    /// Whether all of its times are in the hour that autumn repeats, and may be an hour later.
    let isInRepeatedHour: Bool
    /// The number of frames, if it is a log of a bus.
    package let frames: FrameCount?
    /// Names of the file that are the name of a PID, with values that the PID cannot have.
    package let misnamed: [String]
    /// The lines in which its clock starts again.
    let restarts: [Int]
    /// Signals that may be PIDs with names in another language, if they are most of the file.
    let strangers: [Signal]
    /// All signals of the file.
    private let table: ImportTable
    private let trips: [ImportedTrip]
    /// The digest of the file's bytes and the chosen channel.
    private let digest: String

    /// Checks a whole file; `standard` is the built-in table, `units` determines the kind of
    /// gallons.
    package init(
        _ file: InputFile, _ format: ImportFormat, standard: PIDTable, units: UnitSystem = .metric,
        source: ImportSource = ImportSource()
    ) throws {
        self.file = file
        self.format = format
        var source = source
        var survey = Survey()
        var reader = try Self.read(
            file, format, ImportTable(standard, units: units), source
        ) { survey.take($0) }
        while let found = reader.findings {
            source.findings = found
            survey = Survey()
            reader = try Self.read(
                file, format, ImportTable(standard, units: units), source
            ) { survey.take($0) }
        }
        self.source = source
        misnamed = source.findings.misnamed.sorted()
        restarts = source.findings.restarts?.sorted() ?? []
        table = reader.table
        (skipped, assumedDay, frames) = (reader.skipped, reader.assumedDay, reader.frames)
        isInRepeatedHour = reader.isInRepeatedHour
        let signals = table.table
        digest = try Self.digest(of: file, source)
        trips = survey.finished(signals)
        let isForeign = reader.mayTranslate && survey.others.count > survey.pids.count
        let names = survey.others.sorted().map { signals[$0] }
        strangers = isForeign ? names.filter { !source.findings.misnamed.contains($0.id) } : []
    }

    /// FNV-1a with 64 bits, and the size.
    private static func digest(of file: InputFile, _ source: ImportSource) throws -> String {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        var size = 0
        func mix(_ byte: UInt8) { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for byte in (source.channel ?? "").utf8 { mix(byte) }
        mix(0)
        try file.forEachPiece { piece in
            for byte in piece { mix(byte) }
            size += piece.count
        }
        return String(digest, radix: 16) + ":" + String(size)
    }

    /// Whether the file contains no data for a trip.
    package var isEmpty: Bool { trips.isEmpty }

    /// Reads the file from its beginning.
    /// - Returns: The reader with the signals of the file, in addition to those of `table`.
    private static func read(
        _ file: InputFile, _ format: ImportFormat, _ table: ImportTable, _ source: ImportSource,
        _ emit: (ImportEvent) throws -> Void
    ) throws -> TripFileReader {
        var clocks = WallClocks()
        var reader = TripFileReader(format, table, source) {
            clocks.moments(onTheWall: $0, in: $1)
        }
        try file.forEachPiece { try reader.read($0, emit) }
        try reader.finish(emit)
        return reader
    }

    package func store(
        in store: TripStore, progress: (_ done: Int, _ all: Int) -> Void
    ) throws -> Result {
        let all = trips.reduce(0) { $0 + $1.readings }
        var result = Result()
        var rest = trips[...]
        var known: Set<Int64> = []
        let published = try store.publishedTrips()
        try store.importing(table: table.table) { importer in
            var isOpen = false
            var isNew = false
            var count = 0
            func begin() throws {
                guard var trip = rest.popFirst() else { throw FileError.changed(file.path) }
                trip.file = digest
                isNew = false
                switch try importer.begin(trip) {
                case .new(let id):
                    isNew = true
                    result.trips.append(id)
                    result.readings += trip.readings
                case .known(let id):
                    known.insert(id)
                    result.known += 1
                case .deleted(let id): result.deleted.append(id)
                }
                isOpen = true
            }
            let seen = try Self.read(file, format, table, source) { event in
                switch event {
                case .trip:
                    isOpen = false
                case .entry(let entry, let time):
                    // The survey leaves out trips without entries, too.
                    if !isOpen { try begin() }
                    try importer.store(entry, at: time)
                    if isNew { result.codes.formUnion(entry.codes) }
                    count += 1
                    if count & 0xFFF == 0 { progress(count, all) }
                }
            }
            // Store only data that the survey has checked.
            guard rest.isEmpty, seen.table.count == table.count, file.isUnchanged else {
                throw FileError.changed(file.path)
            }
            result.replaced = try importer.replaceEarlier(
                ofFile: digest, by: result.trips, keeping: known, published: published,
                now: SystemClock.utc)
        }
        return result
    }
}

extension TripEntry {
    /// The trouble codes in the entry's items.
    fileprivate var codes: [CodeReport.Code] {
        guard case .items(let items) = self else { return [] }
        return items.compactMap {
            if case .code(let report) = $0 { report.code } else { nil }
        }
    }
}
