import Diagnostics
import OBDCore
import Testing

@testable import TripStore

@Suite struct TripMeterTests {
    @Test func `the distance is the integral of the speed, without gaps`() {
        var meter = TripMeter()
        #expect(meter.distance == nil)
        meter.add(0, .speed, channel: 0, t: -20_000_000)
        #expect(meter.distance == nil)
        meter.add(0, .speed, channel: 0, t: 0)
        #expect(meter.distance == nil && meter.moving == nil)
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
        // The odometer began after the road that the speed counted.
        #expect(abs((meter.distance ?? 0) - 2.7) < 1e-9 && meter.firstOdometer == 1000.5)
    }

    /// A drive at 72 km/h: 0.02 km per second.
    ///
    /// The odometer shows whole steps and is read every 10 s.
    private func steady(
        _ seconds: ClosedRange<Int>, odometer: Double, step: Double, hasSpeed: Bool = true
    ) -> TripMeter {
        var meter = TripMeter()
        for second in seconds {
            let t = Int64(second) * 1_000_000
            if hasSpeed { meter.add(72, .speed, channel: 0, t: t) }
            guard second % 10 == 0 else { continue }
            let road = odometer + 0.02 * Double(second)
            meter.add((road / step).rounded(.down) * step, .odometer, channel: 1, t: t)
        }
        return meter
    }

    @Test(arguments: [0.1, 1])
    func `the pieces of a trip have its road, wherever it is cut`(_ step: Double) throws {
        // 12 km in 600 s; the odometer begins between two steps.
        for start in [1000.0, 1000.35, 1000.95] {
            let whole = try #require(steady(0...600, odometer: start, step: step).distance)
            // Both changes are read up to 0.2 km late.
            #expect(abs(whole - 12) < 0.21, "\(whole)")
            for cut in stride(from: 5, to: 600, by: 7) {
                let first = try #require(steady(0...cut, odometer: start, step: step).distance)
                let second = try #require(
                    steady((cut + 1)...600, odometer: start, step: step).distance)
                #expect(abs(first - 0.02 * Double(cut)) < 0.21, "\(start) \(cut): \(first)")
                #expect(abs(first + second + 0.02 - 12) < 0.41, "\(start) \(cut): \(second)")
            }
        }
    }

    @Test func `an odometer counts the road without speeds`() {
        #expect(steady(0...600, odometer: 1000, step: 1, hasSpeed: false).distance == 12)
        var meter = TripMeter()
        for (t, odometer) in [(0, 1000.0), (600, 1030), (610, 1030)] {
            meter.add(90, .speed, channel: 0, t: Int64(t) * 1_000_000)
            meter.add(odometer, .odometer, channel: 1, t: Int64(t) * 1_000_000)
        }
        // 30 km while the link was lost, and 10 s at 90 km/h.
        #expect(abs((meter.distance ?? 0) - 30.25) < 1e-9)
    }

    @Test func `a wrong value of an odometer does not begin its road`() {
        var meter = TripMeter()
        for (t, odometer) in [(0, 1000.0), (5, 0), (10, 1001)] {
            meter.add(36, .speed, channel: 0, t: Int64(t) * 1_000_000)
            meter.add(odometer, .odometer, channel: 1, t: Int64(t) * 1_000_000)
        }
        #expect(meter.distance == 1)
    }

    /// A drive with `speeds` in km/h, one every `step` seconds.
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
        // An electric vehicle reports no engine speed, so idling is unknown.
        #expect(drive(standing, rpm: nil).idle == nil)
        #expect(drive([0, 0, 10, 10, 0, 0]).moving == 3_000_000)
        #expect(drive([0, 0, 10, 10, 0, 0]).idle == 2_000_000)
    }

    /// 3 m/s² are 10.8 km/h per second.
    @Test(arguments: [
        ([50, 50, 40, 30, 20, 10, 0], 0, 0), ([50, 50, 39, 28, 17, 6, 0], 1, 0),
        ([50, 38, 26, 26, 26, 26, 14, 2, 2], 2, 0), ([0, 0, 11, 22, 33, 33], 0, 1),
        ([0, 12, 24, 24, 24, 12, 0], 1, 1),
    ])
    func `a hard manoeuvre counts once`(_ speeds: [Double], _ brakings: Int64, _ starts: Int64) {
        let meter = drive(speeds)
        #expect(meter.hardBrakings == brakings && meter.hardAccelerations == starts)
    }

    @Test func `a step of 1 km/h in quick answers is not a hard braking`() {
        // 20 answers per second, 1 km/h less every second: 0.28 m/s².
        let speeds = (0..<200).map { 100 - Double($0 / 20) }
        #expect(drive(speeds, step: 0.05).hardBrakings == 0)
        // 12 km/h less every second: 3.3 m/s².
        let hard = (0..<80).map { 100 - (Double($0) * 0.6).rounded() }
        #expect(drive(hard, step: 0.05).hardBrakings == 1)
    }

    /// Engine speed, vehicle speed and odometer of SAE J1979, SAE J1979-2 and SAE J1939-71.
    @Test(
        arguments: [
            (DataID(.currentData, 0x0C), "RPM", 1), (DataID(.currentData, 0x0D), "VSS", 2),
            (DataID(.currentData, 0xA6), "ODO", 3), (DataID(.readData, 0xF40C), "RPM", 1),
            (DataID(.readData, 0xF40D), "VSS", 2), (DataID(.readData, 0xF4A6), "ODO", 3),
            (DataID(DataID.parameterGroups, 0xF004), "SPN190", 1),
            (DataID(DataID.parameterGroups, 0xFEF1), "SPN84", 2),
            (DataID(DataID.parameterGroups, 0xFEE0), "SPN245", 3),
            // The same signal in a freeze frame (DM4), and other signals of the same groups.
            (DataID(DataID.parameterGroups, 0xFECD), "SPN84", nil),
            (DataID(DataID.parameterGroups, 0xFEE0), "SPN244", nil),
            (DataID(.freezeFrame, 0x0C), "RPM", nil), (DataID(.readData, 0x010C), "X", nil),
        ] as [(DataID, String, Int64?)])
    func `engine speed, vehicle speed and odometer are recognised in every standard`(
        _ id: DataID, _ signal: String, _ role: Int64?
    ) throws {
        #expect(TripMeter.Role(id, signal: signal)?.rawValue == role)
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        var table = PIDTable()
        table.add(
            id, name: signal, length: 1...8,
            signals: [
                Signal(id: signal, name: signal, bitOffset: 0, bitLength: 8, kind: .number)
            ])
        let writer = try store.startTrip(TripStart(anchor: Fixtures.anchor), table: table)
        for second in 0...60 {
            let reading = Reading(
                ecu: Fixtures.ecu, dataID: id, signal: SignalIndex(rawValue: 0),
                value: .number(60 + Double(second)), raw: [60], line: 0)
            #expect(writer.offer([.reading(reading)], at: Fixtures.after(Double(second))))
        }
        try writer.end(.stopped, at: Fixtures.after(60))
        let written = try store.trip(writer.trip)
        #expect((written.movingSeconds == 60) == (role == 2))
        #expect((written.distance != nil) == (role == 2 || role == 3))
        // Calculating the figures again from the rows gives the same result.
        try store.transaction { try TripFigures.addUp(writer.trip, in: $0) }
        #expect(try store.trip(writer.trip) == written)
    }
}
