import Foundation
import Testing

/// What somebody meets who uses the program for the first time.
@Suite struct `Answers to somebody new` {
    @Test func `a stored report has the name, the VIN and the model year`() throws {
        let program = try Program()
        defer { program.remove() }
        let database = program.home.appendingPathComponent("a.db").path
        let vehicle = ["--db", database, "-d", "sim:petrol?frozen=true&latency=0"]
        let read = try program.run(["dtc", "--label", "bay 2", "--name-vehicles"] + vehicle)
        #expect(read.status == 0, "\(read.errors)")
        let live = try program.run(["dtc", "report"] + vehicle)
        let stored = try program.run(["dtc", "report", "--of", "bay 2", "--db", database])
        for report in [live, stored] {
            for text in ["5XXBD1GA8LX000042", "bay 2", "for model year 2020"] {
                #expect(report.output.contains(text), "\(text)\n\(report)")
            }
        }
    }
}
