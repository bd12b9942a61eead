import Diagnostics
import OBDCore
import Testing
import TripStore

@Suite struct `The margin of a test result` {
    /// The raw lower and upper limit, the value, the margin to the nearer limit, and its share of
    /// the range.
    @Test(
        arguments: [
            (0x0064, 0x00C8, 125, 25, 0.25), (0x0000, 0x00C8, 50, 150, 0.75),
            (0x0064, 0xFFFF, 125, 25, nil), (0x0000, 0xFFFF, 125, nil, nil),
            (0x0064, 0x00C8, 90, -10, -0.1),
        ] as [(UInt16, UInt16, Double, Double?, Double?)])
    func `the margin of a test result ignores a bound that is not a limit`(
        low: UInt16, high: UInt16, value: Double, margin: Double?, share: Double?
    ) {
        let bytes = [low, high].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        var result = MonitorTestResult(
            ecu: nil, tid: 0x80, raw: InlineBytes([0x21, 0x80, 0x01, 0, 0] + bytes), line: 0)
        result.uas = 0x01
        (result.value, result.min, result.max) = (value, Double(low), Double(high))
        let point = MonitorTrendPoint(
            time: UTC(microseconds: 0), trip: 1, vin: nil, result: result)
        #expect(point.margin == margin)
        #expect(point.relativeMargin == share)
        #expect((point.lowerLimit == nil) == (low == 0))
    }
}
