import Foundation
import Reports
import Testing

@testable import ObdscanCLI

/// Files that commands write: a file of the same kind is replaced, any other file stays.
@Suite struct `Files that a command would replace` {
    private let program: Program

    init() throws { program = try Program() }

    /// A trip with positions and without an ECU.
    private func makeTrip() throws {
        let log = try program.file(
            "log.csv",
            "time,latitude,longitude,Engine RPM (rpm),Foo\n2024-03-08 10:00:00,47.5,8.5,800,1\n"
                + "2024-03-08 10:00:01,47.6,8.5,900,2\n")
        #expect(try program.run(["import", log, "-q"]).status == 0)
    }

    @Test(arguments: [
        "export --to out.csv", "export --to out.tsv", "export --to out.xlsx",
        "export --to out.jsonl", "export --to out.gpx", "export --to out.kml",
        "export --to out.lp", "export --to out.csv --format kuksa",
        "export --to out.csv --layout long", "export --to out.csv --every 1s",
        "export --to out.csv --relative", "export --to out.csv --local-time",
        "trips report --to out.html",
        "dtc list -d sim: --to out.csv", "dtc list -d sim: --to out.csv --one-row",
        "dtc list -d sim: --to out.jsonl", "dtc list -d sim: --to out.xlsx",
        "dtc report -d sim: --to out.html", "info -d sim: --record out.txt",
    ])
    func `an earlier file of the same command is replaced, any other file stays`(line: String)
        throws
    {
        defer { program.remove() }
        try makeTrip()
        let words = line.split(separator: " ").map(String.init)
        let name = try #require(words.first { $0.hasPrefix("out.") })
        let path = program.home.appendingPathComponent(name).path
        let arguments = words.map { $0 == name ? path : $0 }
        for _ in 1...2 {
            let result = try program.run(arguments)
            #expect(result.status == 0, "\(result.errors)")
        }
        let other = "# my notes\ntime,RPM\nyesterday,800\n"
        _ = try program.file(name, other)
        let refused = try program.run(arguments)
        #expect(refused.status == 73 && refused.output.isEmpty)
        #expect(
            refused.errors.hasPrefix("obdscan: \(path) exists already and is not a")
                && refused.errors.hasSuffix("or move this one away first\n"),
            "\(refused.errors)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == other)
        // mktemp(1) makes an empty file.
        _ = try program.file(name, "")
        #expect(try program.run(arguments).status == 0)
    }

    /// Tables of other programs that look like exports, and the other way round.
    @Test(arguments: [
        ("time,rpm,speed\n0.5,800,50\n", false), ("Time,RPM\n2024-03-08T10:00:00Z,1\n", false),
        ("time,RPM (rpm)\n2024-03-08T10:00:00.000000Z,1\n", true), ("time,7E8 RPM (rpm)\n", true),
        ("time,device,label\n", false), ("time,Engine Speed (rpm)\n0,1\n", false),
        ("time;RPM (rpm);Foo\n2024-03-08 10:00:00.123;1;2\n", true), ("PK", false),
        ("<gpx>", false),
    ])
    func `an export of readings is recognised`(text: String, isOwn: Bool) {
        #expect(OwnFile.trips(.csv).recognises(Array(text.utf8)) == isOwn)
    }

    @Test func `a PDF that obdscan wrote is recognised by its last bytes`() {
        let other = Array("%PDF-1.4\n%%EOF\n".utf8)
        #expect(!OwnFile.page.recognises(other))
        #expect(OwnFile.page.recognises(other + OwnFile.endOfPDF))
    }

    /// Nothing is asked of the vehicle for a file that cannot be written.
    @Test func `a file that would not be replaced is reported before the vehicle is asked`() throws
    {
        defer { program.remove() }
        let path = try program.file("out.csv", "mine")
        let result = try program.run(["dtc", "list", "-d", "/dev/null", "--to", path])
        #expect(result.status == 73 && result.errors.contains("exists already"))
    }

    @Test func `the error for a page of codes suggests the command that writes the page`() throws {
        defer { program.remove() }
        let result = try program.run(["dtc", "list", "-d", "sim:", "--to", "x.pdf"])
        #expect(result.status == 64)
        #expect(result.errors.contains("hint: \"obdscan dtc report --to x.pdf\" writes a page"))
    }

    @Test(arguments: [
        ("trips list --format jsonl", "Did you mean 'json'?"),
        ("export --format ndjson", "Did you mean 'json'?"),
        ("export --format cvs", "Did you mean 'csv'?"),
        ("db recover", "Example: obdscan db recover --to saved.db"),
    ])
    func `the error for wrong usage suggests the correct command`(line: String, words: String)
        throws
    {
        defer { program.remove() }
        let result = try program.run(line.split(separator: " ").map(String.init))
        #expect(result.status == 64 && result.errors.contains(words), "\(result.errors)")
    }
}
