import Diagnostics
import Foundation
import OBDCore
import Testing

@testable import TripStore

@Suite struct `Entries that were offered together` {
    @Test func `entries that were offered together are stored completely or not at all, in order`()
        throws
    {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        let fault = TripEvent(.adapterStatus, text: "NO DATA", code: "noData")
        let both = TripEntry.together([.items([Fixtures.rpm(800)]), .voltage(12.6), .event(fault)])
        #expect(both.items == 3)
        #expect(writer.offer(both, at: Fixtures.after(1)))
        // There is no room for a fourth item, so none of the second entry is taken.
        var queue = WriteQueue(limits: TripWriter.Limits(waiting: 3))
        #expect(queue.offer(both, at: Fixtures.after(1), on: .zero) != .full)
        let more = TripEntry.together([.event(fault), .note("x")])
        #expect(queue.offer(more, at: Fixtures.after(1), on: .zero) == .full)
        #expect(queue.items == 3)
        try writer.end(.stopped, at: Fixtures.after(2))
        var found: [TripRecord] = []
        try store.readings(ofTrip: writer.trip).forEachRecord { found.append($1) }
        #expect(found.count == 3)
        #expect(found.last == .event(fault))
        var others: [TripRecord] = []
        try store.readings(ofTrip: writer.trip).forEachOtherRecord { others.append($1) }
        #expect(others == [.event(fault)])
    }

    @Test func `numbers of chosen signals come in the order of time`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        for second in 0..<5 {
            _ = writer.offer(
                [
                    Fixtures.rpm(Double(800 + second)),
                    .reading(
                        Fixtures.reading(
                            Fixtures.fuel, 0x51, .label(code: 4), [UInt8(4)])),
                    .reading(
                        Fixtures.reading(
                            Fixtures.speed, 0x0D, .missing(.notAvailable, code: 255), [0xFF])),
                ], at: Fixtures.after(Double(second)))
        }
        try writer.end(.stopped, at: Fixtures.after(9))
        let readings = try store.readings(ofTrip: writer.trip)
        var found: [[Double]] = []
        try readings.forEachNumber(of: Array(readings.signals.indices)) { t, place, value in
            found.append([Double(t), Double(place), value])
        }
        // Readings without a value are left out, and a code is a number.
        var expected: [[Double]] = []
        for second in 0..<5 {
            let time: Double = Double(second) * 1e6
            expected.append([time, 0, Double(800 + second)])
            expected.append([time, 1, 4])
        }
        #expect(found == expected)
        found = []
        try readings.forEachNumber(of: []) { t, _, _ in found.append([Double(t)]) }
        #expect(found.isEmpty)
    }

    @Test func `the readiness at a moment is the last one that the ECU reported before`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        let vin = try #require(VIN(Fixtures.vinText))
        _ = writer.offer(.vehicle(vin), at: Fixtures.after(0))
        for (second, complete) in [(1.0, false), (5.0, true)] {
            _ = writer.offer(
                [
                    .monitor(
                        MonitorStatus(
                            ecu: Fixtures.ecu, scope: .sinceClear, monitor: .catalyst,
                            supported: true, complete: complete, line: 0))
                ], at: Fixtures.after(second))
        }
        try writer.end(.stopped, at: Fixtures.after(9))
        func known(_ seconds: Int64) throws -> [Bool?] {
            let time = UTC(microseconds: Fixtures.start.microseconds + seconds * 1_000_000)
            return try store.readiness(ofVehicle: Fixtures.vinText, at: time).map(\.complete)
        }
        #expect(try known(0) == [])
        #expect(try known(3) == [false])
        #expect(try known(5) == [true])
        #expect(try store.readiness(ofVehicle: "another", at: Fixtures.start).isEmpty)
    }

    /// SAE J1979, service 04: clearing resets the monitors and erases their results.
    @Test func `test results that an ECU has cleared are no longer known`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let writer = try Fixtures.begin(store)
        let vin = try #require(VIN(Fixtures.vinText))
        _ = writer.offer(.vehicle(vin), at: Fixtures.after(0))
        func found(_ ecu: ECUAddress, passed: Bool?) -> [DiagnosticItem] {
            var result = MonitorTestResult(
                ecu: ecu, tid: 0x80, raw: InlineBytes([0x21, 0x80, 1, 0, 90, 0, 0, 0, 80]), line: 0)
            (result.mid, result.value, result.passed) = (0x21, 90, passed)
            return [
                .monitorTest(result),
                .monitor(
                    MonitorStatus(
                        ecu: ecu, scope: .sinceClear, monitor: .catalyst, supported: true,
                        complete: passed != nil, line: 0)),
            ]
        }
        let other = ECUAddress(0x7E9, .can11)
        for ecu in [Fixtures.ecu, other] {
            _ = writer.offer(found(ecu, passed: false), at: Fixtures.after(1))
        }
        _ = writer.offer(
            .event(TripEvent(.codesCleared, text: "codes cleared", ecu: Fixtures.ecu)),
            at: Fixtures.after(3))
        // The test of the other ECU has not run when it is read again.
        _ = writer.offer(found(other, passed: nil), at: Fixtures.after(5))
        try writer.end(.stopped, at: Fixtures.after(9))
        func known(_ seconds: Int64) throws -> (tests: [ECUAddress?], monitors: [Bool?]) {
            let time = UTC(microseconds: Fixtures.start.microseconds + seconds * 1_000_000)
            return (
                try store.testResults(ofVehicle: Fixtures.vinText, at: time).map(\.ecu),
                try store.readiness(ofVehicle: Fixtures.vinText, at: time).map(\.complete)
            )
        }
        let moments = try [0, 2, 4, 6].map(known)
        #expect(moments.map(\.tests) == [[], [Fixtures.ecu, other], [other], []])
        #expect(moments.map(\.monitors) == [[], [true, true], [true], [false]])
        // The moment with which `--since clear` compares has what the clearing erased.
        func before(_ seconds: Int64) throws -> UTC? {
            try store.momentBeforeClearing(
                ofVehicle: Fixtures.vinText, until: Fixtures.start.later(by: seconds * 1_000_000))
        }
        #expect(try before(2) == nil)
        let moment = try #require(try before(9))
        #expect(moment == Fixtures.start.later(by: 2_999_999))
        #expect(try store.readiness(ofVehicle: Fixtures.vinText, at: moment).count == 2)
    }
}
