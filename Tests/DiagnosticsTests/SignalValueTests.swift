import Diagnostics
import OBDCore
import Testing

@Suite struct SignalValueTests {
    // A byte sequence without symmetry, and longer than any number.
    let data: [UInt8] = [0xA5, 0x3C, 0x81, 0x7E, 0x19, 0xF2, 0x04, 0xBD, 0x6B, 0xD0, 0x33]

    @Test func `Big-endian bits are read from the most significant bit of byte A on`() {
        let bits = data.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
        for offset in 0..<24 {
            for length in 1...64 {
                let expected = bits[offset..<offset + length].reduce(UInt64(0)) {
                    $0 << 1 | UInt64($1)
                }
                let signal = Signal(
                    id: "X", name: "", bitOffset: offset, bitLength: length, kind: .number)
                #expect(signal.raw(in: data) == expected, "\(offset)+\(length)")
                #expect(signal.raw(in: InlineBytes(data)) == expected, "\(offset)+\(length)")
            }
        }
    }

    @Test func `Little-endian bits are read from the least significant bit of byte A on`() {
        let bits = data.flatMap { byte in (0..<8).map { byte >> UInt8($0) & 1 } }
        for offset in 0..<24 {
            for length in 1...64 {
                let expected = bits[offset..<offset + length].reversed().reduce(UInt64(0)) {
                    $0 << 1 | UInt64($1)
                }
                var signal = Signal(
                    id: "X", name: "", bitOffset: offset, bitLength: length, kind: .number)
                signal.isLittleEndian = true
                #expect(signal.raw(in: data) == expected, "\(offset)+\(length)")
            }
        }
    }

    @Test func `A signal after the end of the data has no raw value`() {
        for length in 1...64 {
            let signal = Signal(id: "X", name: "", bitOffset: 3, bitLength: length, kind: .number)
            let needed = (3 + length + 7) / 8
            #expect(signal.raw(in: data.prefix(needed)) != nil)
            #expect(signal.raw(in: data.prefix(needed - 1)) == nil)
            #expect(signal.value(in: data.prefix(needed - 1)) == .missing(.tooShort, code: nil))
        }
    }

    @Test func `The bits of a slice count from its first byte`() {
        let signal = Signal(id: "X", name: "", bitOffset: 8, bitLength: 16, kind: .number)
        #expect(signal.raw(in: data[3...]) == 0x19F2)
    }

    @Test(arguments: [
        (16, UInt64(0x8000), -32768.0), (16, 0x7FFF, 32767), (16, 0xFFFF, -1), (8, 0x80, -128),
        (8, 0x7F, 127), (4, 0x8, -8), (32, 0x8000_0000, -2_147_483_648), (64, UInt64.max, -1),
    ])
    func `Two's complement numbers of any width are read`(bits: Int, raw: UInt64, value: Double) {
        let signal = Signal(
            id: "X", name: "", bitOffset: 0, bitLength: bits, kind: .number, isSigned: true)
        #expect(signal.value(raw: raw) == .number(value))
    }

    @Test func `Patterns and ranges without a value are recognised`() {
        let signal = Signal(
            id: "X", name: "", bitOffset: 0, bitLength: 8, kind: .number,
            notAvailable: [.init(pattern: 0x80), .init(pattern: 0xFB, through: 0xFF)])
        for raw in UInt64(0)...0xFF {
            let missing = raw == 0x80 || raw >= 0xFB
            let expected: Reading.Value =
                missing ? .missing(.notAvailable, code: nil) : .number(Double(raw))
            #expect(signal.value(raw: raw) == expected)
        }
    }

