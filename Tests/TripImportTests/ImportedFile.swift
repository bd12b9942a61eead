import Diagnostics
import OBDCore
import PIDTables
import Testing
import TripImport

/// The content of an imported file of trips.
struct ImportedFile {
    /// One value of one signal.
    struct Value: Equatable {
        var signal: String
        var value: Reading.Value
        var unit: String

        init(_ signal: String, _ value: Reading.Value, _ unit: String = "") {
            self.signal = signal
            self.value = value
            self.unit = unit
        }

        init(_ signal: String, _ number: Double, _ unit: String) {
            self.init(signal, .number(number), unit)
        }
    }

    /// Loaded once, because that takes a second.
    static let standard = Result { try PIDTables.standard() }
    private static let metric = standard.map { ImportTable($0) }
    private static let us = standard.map { ImportTable($0, units: .us) }

    /// Number of trips.
    private(set) var trips = 0
    /// The properties of the last trip.
    private(set) var trip: (name: String?, tags: [String], vin: String?) = (nil, [], nil)
    /// All other events.
    private(set) var entries: [(entry: TripEntry, time: UTC)] = []
    private(set) var table = PIDTable()
    private(set) var skipped = SkippedLines()
    private(set) var assumedDay: AssumedDay?
    private(set) var frames: FrameCount?
    /// Whether all times are in the hour that autumn repeats.
    private(set) var isInRepeatedHour = false

    /// Local time one hour west of Greenwich.
    static func west(_ wall: UTC) -> [UTC] {
        [UTC(microseconds: wall.microseconds + 3_600_000_000)]
    }

    /// Reads a file in one piece; with `isUS` its gallons are US gallons.
    init(
        _ text: String, isUS: Bool = false, from source: ImportSource = ImportSource(),
        own: String = "", zones: [String: Int64] = [:],
        localTime: @escaping (UTC) -> [UTC] = west
    ) throws {
        try self.init(
            bytes: Array(text.utf8), isUS: isUS, from: source, own: own, zones: zones,
            localTime: localTime)
    }

    /// Reads bytes in pieces of `piece` of them; `zones` has the minutes by which known zones are ahead of UTC.
    init(
        bytes: [UInt8], isUS: Bool = false, from source: ImportSource = ImportSource(),
        piece: Int = .max, own: String = "", zones: [String: Int64] = [:],
        localTime: @escaping (UTC) -> [UTC] = west
    ) throws {
        var source = source
        // A table that the user names.
        var file = TableFile(path: "own", contents: Array(own.utf8))
        file.isNamed = true
        let table =
            own.isEmpty
            ? try (isUS ? Self.us : Self.metric).get()
            : ImportTable(try PIDTables.load([file]), units: isUS ? .us : .metric)
        while let found = try read(bytes, table, source, piece, zones, localTime) {
            source.findings = found
            self = ImportedFile()
        }
    }

    private init() {}

    /// Reads all of it; returns the findings with which it must be read again.
    private mutating func read(
        _ bytes: [UInt8], _ table: ImportTable, _ source: ImportSource, _ piece: Int,
        _ zones: [String: Int64], _ localTime: @escaping (UTC) -> [UTC]
    ) throws -> ImportFindings? {
        var reader = TripFileReader(
            try #require(ImportFormat(bytes)), table, source,
            wallTime: { wall, zone in
                guard let zone else { return localTime(wall) }
                return zones[zone].map {
                    [UTC(microseconds: wall.microseconds - $0 * 60_000_000)]
                }
            })
        var rest = bytes[...]
        while !rest.isEmpty {
            try reader.read(rest.prefix(piece)) { take($0) }
            rest = rest.dropFirst(piece)
        }
        try reader.finish { take($0) }
        (skipped, assumedDay, frames) = (reader.skipped, reader.assumedDay, reader.frames)
        isInRepeatedHour = reader.isInRepeatedHour
        self.table = reader.table.table
        #expect(reader.table.count == self.table.signals.count)
        return reader.findings
    }

    private mutating func take(_ event: ImportEvent) {
        switch event {
        case .trip(let name, let tags, let vin, _):
            trips += 1
            trip = (name, tags, vin?.text)
        case .entry(let entry, let time): entries.append((entry, time))
        }
    }

    /// All items.
    var items: [DiagnosticItem] {
        entries.flatMap { entry, _ -> [DiagnosticItem] in
            if case .items(let items) = entry { items } else { [] }
        }
    }

    /// All readings.
    var readings: [Reading] {
        items.compactMap { if case .reading(let reading) = $0 { reading } else { nil } }
    }

    /// The values of the readings.
    var values: [Value] {
        readings.map { Value(table[$0.signal].id, $0.value, table[$0.signal].unit) }
    }

    /// The codes.
    var codes: [String] {
        items.compactMap { if case .code(let report) = $0 { report.code.text } else { nil } }
    }

    /// The VINs among the entries.
    var vehicles: [String] {
        entries.compactMap { if case .vehicle(let vin) = $0.entry { vin.text } else { nil } }
    }

    /// Positions among the entries.
    var positions: [Position] {
        entries.compactMap { if case .position(let position) = $0.entry { position } else { nil } }
    }

    /// Voltages among the entries.
    var voltages: [Double] {
        entries.compactMap { if case .voltage(let volts) = $0.entry { volts } else { nil } }
    }
}
