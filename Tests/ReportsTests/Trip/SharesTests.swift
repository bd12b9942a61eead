import Diagnostics
import Testing

@testable import Reports

@Suite struct `States as shares of time` {
    private static let loop = Signal(
        id: "FUELSYS", name: "Fuel system", bitOffset: 0, bitLength: 8, kind: .enumeration,
        labels: [(1, "open loop"), (2, "closed loop")])
    private static let flag = Signal(
        id: "MIL", name: "Light", bitOffset: 0, bitLength: 1, kind: .flag)

    /// The seconds and values of readings, and the text about them.
    @Test(
        arguments: [
            ([], nil), ([(0, 2)], "always closed loop"), ([(0, 2), (5, 2)], "always closed loop"),
            ([(0, 1), (19, 2), (100, 2)], "closed loop 81 %, open loop 19 %"),
            ([(0, 1), (1, 2), (1000, 7)], "closed loop 100 %, open loop less than 1 %"),
            ([(0, 9), (10, 1), (20, 1)], "open loop 50 %, code 9 50 %"),
            // A reading without a value ends the state before, and a change at the end is a change.
            (
                [(0, 1), (10, nil), (50, 2), (55, nil), (100, nil)],
                "not known 85 %, open loop 10 %, closed loop 5 %"
            ),
            ([(0, 1), (10, 9)], "open loop 100 %"), ([(0, nil), (10, nil)], nil),
        ] as [([(Int64, Double?)], String?)])
    func `each value counts until the next value`(readings: [(Int64, Double?)], text: String?) {
        var shares = SignalShares()
        for (second, value) in readings { shares.take(value, at: second * 1_000_000) }
        #expect(shares.text(of: Self.loop) == text)
    }

    @Test func `a flag has a share of time on and a share off`() {
        var shares = SignalShares()
        for (second, value) in [(0, 1), (30, 0), (100, 0)] as [(Int64, Double)] {
            shares.take(value, at: second * 1_000_000)
        }
        #expect(shares.text(of: Self.flag) == "off 70 %, on 30 %")
    }
}
