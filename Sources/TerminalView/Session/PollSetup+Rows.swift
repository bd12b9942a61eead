import Diagnostics
import OBDCore
import ScanSession
import VehicleScan

extension PollSetup {
    /// Whether the live view has a row for a reading.
    ///
    /// A named signal always has a row. Otherwise, the signal must be polled and be a measurement:
    /// flags, maps and occasional requests (a VIN, codes) have no row. A reading without a value
    /// does not create a row, but keeps an existing one.
    func shows(_ reading: Reading, asked: Set<DataID>, hasRow: Bool) -> Bool {
        guard wants(reading) else { return false }
        if !named.isEmpty { return true }
        let isWanted =
            listens || reading.dataID.map { asked.contains($0) || isOnlyHeard($0) } ?? true
        guard isWanted else { return false }
        switch reading.value {
        case .number, .label, .text: return true
        case .flag, .supportMap: return false
        case .missing: return hasRow
        }
    }
}
