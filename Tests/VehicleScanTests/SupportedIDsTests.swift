import Diagnostics
import OBDCore
import Testing
import VehicleScan

@Suite struct `Lists of supported PIDs` {
    /// An ECU's map: its first identifier, and its 32 bits as SAE J1979 sends them.
    private static func map(_ base: UInt32, _ bits: UInt32, _ ecu: UInt32) -> DiagnosticItem {
        .reading(
            Reading(
                ecu: ECUAddress(ecu, .can11), dataID: DataID(.currentData, base),
                signal: SignalIndex(rawValue: 0), value: .supportMap(raw: bits), raw: [],
                line: 0))
    }

    @Test func `a PID counts as unsupported only if every ECU sent the map that would list it`() {
        // 00: PIDs 0C and 0D, and the map 20. 20: nothing, and the map 40. 40: PID 42, no further map.
        let engine = [
            Self.map(0x00, 0x0018_0001, 0x7E8), Self.map(0x20, 0x0000_0001, 0x7E8),
            Self.map(0x40, 0x4000_0000, 0x7E8),
        ]
        // PID 0D, and no further map.
        let gearbox = [Self.map(0x00, 0x0008_0000, 0x7E9)]
        let rows: [(items: [DiagnosticItem], id: UInt8, isRuledOut: Bool)] = [
            (engine, 0x0C, false), (engine, 0x0B, true), (engine, 0x42, false),
            (engine, 0x5B, true),
            // The map 40 says that there is no map 60.
            (engine, 0x70, true), (gearbox, 0x42, true), (gearbox + engine, 0x42, false),
            // The announced map 40 is missing.
            (Array(engine.prefix(2)), 0x70, false), (Array(engine.prefix(2)), 0x42, false),
            (Array(engine.prefix(2)) + gearbox, 0x70, false), (Array(engine.prefix(2)), 0x2F, true),
            // The first map is missing.
            (Array(engine.dropFirst()), 0x0B, false), ([], 0x0C, false), (engine, 0, false),
            (engine, 0xFF, true),
        ]
        for (place, row) in rows.enumerated() {
            var supported = SupportedIDs()
            _ = supported.take(row.items)
            #expect(supported.rulesOut(row.id) == row.isRuledOut, "row \(place)")
        }
    }
}
