import Foundation
import Testing

/// The format, colour and file of a command line, with every contradiction that a user may type.
@Suite struct `Output follows the command line` {
    private static let car = ["-d", "sim:?latency=0&frozen=true"]

    private static let formats:
        [(options: [String], environment: [String: String], start: String)] = [
            (["--json"], [:], "{\"kind\""), (["--format", "json"], [:], "{\"kind\""),
            (["--format", "csv"], [:], "time,"), (["--format", "text"], [:], "3 trouble codes"),
            ([], ["OBDSCAN_FORMAT": "csv"], "time,"),
            ([], ["OBDSCAN_FORMAT": ""], "3 trouble codes"),
            (["--format", "text"], ["OBDSCAN_FORMAT": "json"], "3 trouble codes"),
        ]

    private static let wrong: [(options: [String], environment: [String: String])] = [
        (["--json", "--format", "csv"], [:]), (["--format", "xml"], [:]), (["--units", "x"], [:]),
        (["--color", "red"], [:]), ([], ["OBDSCAN_FORMAT": "xml"]), ([], ["OBDSCAN_UNITS": "x"]),
    ]

    private static let colours:
        [(options: [String], environment: [String: String], isColoured: Bool)] = [
            ([], [:], false), ([], ["CLICOLOR_FORCE": "1"], true),
            ([], ["CLICOLOR_FORCE": "0"], false), ([], ["CLICOLOR_FORCE": ""], false),
            ([], ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
            ([], ["CLICOLOR_FORCE": "1", "NO_COLOR": ""], true),
            (["--color", "always"], ["NO_COLOR": "1"], true), (["--color", "never"], [:], false),
            (["--color", "always", "--no-color"], [:], false),
            (["--color", "always", "--json"], [:], false),
            (["--color", "always", "--format", "csv"], [:], false),
        ]

    private static let files: [(name: String, options: [String], status: Int32, start: String?)] = [
        ("x.csv", [], 0, "time,device"), ("x.tsv", [], 0, "time\tdevice"),
        ("x.jsonl", [], 0, "{\"kind\":\"codeRow\""), ("x.JSON", [], 0, "{\"kind\":\"codeRow\""),
        ("x.xlsx", [], 0, "PK"), ("x.pdf", [], 64, nil), ("x.txt", [], 64, nil),
        ("x", [], 64, nil), ("x.", [], 64, nil), (".csv", [], 0, "time,device"),
        ("x.csv.gz", [], 64, nil), ("x.csv", ["--json"], 64, nil),
        ("x.jsonl", ["--format", "csv"], 64, nil), ("x", ["--json"], 0, "{\"kind\""),
        ("x.csv", ["--format", "text"], 64, nil),
    ]

    private func run(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> Program.Result {
        let program = try Program()
        defer { program.remove() }
        return try program.run(arguments, environment: environment)
    }

    // The beginning of the line, and its source.
    @Test(arguments: Self.formats.indices)
    func `an option precedes the environment`(index: Int) throws {
        let (options, environment, start) = Self.formats[index]
        let result = try run(["dtc"] + Self.car + options, environment)
        #expect(result.status == 0 && result.output.hasPrefix(start), "\(result)")
    }

    @Test(arguments: Self.wrong.indices)
    func `a wrong choice is refused`(index: Int) throws {
        let (options, environment) = Self.wrong[index]
        let result = try run(["dtc"] + Self.car + options, environment)
        #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty)
    }

    /// Whether escape sequences are in a pipe.
    @Test(arguments: Self.colours.indices)
    func `colour in a pipe needs an option or a variable`(index: Int) throws {
        let (options, environment, isColoured) = Self.colours[index]
        let result = try run(["dtc"] + Self.car + options, environment)
        #expect(result.output.contains("\u{1B}") == isColoured)
    }

    // The file, the options beside it, the exit code, and how the file begins.
    @Test(arguments: Self.files.indices)
    func `the ending of a table's name decides its format`(index: Int) throws {
        let (name, options, status, start) = Self.files[index]
        let program = try Program()
        defer { program.remove() }
        let path = program.home.appendingPathComponent(name).path
        let result = try program.run(["dtc", "--to", path] + Self.car + options)
        #expect(result.status == status, "\(result)")
        let contents = FileManager.default.contents(atPath: path)
        let text = contents.map { String(decoding: $0.prefix(40), as: UTF8.self) }
        #expect(start.map { text?.hasPrefix($0) ?? false } ?? (text == nil), "\(text ?? "")")
    }

    @Test func `a variable of the environment does not override the ending of a file`() throws {
        let program = try Program()
        defer { program.remove() }
        let path = program.home.appendingPathComponent("x.csv").path
        let result = try program.run(
            ["dtc", "--to", path] + Self.car, environment: ["OBDSCAN_FORMAT": "json"])
        #expect(result.status == 0, "\(result)")
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("time,"))
    }

    @Test(arguments: [
        ["dtc", "report", "--to", "x.docx"], ["trips", "report", "--to", "x.csv"],
        ["report", "--to", "x.pdf"], ["monitor", "--to", "x.pdf"], ["dtc", "report", "--to", "x"],
        ["db", "recover", "--to", "x.csv"], ["trips", "report", "--json"],
        ["dtc", "report", "--to", "x.html", "--json"], ["report", "--format", "csv"],
    ])
    func `a file's format must match the ending of its name`(command: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        _ = try program.run(["log", "rpm", "--duration", "300ms"] + Self.car)
        let device = ["db", "trips"].contains(command[0]) ? [] : Self.car
        let words = command.map {
            $0.hasPrefix("x") ? program.home.appendingPathComponent($0).path : $0
        }
        let result = try program.run(words + device)
        #expect(result.status == 64 && result.output.isEmpty, "\(result)")
        let left = try FileManager.default.contentsOfDirectory(atPath: program.home.path)
        #expect(!left.contains { $0.hasPrefix("x") })
    }

    @Test(arguments: [["dtc"], ["dtc", "report"]])
    func `a dash is standard output, not a file`(command: [String]) throws {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run(command + ["--to", "-"] + Self.car)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("time,") || result.output.hasPrefix("<!DOCTYPE"))
        #expect(!FileManager.default.fileExists(atPath: Program.folder.path + "/-"))
    }

    /// Results as text are left out, data is not.
    @Test(arguments: [
        ["dtc"], ["monitors"], ["read", "rpm"], ["info"], ["freeze"],
    ])
    func `quiet prints only errors and data`(command: [String]) throws {
        let quiet = try run(command + Self.car + ["-q"])
        #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty, "\(quiet)")
        let data = try run(command + Self.car + ["-q", "--json"])
        #expect(data.output.hasPrefix("{\"kind\""))
        let wrong = try run(command + ["-q", "-d", "/nowhere"])
        #expect(wrong.status != 0 && wrong.errors.hasPrefix("obdscan: "))
    }
}
