import Foundation
import Testing

/// What somebody meets who uses the program for the first time.
@Suite struct `Answers to somebody new` {
    @Test func `names of simulated vehicles are said once not to be stored`() throws {
        let program = try Program()
        defer { program.remove() }
        let list = try program.file(
            "cars.txt",
            "sim:petrol?frozen=true&latency=0 van one\nsim:hybrid?frozen=true&latency=0 van two\n")
        let table = program.home.appendingPathComponent("codes.csv").path
        let read = try program.run(["dtc", "--batch", list, "--to", table, "--name-vehicles"])
        #expect(read.errors.components(separatedBy: "Names are not stored: ").count == 2)
        let kept = try program.run([
            "dtc", "--batch", list, "--to", table, "--name-vehicles", "--db",
            program.home.appendingPathComponent("a.db").path,
        ])
        #expect(!kept.errors.contains("not stored"), "\(kept.errors)")
    }

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

    @Test func `a recording that is missing is no such file`() throws {
        let program = try Program()
        defer { program.remove() }
        let list = try program.file("cars.txt", "/nonexistent.txt bay\n")
        let read = try program.run(["dtc", "--batch", list])
        #expect(read.errors.contains("there is no device or file /nonexistent.txt"))
    }

    @Test func `a trip can be compared with itself, and exported numbers are rounded`() throws {
        let program = try Program()
        defer { program.remove() }
        let database = program.home.appendingPathComponent("a.db").path
        let logged = try program.run([
            "log", "LOAD_PCT", "--duration", "2s", "--db", database, "-d", "sim:?latency=1ms",
        ])
        #expect(logged.status == 0, "\(logged.errors)")
        let compared = try program.run(["trips", "compare", "1", "latest", "--db", database])
        #expect(compared.status == 0)
        #expect(compared.errors.contains("Both are trip 1: it is compared with itself."))
        let table = try program.run([
            "export", "1", "--every", "100ms", "--fill", "last", "--db", database,
        ])
        // The vehicle's number and name may come before the signal; the first heading has a comma.
        let lines = table.output.split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let place = try #require(lines.first?.firstIndex { $0.contains("LOAD_PCT") }) - 1
        // Steps of 100/255 % (SAE J1979) need one decimal.
        let cells = lines.dropFirst().map { $0[place] }
        #expect(cells.contains { $0.contains(".") }, "\(table)")
        for cell in cells {
            let decimals = cell.split(separator: ".").dropFirst().first ?? ""
            #expect(decimals.count <= 1, "\(cell)")
        }
    }
}
