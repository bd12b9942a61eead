import Diagnostics
import OBDCore
import Testing

/// A limit at the end of the range of two bytes is not a limit, because no value can pass it.
@Suite struct `Limits of a monitoring test` {
    /// `UASID value min max`, and whether the lower and the upper limit count.
    static let records: [(record: String, lower: Bool, upper: Bool)] = [
        ("0A 0100 0000 0200", false, true), ("0A 0100 0001 FFFF", true, false),
        ("24 0000 0000 FFFF", false, false), ("0A 0100 8000 7FFF", true, true),
        ("84 0100 8000 0200", false, true), ("84 0100 0000 7FFF", true, false),
        ("FD 0100 8000 7FFF", false, false), ("FD 0100 0000 FFFF", true, true),
    ]

    @Test(arguments: records)
    func `the limit of a test counts only if a value can exceed the limit`(
        _ record: String, _ lower: Bool, _ upper: Bool
    ) throws {
        let digits = record.filter { $0 != " " }
        let bytes = try #require(Hex.bytes("2180" + digits))
        for raw in [bytes, Array(bytes.dropFirst())] {
            var result = MonitorTestResult(
                ecu: nil, tid: 0x80, raw: InlineBytes(raw), line: 0)
            result.uas = bytes[2]
            (result.min, result.max) = (0, 1)
            #expect(result.hasLowerLimit == lower && result.hasUpperLimit == upper)
        }
    }

    @Test func `a limit counts if its bytes are unknown, a missing limit never counts`() {
        var result = MonitorTestResult(ecu: nil, tid: 1, raw: [], line: 0)
        #expect(!result.hasLowerLimit && !result.hasUpperLimit)
        (result.min, result.max, result.uas) = (0, 65_535, 0x0A)
        #expect(result.hasLowerLimit && result.hasUpperLimit)
        // Before CAN, limits are plain numbers without a scaling ID.
        result.uas = nil
        #expect(!result.hasLowerLimit && !result.hasUpperLimit)
    }
}
