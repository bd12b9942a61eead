import Diagnostics
import Formats
import OBDCore
import Testing

@Suite struct `Numbers with names for raw values` {
    private let signal = Signal(
        id: "G", name: "Gear", bitOffset: 0, bitLength: 8, kind: .number, multiplier: 1,
        divisor: 2, unit: "%", labels: [(3, "Drive"), (255, "error")])

    private var table: PIDTable {
        var table = PIDTable()
        table.add(DataID(Service(0x22), 0x1000), name: "R", length: 1...1, signals: [signal])
        return table
    }

    private func reading(_ raw: UInt8) -> Reading {
        Reading(
            ecu: nil, dataID: DataID(Service(0x22), 0x1000), signal: SignalIndex(rawValue: 0),
            value: signal.value(raw: UInt64(raw)), raw: [raw], line: 0)
    }

    @Test(arguments: [(3, "1.5 % (Drive)"), (4, "2.0 %"), (255, "127.5 % (error)")])
    func `the name of a raw value follows its number`(raw: UInt8, text: String) {
        let value = ValueText(reading(raw), signal, .metric)
        #expect(value.joined == text)
        #expect(value.isNumber)
    }

    @Test(arguments: [(3, #""value":1.5,"#, #","label":"Drive"}"#), (4, #""value":2,"#, #""04"}"#)])
    func `the value in a JSON object stays the number`(raw: UInt8, value: String, end: String) {
        var bytes: [UInt8] = []
        ItemRows(table: table).row(reading(raw), time: nil).appendJSON(to: &bytes)
        var fast: [UInt8] = []
        var writer = JSONLines(table: table, units: .metric)
        writer.append(reading(raw), time: nil, to: &fast)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text == String(decoding: fast, as: UTF8.self))
        #expect(text.contains(value))
        #expect(text.hasSuffix(end + "\n"))
    }

    @Test func `stored values have the names of whole numbers`() {
        let names = signal.valueLabels.map { "\($0.code) \($0.label)" }
        #expect(names.isEmpty)
        var tens = signal
        (tens.multiplier, tens.divisor) = (10, 1)
        #expect(tens.valueLabels.map(\.code) == [30, 2550])
        let stored = Signal(
            id: "G", name: "Gear", bitOffset: 0, bitLength: 0, kind: .number,
            labels: tens.valueLabels)
        #expect(stored.label(of: .number(30)) == "Drive")
        #expect(stored.label(of: .number(3)) == nil)
    }
}
