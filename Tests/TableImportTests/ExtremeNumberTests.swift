import PIDTables
import TestSupport
import Testing

@testable import TableImport

/// Numbers that no table has: the row is left out with its reason, or becomes a row without errors.
@Suite struct `Extreme numbers in other programs' tables` {
    @Test(arguments: Samples.all.map(\.file))
    func `extreme numbers crash nothing`(file: String) throws {
        let text = try #require(Samples.all.first { $0.file == file }).text
        let recorded = Array(Samples.obdbTests.utf8)
        Extremes.forEach(of: text) { changed in
            guard var source = try? Samples.source(changed, file) else { return }
            source.prove(by: [OBDbTests(recorded, file: "a.yaml", year: 2021)], year: nil)
            let table = Samples.table([source])
            let errors = Samples.lint(table)
            #expect(errors.isEmpty, "\(errors) in \(changed)")
        }
    }

    @Test func `extreme numbers in recorded answers crash nothing`() throws {
        try Extremes.forEach(of: Samples.obdbTests) { changed in
            var source = try Samples.source(Samples.obdb)
            source.prove(
                by: [OBDbTests(Array(changed.utf8), file: "a.yaml", year: 2021)], year: 2021)
            #expect(Samples.lint(Samples.table([source])).isEmpty, "\(changed)")
        }
    }

    /// A position, and the reason for which it is none.
    @Test(arguments: [
        "\"bix\": 9223372036854775800, \"len\": 8", "\"bix\": 8, \"len\": 9223372036854775807",
        "\"bix\": 9223372036854775807, \"len\": 9223372036854775807",
        "\"len\": 1e-9223372036854775808",
    ])
    func `extreme numbers are not a signal's position`(place: String) throws {
        let source = try Samples.source(
            "{\"commands\":[{\"hdr\":\"7E0\",\"cmd\":{\"22\":\"0101\"},\"signals\":["
                + "{\"id\":\"A\",\"fmt\":{\(place)}}]}]}")
        #expect(source.records.isEmpty && source.findings.count == 1)
    }
}

/// The harm that a file of another program may do to the resulting table.
@Suite struct `Hostile tables of other programs` {
    private static let record = "record 22:DEAD 1 : Made\n  signal MADE A : Made"

    @Test(arguments: ["\\n", "\\r", "\\u0085", "\\u2028", "\\u000b"])
    func `a hostile text in a foreign table adds no line to our table`(lineEnd: String) throws {
        let name = "x" + lineEnd + Self.record.split(separator: "\n").joined(separator: lineEnd)
        let text = """
            {"commands":[
              {"hdr":"7E0","cmd":{"22":"0101"},"signals":[{"id":"\(name)","fmt":{}}]},
              {"hdr":"7E0","cmd":{"22":"0102"},"signals":[
                {"id":"\(name)","name":"\(name)","fmt":{"len":8,"unit":"\(name)"}},
                {"id":"B","fmt":{"bix":8,"len":8,"map":{"1":{"value":"\(name)"}}}}]}]}
            """
        let table = Samples.table([try Samples.source(text, "f\nrecord 22:BEEF 1 : F")])
        #expect(table.takenCount == 2 && table.rowCount == 3)
        let records = table.text.split(whereSeparator: \.isNewline).filter {
            $0.hasPrefix("record")
        }
        #expect(records.count == 1 && records[0].hasPrefix("record 22:0102"), "\(table.text)")
        #expect(Samples.lint(table).isEmpty)
    }

    /// With work for each pair of rows these take many minutes.
    @Test(.timeLimit(.minutes(2)), arguments: 0..<5)
    func `a hostile table needs time only in proportion to its rows`(form: Int) throws {
        let count = 8_000
        func command(_ signals: String, _ filter: String = "") -> String {
            "{\"hdr\":\"7E0\",\"rax\":\"7E8\",\"cmd\":{\"22\":\"1234\"}\(filter),\"signals\":[\(signals)]}"
        }
        func signal(_ index: Int, _ id: String? = nil) -> String {
            "{\"id\":\"\(id ?? "S\(index)")\",\"fmt\":{\"bix\":\(index % 64 * 8),\"len\":8}}"
        }
        let indices = 0..<count
        let commands: [String] =
            switch form {
            case 0: indices.map { command(signal($0)) }
            case 1:
                indices.map { command(signal($0), ",\"filter\":{\"from\":\(1980 + $0 % 100)}") }
            case 2:
                [1990, 2000].map { year in
                    command(
                        indices.prefix(count / 2).map { signal($0) }.joined(separator: ","),
                        ",\"filter\":{\"from\":\(year)}")
                }
            case 3: [command(indices.map { signal($0, "A") }.joined(separator: ","))]
            default:
                [
                    command(
                        "{\"id\":\"A\",\"fmt\":{\"len\":32,\"map\":{"
                            + indices.map { "\"\($0)\":{\"value\":\"v\($0)\"}" }.joined(
                                separator: ",")
                            + "}}}")
                ]
            }
        let text = "{\"commands\":[\(commands.joined(separator: ","))]}"
        let table = Samples.table([try Samples.source(text)])
        #expect(table.rowCount == (form == 4 ? 1 : count) && !table.text.isEmpty)
    }
}
