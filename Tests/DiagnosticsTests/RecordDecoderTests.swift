import OBDCore
import Testing

@testable import Diagnostics

@Suite struct `One record's bytes` {
    /// A table with one record.
    ///
    /// The numbers of the record begin at every byte and have every width and sign.
    private static let table: PIDTable = {
        var table = PIDTable()
        var signals: [Signal] = []
        for byte in 0..<6 {
            for length in [1, 7, 8, 12, 16, 24, 32, 64] where byte * 8 + length <= 64 {
                for isSigned in [false, true] {
                    signals.append(
                        Signal(
                            id: "B\(byte)L\(length)\(isSigned)", name: "", bitOffset: byte * 8,
                            bitLength: length, kind: .number, isSigned: isSigned, multiplier: 3,
                            divisor: 7, offset: -1.5))
                }
            }
        }
        // Parts of bytes in both orders, flags and enumerations; those of nine bytes take the slow way.
        for start in 0..<24 {
            for length in [1, 3, 8, 13, 31, 57, 64] where start + length <= 80 {
                for isLittleEndian in [false, true] {
                    for kind in [Signal.Kind.number, .flag, .enumeration] {
                        var signal = Signal(
                            id: "S\(start)L\(length)\(isLittleEndian)\(kind)", name: "",
                            bitOffset: start, bitLength: length, kind: kind,
                            isSigned: start % 2 == 1, multiplier: 0.25, offset: -40,
                            labels: kind == .enumeration ? [(0, "Off"), (1, "On"), (5, "5")] : [])
                        signal.isLittleEndian = isLittleEndian
                        signals.append(signal)
                    }
                }
            }
        }
        table.add(DataID(.currentData, 0x0C), name: "", length: 10...10, signals: signals)
        return table
    }()

    // The slow way is Signal.value(in:), which other tests check bit by bit.
    @Test func `the fast decoder and the complete decoder read the same numbers`() throws {
        let decoder = RecordDecoder(table: Self.table)
        let record = try #require(Self.table.record(DataID(.currentData, 0x0C)))
        for bytes in [
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
            [0x80, 0x00, 0x00, 0x00, 0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0x01],
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            [0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10, 0xA5, 0x5A],
        ] as [[UInt8]] {
            let readings = readings(of: record, in: bytes, by: decoder)
            #expect(readings.count == record.signals.count)
            for reading in readings {
                #expect(reading.value == Self.table[reading.signal].value(in: bytes))
                #expect(reading.raw == InlineBytes(bytes))
            }
        }
    }

    @Test func `signals after the end of a short record are left out`() throws {
        let decoder = RecordDecoder(table: TestTable.pids)
        let record = try #require(TestTable.pids.record(DataID(.currentData, 0x06)))
        let readings = readings(of: record, in: [0x80], by: decoder)
        #expect(readings.map { short(.reading($0)) } == ["SHRTFT1=0"])
    }

    private func readings(
        of record: PIDTable.Record, in bytes: [UInt8], by decoder: RecordDecoder
    ) -> [Reading] {
        var found: [Reading] = []
        let origin = RecordDecoder.Origin(dataID: record.dataID, line: 0)
        decoder.decode(bytes, 0..<bytes.count, signals: record.signals, origin) {
            found.append($0)
        }
        return found
    }
}