    @Test func `Flags, labels and texts have values`() {
        func value(_ kind: Signal.Kind, _ bits: Int, _ data: [UInt8]) -> Reading.Value {
            Signal(
                id: "X", name: "", bitOffset: 0, bitLength: bits, kind: kind,
                labels: [(2, "two")]
            ).value(in: data)
        }
        #expect(value(.flag, 1, [0x80]) == .flag(true))
        #expect(value(.flag, 1, [0x7F]) == .flag(false))
        #expect(value(.enumeration, 8, [2]) == .label(code: 2))
        #expect(value(.enumeration, 8, [3]) == .missing(.undefined, code: 3))
        #expect(value(.supportMap, 32, [0xBE, 0x1F, 0xA8, 0x13]) == .supportMap(raw: 0xBE1F_A813))
        #expect(value(.code, 16, [0x01, 0x33]) == .text("P0133"))
        #expect(value(.code, 16, [0, 0]) == .missing(.notAvailable, code: nil))
        #expect(value(.text, 48, [0, 0x41, 0x42, 0x20, 0x43, 0]) == .text("AB C"))
        #expect(value(.text, 24, [0x41, 0x80, 0x42]) == .text("A\\x80B"))
        #expect(value(.bytes, 24, [0x41, 0x80, 0x42]) == .text("418042"))
        #expect(value(.text, 24, [0x41, 0x80]) == .missing(.tooShort, code: nil))
    }

    @Test func `A support flag or a condition decides whether the bits count`() {
        var table = PIDTable()
        let flag = Signal(id: "F", name: "", bitOffset: 7, bitLength: 1, kind: .flag)
        let flagged = Signal(
            id: "V", name: "", bitOffset: 8, bitLength: 8, kind: .number,
            supportFlag: SignalIndex(rawValue: 0))
        var chosen = Signal(id: "M", name: "", bitOffset: 8, bitLength: 8, kind: .number)
        chosen.condition = .init(signal: SignalIndex(rawValue: 0), ranges: [1...1])
        let id = DataID(.readData, 0x1000)
        table.add(id, name: "", length: 2...2, signals: [flag, flagged, chosen])
        let value = SignalIndex(rawValue: 1)
        let multiplexed = SignalIndex(rawValue: 2)
        #expect(table.value(of: value, in: [0, 9]) == .missing(.notSupported, code: nil))
        #expect(table.value(of: value, in: [1, 9]) == .number(9))
        #expect(table.value(of: value, in: [1]) == .missing(.tooShort, code: nil))
        #expect(table.value(of: multiplexed, in: [0, 9]) == nil)
        #expect(table.value(of: multiplexed, in: [1, 9]) == .number(9))
        #expect(table.value(of: SignalIndex(rawValue: 9), in: [1, 9]) == nil)
    }

    @Test func `A condition has ranges, and a deciding signal must itself be present`() {
        var table = PIDTable()
        let outer = Signal(id: "O", name: "", bitOffset: 0, bitLength: 8, kind: .number)
        var inner = Signal(id: "I", name: "", bitOffset: 8, bitLength: 8, kind: .number)
        inner.condition = .init(signal: SignalIndex(rawValue: 0), ranges: [1...2, 9...9])
        var deep = Signal(id: "D", name: "", bitOffset: 16, bitLength: 8, kind: .number)
        deep.condition = .init(signal: SignalIndex(rawValue: 1), ranges: [5...5])
        var circle = Signal(id: "C", name: "", bitOffset: 16, bitLength: 8, kind: .number)
        circle.condition = .init(signal: SignalIndex(rawValue: 3), ranges: [0...255])
        table.add(
            DataID(.readData, 1), name: "", length: 3...3, signals: [outer, inner, deep, circle])
        func values(_ data: [UInt8]) -> [Reading.Value?] {
            (1...3).map { table.value(of: SignalIndex(rawValue: $0), in: data) }
        }
        #expect(values([1, 5, 7]) == [.number(5), .number(7), nil])
        #expect(values([9, 5, 7]) == [.number(5), .number(7), nil])
        #expect(values([9, 6, 7]) == [.number(6), nil, nil])
        #expect(values([3, 5, 7]) == [nil, nil, nil])
    }
}
