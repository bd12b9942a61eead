import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import Reports
import SystemIO
import Testing
import TripStore

/// The scalings 0A (0.122 mV), 24 (counts) and FE (0.25 Pa, signed) of SAE J1979-DA.
@Suite struct `Numbers of a test result` {
    private func result(
        _ hex: String, service: UInt8 = 0x06, family: VehicleProtocol.Family = .can
    ) throws -> MonitorTestResult {
        let bytes = try #require(Hex.bytes(Hex.string([service + 0x40]) + hex.filter { $0 != " " }))
        var decoder = ResponseDecoder(
            table: try PIDTables.standard(), monitors: try PIDTables.monitorTables())
        var items: [DiagnosticItem] = []
        decoder.decode(
            ECUMessage(ecu: ECUAddress(family == .can ? "7E8" : "10"), payload: bytes),
            in: Exchange(request: [service] + bytes[1...(service == 0x05 ? 2 : 1)], family: family),
            &items)
        return try #require(
            items.lazy.compactMap { if case .monitorTest(let result) = $0 { result } else { nil } }
                .first)
    }

    @Test(arguments: [
        ("01 01 10 0076 0000 0190", "118", "≤ 400", "passed"),
        ("02 08 0A 1852 1333 FFFF", "760.0", "≥ 600.0", "passed"),
        ("A2 0B 24 00D6 0000 FFFF", "214", "", "no limits"),
        ("39 81 FE FB50 F830 FE0C", "-300.0", "-500.0…-125.0", "passed"),
        ("39 81 FE FB50 8000 7FFF", "-300.0", "", "no limits"),
        ("01 01 10 0191 0000 0190", "401", "≤ 400", "FAILED"),
    ])
    func `values have the measured digits, and only limits that can be exceeded are shown`(
        _ record: String, _ value: String, _ limits: String, _ verdict: String
    ) throws {
        let found = try result(record)
        #expect(found.text(found.value) == value)
        #expect(found.limitsText == limits)
        #expect(found.verdict == verdict)
    }

    // SAE J1979, service 05: tests 01 to 04 are constants of the sensor, in 5 mV, without limits.
    @Test func `a constant of service 05 has no limits, a test that did not run has no result`()
        throws
    {
        let constant = try result("01 01 5A", service: 0x05, family: .iso9141)
        #expect(constant.text(constant.value) == "0.450")
        #expect(constant.verdict == "no limits")
        #expect(try result("05 01 00 00 00", service: 0x05, family: .iso9141).verdict == "not run")
    }

    @Test(arguments: [
        // A catalyst of bank 2: the code is that of its bank. One family has the monitor.
        (
            "22 80 20 00D3 0000 00B4", "0.824 is 0.121 above the limit of 0.703.",
            "Only the maker's service data says what test 80 measures.",
            "\"obdscan dtc explain P0430\" says how."
        ),
        // A sensor with a named test, and four families.
        (
            "01 05 10 0191 0000 0190", "401 ms is 1 ms above the limit of 400 ms.",
            "The test: rich to lean switch time.", "\"obdscan dtc explain P0130 "
        ),
        (
            "02 08 0A 1332 1333 FFFF", "599.9 mV is 0.1 mV below the limit of 600.0 mV.",
            "The test: maximum sensor voltage during test cycle.", "\"obdscan dtc explain P0136 "
        ),
        (
            "A4 80 24 0009 0000 0005", "9 is 4 above the limit of 5.", "what test 80 measures.",
            "\"obdscan dtc explain P0303 "
        ),
    ])
    func `a failed test shows the margin and the next command`(
        _ record: String, _ miss: String, _ test: String, _ command: String
    ) throws {
        let found = try result(record)
        var explanations = try PIDTables.codeExplanations()
        let words = FailedTest(found, explanations, PIDTables.codeTexts()).text
        #expect(words.hasPrefix(miss + " "), "\(words)")
        #expect(words.contains(test) && words.contains(command), "\(words)")
        explanations.namesCommands = false
        let page = FailedTest(found, explanations, PIDTables.codeTexts()).text
        #expect(page.hasPrefix(miss + " ") && !page.contains("obdscan"), "\(page)")
    }

    // E1 has no family, so nothing is advised.
    @Test func `a test result without a known table has no advice`() throws {
        let found = try result("E1 0D 24 0009 0000 0005")
        let words = FailedTest(found, try PIDTables.codeExplanations(), PIDTables.codeTexts()).text
        #expect(words == "9 is 4 above the limit of 5.")
    }

    // Before CAN a result is a number without a unit. A test of service 05 has its own scaling.
    @Test func `values without a scaling are counts`() {
        var result = MonitorTestResult(ecu: nil, tid: 0x05, raw: [], line: 0)
        result.value = 12
        #expect(result.text(result.value) == "12")
        (result.unit, result.value) = ("V", 0.455)
        #expect(result.text(result.value) == "0.455")
    }

    /// The VIN of each result, and how each line of the trend begins.
    @Test(
        arguments: [
            (["A", "A"], ["ECU", "7E8", "2026"]), (["A", "B"], ["VIN", "A", "B"]),
            ([nil, "B"], ["VIN", "—", "B"]),
        ] as [([String?], [String])])
    func `test results of several vehicles are grouped by vehicle`(
        vehicles: [String?], begins: [String]
    ) throws {
        let result = try result("01 01 10 0076 0000 0190")
        let points = vehicles.enumerated().map { index, vin in
            MonitorTrendPoint(
                time: UTC(microseconds: 1_795_248_902_000_000 + Int64(index) * 1_000_000), trip: 1,
                vin: vin, result: result)
        }
        let path = FileManager.default.temporaryDirectory.appending(
            path: "obdscan-\(UUID().uuidString)"
        ).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let report = MonitorTrendReport(points: points, output: OutputForm(format: .text))
        try OutputFile.write(path) { try report.print(&$0) }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == begins.count)
        for (line, begin) in zip(lines, begins) {
            #expect(line.drop { $0 == " " }.hasPrefix(begin), "\(line)")
        }
    }
}
