import Formats
import OBDCore
import PIDTables
import Publishing
import SystemIO

extension TripFileWriter {
    /// Writes the format of Eclipse Kuksa's CSV provider: `current,Vehicle.Speed,48,0.5`.
    ///
    /// The last column is the pause before the next line in seconds. Only numbers and flags with a
    /// name in the Vehicle Signal Specification are written. A value is rounded if its type there
    /// holds only whole numbers.
    package mutating func writeKuksa(_ file: inout TextOutput) throws {
        let names = VSSNames(
            PIDTables.vehicleSignalNames,
            roles: PIDTables.signalRoles().byName.mapValues(\.rawValue))
        try file.write("field,signal,value,delay\n")
        for part in parts {
            var waiting: (time: UTC, line: String)?
            let known = part.table.signals.map { names.name($0.id, isCore: true) }
            try forEach(part) { time, reading in
                let index = Int(reading.signal.rawValue)
                guard reading.frame == nil, known.indices.contains(index), let name = known[index]
                else { return }
                let value: FieldValue
                switch reading.value {
                case .number(let number):
                    value = .number(name.isWhole ? number.rounded() : number)
                case .flag(let flag): value = .flag(flag)
                case .label, .text, .supportMap, .missing: return
                }
                guard let text = value.shown else { return }
                try Self.write(waiting, before: time, &file)
                waiting = (time, "current,\(name.path),\(text)")
            }
            try Self.write(waiting, before: nil, &file)
        }
    }

    private static func write(
        _ row: (time: UTC, line: String)?, before next: UTC?, _ file: inout TextOutput
    ) throws {
        guard let row else { return }
        let gap = next.map { Double($0.microseconds(since: row.time)) / 1e6 } ?? 0
        try file.write("\(row.line),\(FieldValue.number(max(0, gap)).shown ?? "0")\n")
    }
}
