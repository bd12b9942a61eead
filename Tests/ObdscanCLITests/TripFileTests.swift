import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import Reports
import ScanSession
import SystemIO
import Testing
import TripImport
import TripStore
import VehicleScan

@testable import ObdscanCLI

/// Exports and imports of trips.
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

    // MARK: The summary of a trip

    @Test(arguments: [
        (UnitSystem.metric, " km,"), (.imperial, " mi,"),
    ])
    func `a summary shows faults, and the distance in the user's units`(
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
        var summary = PollSummary(statistics: statistics, trip: writer.trip)
        summary.take(store, OutputOptions(format: .text, units: units, quiet: true))
        // 100 km/h for an hour. A mile is 1.609344 km.
        let distance = (units == .metric ? "100.0" : "62.1") + unit
        #expect(summary.text.contains(distance), "\(summary.text)")
        for words in ["1801 readings", "3 errors", "2 timeouts", "1 reconnect"] {
            #expect(summary.text.contains(words), "\(summary.text)")
        }
    }
}
