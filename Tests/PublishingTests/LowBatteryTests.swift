import Publishing
import Testing

@Suite struct `A battery that is nearly empty` {
    /// The places of the samples at which it is low, for voltages that come every 30 s.
    private func places(_ volts: [Double], every seconds: Int64 = 30) -> [Int] {
        var battery = LowBattery()
        return volts.enumerated().compactMap { place, value in
            battery.take(value, at: Int64(place) * seconds * 1_000_000) ? place : nil
        }
    }

    @Test(
        arguments: [
            ([12.6, 11.7, 11.6, 11.5, 11.4], [3]), ([11.8, 11.8, 11.8, 11.8], []),
            // A starter.
            ([12.6, 9.5, 14.1, 14.2], []), ([11.7, 11.7, 12.0, 11.7, 11.7], []),
            // Once until it has recovered.
            ([11.5, 11.5, 11.5, 12.0, 11.5, 11.5, 11.5], [2]),
            ([11.5, 11.5, 11.5, 12.6, 11.5, 11.5, 11.5], [2, 6]),
            // 24 V: it is low below 23.6 V.
            ([25.2, 23.5, 23.5, 23.5], [3]), ([25.2, 23.7, 23.7, 23.7], []),
            // No measurement.
            ([0, 0, 0, 0], []), ([.nan, .nan, .nan, .nan], []), ([], []),
        ] as [([Double], [Int])])
    func `a battery is low if its voltage stays low for a minute`(volts: [Double], low: [Int]) {
        #expect(places(volts) == low)
    }

    @Test func `a battery is not low if its voltage is low for a second`() {
        #expect(places([12.6, 9, 9, 9, 12.6, 9, 9, 9], every: 1).isEmpty)
    }
}
