import Adapters
import Foundation
import OBDCore
import Testing
import VehicleScan

@testable import ObdscanCLI

@Suite struct `Consent` {
    /// Any other place that makes a ``Consent`` could skip the question to the user.
    @Test func `consent is created in one place`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        let files = try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var makers: [String] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            if text.contains("Consent()") || text.contains("Consent.init") {
                makers.append(file.lastPathComponent)
            }
        }
        #expect(makers == ["WritePermission.swift"])
    }

    // MARK: Input

    /// ELM327: a carriage return ends a command.
    @Test(arguments: [
        "010C\r04", "AT RV\r04", "AT\u{0}I", "01\u{0}04", "22\u{FB00}00", "\u{17F}TI", "ATI\t1",
        "0104\u{B}", "04\u{85}",
    ])
    func `a line with two commands is refused`(line: String) {
        #expect(throws: Failure.self) { try RawCommand(line) }
    }

    /// If the carriage return were removed, 01 and 04 would become one request that reads.
    @Test(arguments: ["01\r04\n", "0902\r04\r\n", "AT RV\r04\n"])
    func `a carriage return inside a line is refused`(input: String) throws {
        let program = try Program()
        defer { program.remove() }
        let record = program.home.appendingPathComponent("record")
        let result = try program.run(
            ["send", "-d", "sim:petrol?latency=0", "--record", record.path], input: input)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains("is not a command"), "\(result.errors)")
        #expect(try Typed(record).writing == [])
    }

    @Test func `lines may end with a carriage return and a line feed`() throws {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run(
            ["send", "-d", "sim:petrol?latency=0&engine=off"], input: "010C\r\n010D\r\n")
        #expect(result.status == 0 && result.output.contains("410C"), "\(result.errors)")
    }

    // MARK: The whole program

    /// The lines of a recording that were sent.
    ///
    /// Each is judged by the settings that the lines before it made.
    struct Typed {
        /// Lines that are not known to be read-only.
        var writing: [String] = []
        var count = 0

        init(_ file: URL, in vehicleProtocol: VehicleProtocol = .can11At500) throws {
            var settings = TypedSettings(vehicleProtocol: vehicleProtocol)
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let parts = line.split(separator: " ", maxSplits: 2)
                guard parts.count == 3, parts[1] == ">", parts[2].hasSuffix("\\r") else { continue }
                let text = String(parts[2].dropLast(2))
                // Blanks and deletes only bring the adapter in step. These lines are not commands.
                if text.allSatisfy({ $0 == " " }) || text.hasPrefix("\\x7f") { continue }
                count += 1
                if AdapterCommand(text) != nil {
                    if !AdapterRequest.isReadOnlyCommand(text) { writing.append(text) }
                    // The set-up uses these two to find the vehicle's protocol, which is given
                    // here.
                    switch AdapterCommand(text) {
                    case .choose?, .reset?: continue
                    default: break
                    }
                    settings.take(text, isConfirmed: true)
                } else if let bytes = Hex.bytes(
                    text.utf8.count.isMultiple(of: 2) ? text : String(text.dropLast()))
                {
                    let isRead = settings.isReadOnly(bytes) || Self.isGroup(bytes)
                    if !isRead { writing.append(text) }
                } else {
                    writing.append(text)
                }
            }
        }

        /// Whether the request is the first one to a vehicle that may use SAE J1939.
        private static func isGroup(_ bytes: [UInt8]) -> Bool {
            VehicleRequest.isReadOnly(bytes, to: nil, on: .j1939)
        }
    }

    static let commands: [[String]] = [
        ["read", "RPM", "ECT"], ["read", "RPM", "--ecu", "7E8"], ["read", "RPM", "--ecu", "0AD"],
        ["live", "RPM", "--format", "csv", "--duration", "300ms"],
        ["live", "RPM", "--alarm", "RPM > 100", "--format", "csv", "--duration", "300ms"],
        ["log", "RPM", "--duration", "300ms"], ["monitors"], ["monitors", "--ecu", "7E9"],
        ["dtc"], ["dtc", "--ecu", "7E9"], ["info"], ["freeze"], ["pids", "list", "--supported"],
        ["read", "CLEARED"], ["live", "CLEARED", "--format", "csv", "--duration", "300ms"],
        ["send", "AT SH 7E1", "1101"], ["send", "04"], ["send", "AT FC SD 0104", "0902"],
        ["send", "AT MA", "--duration", "200ms"], ["send", "--ecu", "0AD", "010C"],
        ["live", "--pack", "nissan-leaf", "--format", "csv", "--duration", "300ms"],
        ["read", "RPM", "--pack", "vw-e-golf"], ["dtc", "--all-modules"],
        ["info", "--all-modules"],
        ["dtc", "clear"], ["doctor", "--adapter"],
    ]

    /// A table with a request that clears a truck's codes (SAE J1939-73: DM11), and with one for a
    /// car's brakes.
    static let table = """
        record FE:00FED3 1..8 : Active codes, gone
          signal CLEARED A : Cleared
        """

    @Test(arguments: commands, ["petrol?latency=0", "truck?latency=0"])
    func `no command sends a writing request without consent`(command: [String], vehicle: String)
        throws
    {
        let program = try Program()
        defer { program.remove() }
        let record = program.home.appendingPathComponent("record")
        var arguments = command + ["-d", "sim:" + vehicle, "--record", record.path]
        if command.contains("CLEARED") {
            let file = program.home.appendingPathComponent("clears.pids")
            try Self.table.write(to: file, atomically: true, encoding: .utf8)
            arguments += ["--pids", file.path]
        }
        let result = try program.run(arguments)
        guard FileManager.default.fileExists(atPath: record.path) else {
            // The command was refused before it opened the device.
            #expect([64, 65].contains(result.status), "\(command): \(result.errors)")
            return
        }
        let typed = try Typed(record, in: vehicle.hasPrefix("truck") ? .j1939 : .can11At500)
        #expect(typed.writing.isEmpty, "\(command): \(typed.writing)")
    }

    /// The engine runs.
    ///
    /// Settings try to hide that from the program, before a request that resets an ECU (ISO 14229-1
    /// 11 01).
    @Test(arguments: [
        "AT SH 7E1", "AT CRA 123", "AT CF 123;AT CM 7FF", "AT R0", "AT ST 01", "AT SP 7",
        "AT CP 10",
        "AT CEA 04", "AT CAF0", "AT TP 3", "STPTO 1", "STP 34", "STP 31", "AT H0", "AT E1;AT S1",
        "AT D", "AT SP B", "AT CFC0", "AT AT 0", "AT D;AT SH 7E1",
    ])
    func `consent does not hide that the engine runs`(settings: String) throws {
        let program = try Program()
        defer { program.remove() }
        let record = program.home.appendingPathComponent("record")
        for adapter in ["elm327", "stn"] {
            let typed = settings.split(separator: ";").map(String.init)
            let result = try program.run(
                ["send"] + typed + ["1101", "--yes", "--record", record.path, "-d"]
                    + ["sim:petrol?latency=0&start=90s&personality=\(adapter)"])
            #expect(result.status == 75 || result.status == 69, "\(result.errors)")
            let lines = try String(contentsOf: record, encoding: .utf8).split(separator: "\n")
            #expect(!lines.contains { $0.contains("> 1101") }, "\(settings)")
        }
    }

    /// The same with the engine off: the request goes once, to the address that the user has set.
    @Test(arguments: [
        ("AT SH 7E1", "1101", "7E1"), ("AT SH 7E1;AT CRA 7E9", "14FFFFFF", "7E1"),
    ])
    func `a view restores the typed text`(settings: String, request: String, header: String) throws
    {
        let program = try Program()
        defer { program.remove() }
        let record = program.home.appendingPathComponent("record")
        let result = try program.run(
            ["send"] + settings.split(separator: ";").map(String.init) + [request, "--yes"]
                + ["--record", record.path, "-d", "sim:petrol?latency=0&engine=off"])
        #expect(result.status == 0, "\(result.errors)")
        let typed = try String(contentsOf: record, encoding: .utf8).split(separator: "\n")
            .filter { $0.contains(" > ") }.map { $0.split(separator: " > ", maxSplits: 1)[1] }
        let place = try #require(typed.firstIndex(of: Substring(request + "\\r")))
        #expect(typed[..<place].last { $0.hasPrefix("AT SH") } == "AT SH \(header)\\r")
        #expect(typed.contains("AT D\\r") && typed.contains("010C\\r"), "\(typed)")
        #expect(typed.count { $0 == Substring(request + "\\r") } == 1)
        // The next command is ATI, so a later carriage return cannot repeat the request.
        #expect(typed[place...].dropFirst().first == "ATI\\r")
    }
}
