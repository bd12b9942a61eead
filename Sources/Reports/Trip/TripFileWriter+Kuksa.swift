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
    /// holds only whole numbers. A name has one value for the vehicle: see ``VehicleValue``.
    package mutating func writeKuksa(_ file: inout TextOutput) throws {
        let names = VSSNames(
            PIDTables.vehicleSignalNames,
            roles: PIDTables.signalRoles().byName.mapValues(\.rawValue))
        try file.write("field,signal,value,delay\n")
        for part in parts {
            var waiting: (time: UTC, line: String)?
            let known = part.table.signals.map { names.name($0.id, isCore: true) }
            // Each ECU has signals of its own with the same identifiers.
            let ids = part.table.signals.map(\.id)
            var values: [String: VehicleValue] = [:]
            try forEach(part) { time, reading in
                let index = Int(reading.signal.rawValue)
                guard reading.frame == nil, known.indices.contains(index), let name = known[index]
                else { return }
                let number: Double
                var sharing = ids[index] == "DTC_CNT" ? VehicleValue.Sharing.sum : .first
                switch reading.value {
                case .number(let read): number = read
                case .flag(let flag): (number, sharing) = (flag ? 1 : 0, .any)
                case .label, .text, .supportMap, .missing: return
                }
                guard
                    let whole = values[name.path, default: VehicleValue()].take(
                        number, of: ids[index], by: reading.ecu, sharing)
                else { return }
                let value: FieldValue =
                    sharing == .any
                    ? .flag(whole > 0) : .number(name.isWhole ? whole.rounded() : whole)
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

/// The value of a name of the whole vehicle, which several ECUs may report.
private struct VehicleValue {
    /// How the values of several ECUs become one.
    enum Sharing {
        /// The first source counts.
        case first
        /// A flag is set if any ECU sets the flag.
        case any
        /// Codes of all ECUs are added.
        case sum
    }

    private var source: (signal: String, ecu: ECUAddress?)?
    private var newest: [ECUAddress?: Double] = [:]

    /// The value after this one; nil if another ECU or signal gives the value.
    mutating func take(
        _ value: Double, of signal: String, by ecu: ECUAddress?, _ sharing: Sharing
    ) -> Double? {
        let first = source ?? (signal, ecu)
        source = first
        guard first.signal == signal else { return nil }
        newest[ecu] = value
        switch sharing {
        case .first: return first.ecu == ecu ? value : nil
        case .any: return newest.values.max()
        case .sum: return newest.values.reduce(0, +)
        }
    }
}
