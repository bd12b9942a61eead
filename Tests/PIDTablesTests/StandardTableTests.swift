import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct StandardTableTests {
    @Test func `The embedded table has no faults, and every row names its evidence`() {
        let findings = PIDTables.lintStandard()
        for finding in findings {
            Issue.record("\(finding)")
        }
    }

    @Test func `Service 01 has 178 PIDs with 722 signals`() throws {
        let table = try PIDTables.standard()
        let records = table.records.filter { $0.dataID.service == .currentData }
        #expect(records.count == 178)
        #expect(records.reduce(0) { $0 + $1.signals.count } == 722)
    }

    @Test func `The rows without a second source are marked, and no other rows`() throws {
        let marked = try PIDTables.records().filter {
            $0.dataID.service == .currentData && !$0.unverified.isEmpty
        }
        // In 9B, A4 and A5 only some signals are marked.
        let expected: [UInt32] = [
            0x9B, 0xA1, 0xA3, 0xA4, 0xA5, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2,
            0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xD2, 0xD3,
        ]
        #expect(marked.map(\.dataID.id) == expected)
        #expect(marked.reduce(0) { $0 + $1.unverified.count } == 50)
    }

    @Test func `Every example names its source`() throws {
        for record in try PIDTables.records() {
            for example in record.examples {
                #expect(!example.source.isEmpty, "\(record.file):\(example.line)")
            }
        }
    }

    @Test func `The reader for evidence and the reader for decoding give the same table`() throws {
        let table = try PIDTables.standard()
        var built = PIDTable()
        built.add(
            PIDTables.adapterVoltageID, name: Signal.adapterVoltage.name, length: 0...0,
            signals: [.adapterVoltage])
        for record in try PIDTables.records() { built.add(record) }
        #expect(built.records == table.records)
        #expect(built.signals == table.signals)
    }

    @Test func `The adapter's voltage is a signal of the table`() throws {
        let table = try PIDTables.standard()
        let place = try #require(table.adapterVoltage)
        #expect(table[place].id == "ADAPTER_VOLTAGE")
        #expect(table[place].unit == "V")
    }

    // The names that users type most, and their PIDs.
    @Test(arguments: [
        ("rpm", UInt32(0x0C)), ("speed", 0x0D), ("coolant-temp", 0x05), ("throttle", 0x11),
        ("load", 0x04), ("maf", 0x10), ("fuel-level", 0x2F), ("intake-temp", 0x0F),
        ("timing", 0x0E), ("oil-temp", 0x5C), ("odometer", 0xA6), ("stft", 0x06),
    ])
    func `Everyday names are aliases`(name: String, pid: UInt32) throws {
        let table = try PIDTables.standard()
        let record = try #require(table.record(DataID(.currentData, pid)))
        let aliases = record.signals.flatMap { table[SignalIndex(rawValue: $0)].aliases }
        #expect(aliases.contains(name))
    }

    @Test func `Units are printed in their usual form`() throws {
        let units = Set(
            try PIDTables.standard().signals.filter { $0.kind == .number }.map(\.unit))
        for odd in ["degC", "deg", "N.m", "mg/m3", "ratio", "bool", "raw"] {
            #expect(!units.contains(odd))
        }
        #expect(units.isSuperset(of: ["°C", "°", "km/h", "kPa", "%", "rpm", "V", "g/s", "N·m"]))
    }
}
