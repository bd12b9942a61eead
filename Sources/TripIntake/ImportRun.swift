import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripImport
import TripStore

/// Reads a file twice, in pieces: first to know that all of it can be read, then to store it.
public struct ImportRun {
    /// What came of a file.
    public struct Result {
        /// Trips that are new.
        public var trips: [Int64] = []
        /// How many trips were known.
        public var known = 0
        /// Trips that were deleted and would be known otherwise.
        public var deleted: [Int64] = []
        /// Readings of the new trips.
        public var readings = 0
    }

    private let file: InputFile
    private let format: ImportFormat
    private let source: ImportSource
    /// What was passed over of the file.
    public let skipped: SkippedLines
    /// The day that its times were taken to be of, where no line says it.
    public let assumedDay: AssumedDay?
    /// How many frames it has, where it is a log of a bus.
    public let frames: FrameCount?
    /// Every signal that the file has.
    private let table: ImportTable
    private let trips: [ImportedTrip]

    /// Looks a whole file over; `standard` is the built-in table, `units` says which gallons are meant.
    public init(
        _ file: InputFile, _ format: ImportFormat, standard: PIDTable, units: UnitSystem = .metric,
        source: ImportSource = ImportSource()
    ) throws {
        self.file = file
        self.format = format
        self.source = source
        var survey = Survey()
        let reader = try Self.read(
            file, format, ImportTable(standard, units: units), source
        ) { survey.take($0) }
        table = reader.table
        (skipped, assumedDay, frames) = (reader.skipped, reader.assumedDay, reader.frames)
        trips = survey.finished(table.table)
    }

    /// Whether the file holds nothing that a trip could be made of.
    public var isEmpty: Bool { trips.isEmpty }

    /// Reads the file from its beginning; returns the reader, with the signals that the file has
    /// besides those of `table`.
    private static func read(
        _ file: InputFile, _ format: ImportFormat, _ table: ImportTable, _ source: ImportSource,
        _ emit: (ImportEvent) throws -> Void
    ) throws -> TripFileReader {
        var reader = TripFileReader(format, table, source) { utc(onTheWall: $0) }
        try file.forEachPiece { try reader.read($0, emit) }
        try reader.finish(emit)
        return reader
    }

    /// Stores it.
    public func store(
        in store: TripStore, progress: (_ done: Int, _ all: Int) -> Void
    ) throws -> Result {
        let all = trips.reduce(0) { $0 + $1.readings }
        var result = Result()
        var rest = trips[...]
        try store.importing(table: table.table) { importer in
            var isOpen = false
            var count = 0
            func begin() throws {
                guard let trip = rest.popFirst() else { throw FileError.changed(file.path) }
                switch try importer.begin(trip) {
                case .new(let id):
                    result.trips.append(id)
                    result.readings += trip.readings
                case .known: result.known += 1
                case .deleted(let id): result.deleted.append(id)
                }
                isOpen = true
            }
            let seen = try Self.read(file, format, table, source) { event in
                switch event {
                case .trip:
                    isOpen = false
                case .entry(let entry, let time):
                    // A trip without entries is none: the survey left it out too.
                    if !isOpen { try begin() }
                    try importer.store(entry, at: time)
                    count += 1
                    if count & 0xFFF == 0 { progress(count, all) }
                }
            }
            // What the survey did not see must not be stored.
            guard rest.isEmpty, seen.table.count == table.count, file.isUnchanged else {
                throw FileError.changed(file.path)
            }
        }
        return result
    }
}
