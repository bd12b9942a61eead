import Diagnostics
import Formats
import Foundation
import OBDCore
import TestSupport

/// The table for the worked examples of the output formats.
enum Fixtures {
    static var table: PIDTable {
        var table = PIDTable()
        table.add(
            DataID(.currentData, 0x0C), name: "Engine speed", length: 2...2,
            signals: [
                Signal(
                    id: "RPM", name: "Engine speed", bitOffset: 0, bitLength: 16, kind: .number,
                    divisor: 4, unit: "rpm")
            ])
        table.add(
            DataID(.currentData, 0x00), name: "Supported PIDs", length: 4...4,
            signals: [
                Signal(
                    id: "PIDSUP_00", name: "Supported PIDs 01-20", bitOffset: 0, bitLength: 32,
                    kind: .supportMap)
            ])
        table.add(
            DataID(.currentData, 0x01), name: "Status", length: 4...4,
            signals: [
                Signal(id: "MIL", name: "Lamp", bitOffset: 0, bitLength: 1, kind: .flag)
            ])
        table.add(
            DataID(.currentData, 0x51), name: "Fuel type", length: 1...1,
            signals: [
                Signal(
                    id: "FUEL_TYP", name: "Fuel type", bitOffset: 0, bitLength: 8,
                    kind: .enumeration, labels: [(1, "gasoline"), (4, "=diesel, \"red\"")])
            ])
        table.add(
            DataID(.vehicleInformation, 0x02), name: "VIN", length: 17...17,
            signals: [
                Signal(
                    id: "VIN", name: "Vehicle identification number", bitOffset: 0, bitLength: 136,
                    kind: .text)
            ])
        table.add(
            DataID(.currentData, 0x05), name: "Coolant", length: 1...1,
            signals: [
                Signal(
                    id: "ECT", name: "Engine coolant temperature", bitOffset: 0, bitLength: 8,
                    kind: .number, offset: -40, unit: "°C")
            ])
        return table
    }

    enum Place: Int32 {
        case rpm, support, mil, fuelType, vin, coolant
    }

    static let ecu = ECUAddress(0x7E8, .can11)
    /// 2026-11-21T08:15:02.123456Z, by `date -u -d 2026-11-21T08:15:02 +%s`.
    static let time = UTC(microseconds: 1_795_248_902_123_456)

    static func reading(
        _ place: Place, _ dataID: DataID?, _ value: Reading.Value, _ raw: InlineBytes,
        ecu: ECUAddress? = ecu, line: Int = 0
    ) -> Reading {
        TestSupport.reading(
            value, dataID, signal: Int(place.rawValue), ecu: ecu, raw: raw, line: line)
    }

    static var rpm: Reading {
        reading(.rpm, DataID(.currentData, 0x0C), .number(1726), [0x1A, 0xF8])
    }

    static func text(_ write: (inout [UInt8]) -> Void) -> String {
        var output: [UInt8] = []
        write(&output)
        return String(decoding: output, as: UTF8.self)
    }
}
