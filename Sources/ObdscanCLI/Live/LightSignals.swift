import Diagnostics
import OBDCore
import PIDTables

/// The signals that tell of the check engine light and of how many codes there are.
struct LightSignals {
    /// The light of an ECU.
    let light: SignalIndex?
    /// The number of codes that an ECU has stored.
    let codes: SignalIndex?

    init(_ table: PIDTable) {
        let places = (table.record(DataID(.currentData, 0x01))?.signals ?? 0..<0)
            .map { SignalIndex(rawValue: $0) }
        light = places.first { table[$0].id == "MIL" }
        codes = places.first { table[$0].id == "DTC_CNT" }
    }

    /// Whether a signal is one of them.
    func has(_ signal: SignalIndex) -> Bool { signal == light || signal == codes }
}

/// From where values deserve a look; a fault of the embedded file is found by its test.
func signalLevels() -> SignalLevels {
    (try? PIDTables.signalLevels()) ?? SignalLevels()
}
