public import Diagnostics
public import OBDCore

/// A reading of an ECU, as a decoder makes it: engine speed of the engine's ECU unless a test names another.
public func reading(
    _ value: Reading.Value, _ dataID: DataID? = DataID(.currentData, 0x0C), signal: Int = 0,
    ecu: ECUAddress? = ECUAddress(0x7E8, .can11), raw: InlineBytes = [], line: Int = 0
) -> Reading {
    Reading(
        ecu: ecu, dataID: dataID, signal: SignalIndex(rawValue: Int32(signal)), value: value,
        raw: raw, line: line)
}

extension PIDTable {
    /// A table of numbers of 16 bits, one signal each, for tests in which only names, units and
    /// identifiers count.
    public static func ofNumbers(
        _ signals: [(pid: UInt32, id: String, unit: String)]
    ) -> PIDTable {
        var table = PIDTable()
        for (pid, id, unit) in signals {
            table.add(
                DataID(.currentData, pid), name: id, length: 1...20,
                signals: [
                    Signal(
                        id: id, name: id, bitOffset: 0, bitLength: 16, kind: .number, unit: unit)
                ])
        }
        return table
    }
}
