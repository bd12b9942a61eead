import OBDCore
import Testing

@testable import TripImport

/// Clocks that count from the beginning of a log, and start again within it.
@Suite struct `Logs of several drives` {
    /// Seconds since the first row, by trip.
    private func trips(_ text: String, start: String = "2024-01-02 08:00") throws -> [[Double]] {
        var source = ImportSource()
        source.start = WallClock(start)
        let standard = try ImportedFile.standard.get()
        let format = try #require(ImportFormat(Array(text.utf8)))
        var found: [[Double]] = []
        repeat {
            found = []
            var first: UTC?
            var reader = TripFileReader(format, ImportTable(standard), source) { wall, _ in [wall] }
            func take(_ event: ImportEvent) {
                guard case .entry(_, let time) = event else { return found.append([]) }
                first = first ?? time
                let passed = Double(time.microseconds(since: first ?? time)) / 1e6
                found[found.count - 1].append(passed)
            }
            try reader.read(Array(text.utf8)[...]) { take($0) }
            try reader.finish { take($0) }
            guard let next = reader.findings else { break }
            source.findings = next
        } while true
        return found
    }

    @Test(
        arguments: [
            (
                [0, 200, 400, 600, 0, 200, 400, 600],
                [[0, 200, 400, 600], [601, 801, 1001, 1201]]
            ),
            ([10, 11, 0, 1], [[0, 1], [2, 3]]),
            ([5, 6, 7, 0.5, 1, 2, 0.25, 1], [[0, 1, 2], [3, 3.5, 4.5], [5.5, 6.25]]),
            ([0, 1, 0, 1], [[0, 1], [2, 3]]), ([0, 300, 0], [[0, 300], [301]]),
            // Another part may begin later than the first.
            ([0, 500, 20, 600], [[0, 500, 20, 600]]),
            ([0, 500, 20, 40], [[0, 500], [501, 521]]),
            // Rows out of order.
            ([10, 9.5, 11], [[0, -0.5, 1]]), ([0, 1, 0.9, 2, 1.9, 3], [[0, 1, 0.9, 2, 1.9, 3]]),
            // The frames of two buses, at the beginning of the log.
            ([0, 0.01, 0.004, 0.009, 1], [[0, 0.01, 0.004, 0.009, 1]]),
            ([0.02, 0.01, 0.015, 1], [[0, -0.01, -0.005, 0.98]]),
            ([0, 1, 1, 2], [[0, 1, 1, 2]]), ([-2, -1, 0], [[0, 1, 2]]),
        ] as [([Double], [[Double]])])
    func `a clock that starts again in a log begins a later trip`(
        _ clock: [Double], _ expected: [[Double]]
    ) throws {
        let rows = clock.map { "\($0),900\n" }.joined()
        #expect(try trips("Time (s),RPM\n" + rows) == expected)
        #expect(try trips("time,RPM\n" + rows) == expected)
    }

    @Test func `a repeated heading begins a later trip`() throws {
        let part = "Time (s),RPM\n0,900\n0.5,901\n"
        #expect(try trips(part + part) == [[0, 0.5], [1.5, 2]])
        // The clock goes on.
        #expect(try trips(part + "Time (s),RPM\n9,900\n") == [[0, 0.5], [9]])
    }

    /// 11:20:39 and an hour later.
    @Test func `the second drive in a log may have its own start time`() throws {
        func part(_ hour: Int) -> String {
            "# StartTime = 2026-02-03 \(hour):20:39\nTime (sec),RPM\n0,900\n0.5,901\n"
        }
        #expect(try trips(part(11) + part(12)) == [[0, 0.5], [3600, 3600.5]])
    }

    /// Frames that wait for the proof of SAE J1939 keep their lines: one group proves nothing, two do.
    @Test func `a clock can start again while frames wait for their protocol`() throws {
        func line(_ time: Double, _ frame: String) -> String { "(\(time)00000) can0 \(frame)\n" }
        let first = (0..<5).map { line(Double($0), "0CF00400#FFFFFF681\($0)FFFFFF") }
        let second = (0..<5).map { line(Double($0), "18FEEE00#7\($0)FFFFFFFFFFFFFF") }
        let found = try trips((first + second).joined())
        #expect(found.map(\.count) == [5, 5])
        #expect(found.last?.first == 5)
    }

    @Test func `Car Scanner's and Freematics' clocks may start again`() throws {
        let rows = [7.5, 8.5, 7.5, 8.5].map { "\($0);Engine RPM;900;rpm\n" }.joined()
        #expect(
            try trips("SECONDS;PID;VALUE;UNITS\n" + rows, start: "2019-01-02 23:00")
                == [[0, 1], [2, 3]])
        let lines = [7500, 8500, 100, 1100].map { "\($0),10C,900\n" }.joined()
        #expect(try trips(lines) == [[0, 1], [2, 3]])
    }
}
