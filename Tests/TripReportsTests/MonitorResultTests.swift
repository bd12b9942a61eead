import Diagnostics
import OBDCore
import PIDTables
import Testing
import TripReports

/// The scalings 0A (0.122 mV), 24 (counts) and FE (0.25 Pa, signed) of SAE J1979-DA.
@Suite struct `Numbers of a test result` {
    private func result(_ hex: String) throws -> MonitorTestResult {
        let bytes = try #require(Hex.bytes("46" + hex.filter { $0 != " " }))
        var decoder = ResponseDecoder(
            table: try PIDTables.standard(), monitors: try PIDTables.monitorTables())
        var items: [DiagnosticItem] = []
        decoder.decode(
            ECUMessage(ecu: ECUAddress("7E8"), payload: bytes),
            in: Exchange(request: [0x06, bytes[1]], family: .can), &items)
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
    func `have the digits that were measured, and limits that can be passed`(
        _ record: String, _ value: String, _ limits: String, _ verdict: String
    ) throws {
        let found = try result(record)
        #expect(found.text(found.value) == value)
        #expect(found.limitsText == limits)
        #expect(found.verdict == verdict)
    }

    // Before CAN a result is a number without a unit. A test of service 05 has its own scaling.
    @Test func `are counts where nothing scales them`() {
        var result = MonitorTestResult(ecu: nil, tid: 0x05, raw: [], line: 0)
        result.value = 12
        #expect(result.text(result.value) == "12")
        (result.unit, result.value) = ("V", 0.455)
        #expect(result.text(result.value) == "0.455")
    }
}
