import Diagnostics
import Foundation
import OBDCore
import PIDTables
import ScanSession
import SystemIO
import Testing
import TripExport
import TripImport
import TripStore
import VehicleScan

@testable import ObdscanCLI

/// Trips on their way out of the database, and into it.
@Suite final class `Files of trips` {
    private let program: Program
    private let store: TripStore
    private let table: PIDTable

    init() throws {
        program = try Program()
        table = try PIDTables.standard()
        store = try TripStore(path: program.home.appendingPathComponent("f.db").path)
    }

    deinit { program.remove() }

    private func reading(
        _ name: String, _ value: Double, ecu: UInt32 = 0x7E8, frame: UInt8? = nil
    ) throws -> DiagnosticItem {
        let found = try SignalNames(table).find(name)
        var reading = Reading(
            ecu: ECUAddress(ecu, .can11), dataID: found.dataID,
            signal: try #require(found.signal), value: .number(value), raw: [0x01], line: 0)
        reading.frame = frame
        return .reading(reading)
    }

    private func importing(_ name: String, _ text: String) throws -> (String, ImportRun) {
        let path = program.home.appendingPathComponent(name).path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let input = try InputFile(path: path)
        let format = try #require(try ImportFormat(input.beginning()))
        return (path, try ImportRun(input, format, standard: table))
    }

    /// A file is known by all that it holds, not by its times and its size.
    @Test(arguments: [
        "time,RPM\n2026-11-21T08:15:02Z,900\n", "time,RPM\n2026-11-21T08:15:03Z,800\n",
        "time,RPM\n2026-11-21T08:15:02Z,800\n2026-11-21T08:15:03Z,800\n",
        "time,VSS\n2026-11-21T08:15:02Z,800\n",
    ])
    func `a file that differs in anything is another trip`(text: String) throws {
        let one = "time,RPM\n2026-11-21T08:15:02Z,800\n"
        let (_, first) = try importing("a.csv", one)
        #expect(try first.store(in: store) { _, _ in }.trips == [1])
        let (_, second) = try importing("b.csv", text)
        #expect(try second.store(in: store) { _, _ in }.trips == [2])
        let (_, again) = try importing("c.csv", one)
        let result = try again.store(in: store) { _, _ in }
        #expect(result.trips.isEmpty && result.known == 1)
        #expect(try store.trip(1).readings == 1)
    }

    @Test(arguments: ["2026-11-21T08:15:03Z,900\n", "2026-11-21T08:15:03Z,"])
    func `a file that is written to meanwhile is not stored`(more: String) throws {
        let (path, run) = try importing("a.csv", "time,RPM\n2026-11-21T08:15:02Z,800\n")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(more.utf8))
        try file.close()
        #expect(throws: (any Error).self) { _ = try run.store(in: store) { _, _ in } }
        #expect(try store.trips(.init(withScans: true)).isEmpty)
    }

    /// A trip begins before its first reading, when the vehicle was being set up.
    @Test func `a trip that comes back begins when it began`() throws {
        let start = "2026-11-21T08:15:00.000000Z"
        let (_, run) = try importing(
            "a.jsonl",
            """
            {"kind":"trip","id":7,"start":"\(start)"}
            {"time":"2026-11-21T08:15:02.000000Z","ecu":"7E8","service":"01","pid":"0C",\
            "signal":"RPM","value":800,"unit":"rpm","raw":"0C80"}

            """)
        #expect(try run.store(in: store) { _, _ in }.trips == [1])
        #expect(try store.trip(1).start.text == start)
    }

    // MARK: What is told of a trip

    @Test(arguments: [
        (UnitSystem.metric, " km,"), (.imperial, " mi,"),
    ])
    func `a summary tells faults, and the distance in the user's units`(
        units: UnitSystem, unit: String
    ) throws {
        let writer = try store.startTrip(
            TripStart(anchor: TimeAnchor(monotonic: .zero, utc: UTC(microseconds: 0))),
            table: table)
        for second in 0...3600 where second % 2 == 0 {
            #expect(
                try writer.offer([reading("VSS", 100)], at: Instant.zero + .seconds(second)))
        }
        try writer.end(.stopped, at: Instant.zero + .seconds(3600))
        var statistics = SessionStatistics()
        (statistics.readings, statistics.errors, statistics.timeouts) = (1801, 3, 2)
        (statistics.seconds, statistics.reconnects) = (3600, 1)
        var summary = Summary(statistics: statistics, trip: writer.trip)
        summary.take(store, OutputOptions(format: .text, units: units, quiet: true))
        // 100 km/h for an hour; a mile is 1.609344 km.
        let distance = (units == .metric ? "100.0" : "62.1") + unit
        #expect(summary.text.contains(distance), "\(summary.text)")
        for words in ["1801 readings", "3 errors", "2 timeouts", "1 reconnect"] {
            #expect(summary.text.contains(words), "\(summary.text)")
        }
    }
}
