import Foundation
import PIDTables
import SystemIO
import Testing

@testable import ObdscanCLI

@Suite struct PIDsCommandTests {
    /// The text that `body` writes.
    private func written(_ body: (inout TextOutput) throws -> Void) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        #expect(FileManager.default.createFile(atPath: file.path(), contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forUpdating: file)
        var writer = TextOutput(descriptor: handle.fileDescriptor)
        try body(&writer)
        try writer.flush()
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    private func list(_ arguments: String...) throws -> String {
        let command = try #require(
            try ObdscanCommand.parseAsRoot(["pids", "list"] + arguments) as? PIDsListCommand)
        return try written { try command.list(try PIDTables.standard(), to: &$0) }
    }

    private func show(_ arguments: String...) throws -> String {
        let command = try #require(
            try ObdscanCommand.parseAsRoot(["pids", "show"] + arguments) as? PIDsShowCommand)
        return try written {
            try command.show(try PIDTables.standard(), try PIDTables.records(), to: &$0)
        }
    }

    private func report(_ findings: [TableFinding], _ arguments: String...) throws -> String {
        let command = try #require(
            try ObdscanCommand.parseAsRoot(["pids", "lint"] + arguments) as? PIDsLintCommand)
        return try written {
            do {
                try command.report(findings, to: &$0)
            } catch let failure as Failure {
                #expect(failure == .silent(.badData))
                try $0.write("exit 65\n")
            }
        }
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `a signal that is heard on a bus says when it is stored`() throws {
        let rule = "heard     stored when it changes, at most"
        #expect(try show("SPN190").contains("\(rule) once per second"))
        #expect(try show("SPN558").contains("\(rule) 10 times"))
        #expect(try !show("rpm").contains("heard"))
    }

    @Test func `a list without search words has every signal once`() throws {
        let table = try PIDTables.standard()
        #expect(try objects(list("--format", "json")).count == table.signals.count)
    }

    @Test func `Words and service narrow the list`() throws {
        let found = try objects(list("engine", "speed", "--service", "01", "--format", "json"))
        #expect(found.map { $0["signal"] as? String } == ["RPM"])
        let rpm = try #require(found.first)
        #expect(rpm["pid"] as? String == "0C")
        #expect(rpm["unit"] as? String == "rpm")
        #expect(rpm["max"] as? Double == 16383.75)
        #expect(rpm["aliases"] as? [String] == ["rpm", "engine-speed"])
        #expect(try list("no such words").isEmpty)
    }

    @Test func `The list as CSV has a heading and one row per signal`() throws {
        let lines = try list("RPM", "engine", "--service", "01", "--format", "csv")
            .split(whereSeparator: \.isNewline)
        #expect(lines.first == "service,pid,signal,name,unit,min,max,aliases")
        #expect(lines.dropFirst() == ["01,0C,RPM,Engine speed,rpm,0,16383.75,rpm engine-speed"])
    }

    @Test func `A service is two hexadecimal digits`() {
        #expect(throws: Failure.self) { try list("--service", "one") }
    }

    @Test func `A shown signal has its formula, its range and the source of its examples`() throws {
        let text = try show("coolant-temp")
        #expect(text.contains("01:05  Engine coolant temperature"))
        #expect(text.contains("raw − 40"))
        #expect(text.contains("-40 to 215 °C"))
        #expect(text.contains("ECT=83") && text.contains("python-OBD"))
        #expect(!text.contains("unverified"))
    }

    @Test func `Rows without a second source are marked`() throws {
        #expect(try show("01:A7").contains("unverified"))
        let object = try #require(try objects(show("BAT_SOH", "--format", "json")).first)
        #expect(object["unverified"] as? Bool == true)
    }

    @Test func `Showing an identifier shows all its signals`() throws {
        let shown = try objects(show("01:24", "--format", "json"))
        #expect(shown.map { $0["signal"] as? String } == ["LAMBDA11_V", "O2S11_WRV"])
        #expect(shown.map { $0["bits"] as? String } == ["A..B", "C..D"])
        #expect(shown.map { $0["divisor"] as? Double } == [65536, 65536])
        #expect(shown.map { $0["multiplier"] as? Double } == [2, 8])
    }

    @Test func `A signal is shown with its flag, byte order and labels`() throws {
        let flagged = try #require(try objects(show("EGRT11_W", "--format", "json")).first)
        #expect(flagged["onlyIf"] as? String == "EGRT11_WR_SUP")
        let truck = try #require(try objects(show("SPN190", "--format", "json")).first)
        #expect(truck["littleEndian"] as? Bool == true)
        #expect(truck["noValue"] as? [String] == ["FB00..FFFF"])
        let coded = try #require(try objects(show("AIR_STAT", "--format", "json")).first)
        #expect((coded["labels"] as? [String])?.first?.hasPrefix("01 ") == true)
    }

    @Test func `The adapter's voltage belongs to no service`() throws {
        let voltage = try #require(try objects(show("voltage", "--format", "json")).first)
        #expect(voltage["service"] is NSNull)
        #expect(voltage["unit"] as? String == "V")
    }

    @Test func `Findings are printed, and errors decide the exit code`() throws {
        let warning = TableFinding(file: "a.pids", line: 3, .noExample("X"))
        let error = TableFinding(file: "a.pids", line: 4, .wideFlag("F"))
        #expect(try report([], "-q") == "")
        #expect(try report([warning], "-q") == "a.pids:3: warning: no example shows X\n")
        #expect(
            try report([warning, error], "-q").hasSuffix(
                "a.pids:4: error: F is used as a flag but is not a single bit\nexit 65\n"))
        let object = try #require(try objects(report([warning], "--format", "json")).first)
        #expect(object["severity"] as? String == "warning")
        #expect(object["line"] as? Int == 3)
    }
}
