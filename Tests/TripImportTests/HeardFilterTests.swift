import Diagnostics
import OBDCore
import Testing

@testable import TripImport

@Suite struct `Readings of broadcast frames in a trip` {
    private let speed = Signal(
        id: "M.Speed", name: "Speed", bitOffset: 0, bitLength: 8, kind: .number)
    private let door = Signal(id: "M.Door", name: "Door", bitOffset: 8, bitLength: 1, kind: .flag)

    /// The places in `values`, one each `step` ms, that are kept.
    private func kept(_ values: [Reading.Value], of signal: Signal, step: Int64) -> [Int] {
        var filter = HeardFilter()
        return values.indices.filter { index in
            let reading = Reading(
                ecu: ECUAddress("1A0"), dataID: nil, signal: SignalIndex(rawValue: 0),
                value: values[index], raw: InlineBytes(), line: 0)
            return filter.keeps(reading, of: signal, at: Int64(index) * step * 1000)
        }
    }

    @Test func `a number that changes is kept once per second, with the end of a ramp`() {
        let ramp = (0..<25).map { Reading.Value.number(Double(min($0, 21))) }
        #expect(kept(ramp, of: speed, step: 100) == [0, 10, 20])
        let still = ramp + Array(repeating: Reading.Value.number(21), count: 10)
        #expect(kept(still, of: speed, step: 100) == [0, 10, 20, 30])
    }

    @Test func `a value that does not change is kept every five seconds`() {
        let values = Array(repeating: Reading.Value.number(7), count: 110)
        #expect(kept(values, of: speed, step: 100) == [0, 50, 100])
    }

    /// Three ECUs may send the same parameter group.
    @Test func `the values of each sender are kept as if it were alone`() {
        var filter = HeardFilter()
        var kept: [String: [Int]] = [:]
        for index in 0..<60 {
            for (place, sender) in ["00", "03", "0B"].enumerated() {
                let value = place == 2 ? 7.0 : Double(index + place)
                let reading = Reading(
                    ecu: ECUAddress(sender), dataID: nil, signal: SignalIndex(rawValue: 5),
                    value: .number(value), raw: InlineBytes(), line: 0)
                if filter.keeps(reading, of: speed, at: Int64(index) * 250_000) {
                    kept[sender, default: []].append(index)
                }
            }
        }
        let steps = Array(stride(from: 0, to: 60, by: 4))
        #expect(kept == ["00": steps, "03": steps, "0B": [0, 20, 40]])
    }

    @Test func `a state is kept ten times per second`() {
        let values = (0..<8).map { Reading.Value.flag($0 % 2 == 1) }
        #expect(kept(values, of: door, step: 50) == [0, 3, 6])
        #expect(kept(values, of: door, step: 100) == Array(0..<8))
    }

    @Test func `the state "not available" of a value is kept once`() {
        let none = Reading.Value.missing(.notAvailable, code: nil)
        let values = [Reading.Value.number(1)] + Array(repeating: none, count: 100) + [.number(1)]
        #expect(kept(values, of: speed, step: 1000) == [0, 1, 101])
    }

    @Test func `a raw value without a name stays a state`() {
        let codes = Array(repeating: Reading.Value.missing(.undefined, code: 9), count: 101)
        #expect(kept([.label(code: 1)] + codes, of: speed, step: 100) == [0, 1, 51, 101])
    }

    /// Values that are not decoded because no value would be kept are none that would have been.
    @Test func `what is not decoded would not have been kept`() {
        var spare = Signal(id: "M.Spare", name: "", bitOffset: 0, bitLength: 8, kind: .number)
        spare.notAvailable = [Signal.NotAvailable(pattern: 0xFF)]
        let signals = [speed, door, spare]
        var (whole, fast) = (HeardFilter(), HeardFilter())
        var left = 0
        var seed: UInt64 = 1
        for step in 0..<6_000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let place = Int(seed >> 40) % 3
            let code = seed >> 50 % 4
            let value: Reading.Value =
                switch place {
                case 1: .flag(code == 0)
                case 2 where code == 0: .missing(.notAvailable, code: nil)
                default: .number(Double(code))
                }
            // Two senders, and a clock that was set back.
            let reading = Reading(
                ecu: ECUAddress(seed >> 45 % 8 == 0 ? "1A1" : "1A0"), dataID: nil,
                signal: SignalIndex(rawValue: Int32(place)), value: value, raw: InlineBytes(),
                line: 0)
            let time = Int64(step) * 17_000 - (step > 3_000 ? 20_000_000 : 0)
            let isKept = whole.keeps(reading, of: signals[place], at: time)
            if let ecu = reading.ecu, fast.mayKeep(reading.signal, nil, from: ecu, at: time) {
                let isWanted = fast.mayKeep(reading.signal, value, from: ecu, at: time)
                #expect(isWanted || !isKept)
                #expect(fast.keeps(reading, of: signals[place], at: time) == isKept)
            } else {
                left += 1
                #expect(!isKept)
            }
        }
        #expect(left > 2_000)
    }

    @Test(arguments: [
        ("M.COUNTER", true), ("M.LKAS_Checksum", true), ("M.BZ", true), ("ESP.ESP_CRC8", true),
        ("M.AliveCnt", true), ("M.MSG_CNT_2", true), ("M.Speed", false), ("M.COUNTRY", false),
        ("M.CHARGE_COUNTER_KWH", false), ("M.Discs", false), ("M.ROLL_ANGLE", false),
        ("M.Botschaftszaehler", true),
    ])
    func `counters and checksums are left out`(id: String, isCounter: Bool) {
        let signal = Signal(id: id, name: id, bitOffset: 0, bitLength: 8, kind: .number)
        #expect(HeardFilter.isCounter(signal) == isCounter)
    }

    @Test func `each signal has its rule in words`() {
        #expect(
            HeardFilter.rule(for: speed)
                == "stored when it changes, at most once per second; every 5 s while it stays")
        #expect(
            HeardFilter.rule(for: door)
                == "stored when it changes, at most 10 times per second; every 5 s while it stays")
        let counter = Signal(
            id: "M.Counter", name: "", bitOffset: 0, bitLength: 4, kind: .number)
        #expect(
            HeardFilter.rule(for: counter)
                == "not stored unless it is named: a counter or a checksum")
    }

    /// An odometer is a counter by its name in some languages.
    @Test func `a number with a unit is filtered as a measurement`() {
        let signal = Signal(
            id: "M.Wegstreckenzaehler", name: "Wegstreckenzaehler", bitOffset: 0, bitLength: 24,
            kind: .number, unit: "km")
        #expect(!HeardFilter.isCounter(signal))
    }
}
