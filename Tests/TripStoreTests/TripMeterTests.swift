import Testing

@testable import TripStore

@Suite struct TripMeterTests {
    @Test func `distance is the speed's integral, and nothing over gaps`() {
        var meter = TripMeter()
        #expect(meter.distance == nil)
        meter.add(0, .speed, channel: 0, t: 0)
        #expect(meter.distance == 0)
        meter.add(72, .speed, channel: 0, t: 10_000_000)  // accelerating: 36 km/h · 10 s = 0.1 km
        meter.add(999, .speed, channel: 1, t: 10_000_000)  // another ECU counts the same road
        meter.add(72, .speed, channel: 0, t: 20_000_001)  // more than 10 s: unknown
        meter.add(72, .speed, channel: 0, t: 25_000_001)  // 72 km/h · 5 s = 0.1 km
        meter.add(72, .speed, channel: 0, t: 25_000_001)
        #expect(abs((meter.distance ?? 0) - 0.2) < 1e-9)
        #expect(meter.moving == 15_000_000)
        meter.add(1000.5, .odometer, channel: 2, t: 0)
        #expect(abs((meter.distance ?? 0) - 0.2) < 1e-9)
        meter.add(1003, .odometer, channel: 2, t: 1)
        #expect(meter.distance == 2.5 && meter.firstOdometer == 1000.5)
    }

    /// `speeds` are km/h, one each `step` seconds.
    private func drive(_ speeds: [Double], step: Double = 1, rpm: Double? = 800) -> TripMeter {
        var meter = TripMeter()
        for (index, speed) in speeds.enumerated() {
            let t = Int64(Double(index) * step * 1e6)
            if let rpm { meter.add(rpm, .engineSpeed, channel: 1, t: t) }
            meter.add(speed, .speed, channel: 0, t: t)
        }
        return meter
    }

    @Test func `idling is standing with the engine running`() {
        let standing = [Double](repeating: 0, count: 11)
        #expect(drive(standing).idle == 10_000_000)
        #expect(drive(standing, rpm: 0).idle == 0)
        // An electric vehicle tells no engine speed: nobody knows whether anything idles.
        #expect(drive(standing, rpm: nil).idle == nil)
        #expect(drive([0, 0, 10, 10, 0, 0]).moving == 3_000_000)
        #expect(drive([0, 0, 10, 10, 0, 0]).idle == 2_000_000)
    }

    /// 3 m/s² are 10.8 km/h in a second.
    @Test(arguments: [
        ([50, 50, 40, 30, 20, 10, 0], 0, 0), ([50, 50, 39, 28, 17, 6, 0], 1, 0),
        ([50, 38, 26, 26, 26, 26, 14, 2, 2], 2, 0), ([0, 0, 11, 22, 33, 33], 0, 1),
        ([0, 12, 24, 24, 24, 12, 0], 1, 1),
    ])
    func `a hard manoeuvre counts once`(_ speeds: [Double], _ brakings: Int64, _ starts: Int64) {
        let meter = drive(speeds)
        #expect(meter.hardBrakings == brakings && meter.hardAccelerations == starts)
    }

    @Test func `a step of 1 km/h in quick answers is no braking`() {
        // 20 answers a second; 1 km/h less in each second: 0.28 m/s².
        let speeds = (0..<200).map { 100 - Double($0 / 20) }
        #expect(drive(speeds, step: 0.05).hardBrakings == 0)
        // 12 km/h less in each second: 3.3 m/s².
        let hard = (0..<80).map { 100 - (Double($0) * 0.6).rounded() }
        #expect(drive(hard, step: 0.05).hardBrakings == 1)
    }
}
