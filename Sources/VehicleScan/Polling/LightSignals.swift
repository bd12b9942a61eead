package import Diagnostics
import OBDCore

/// The signals that tell of the check engine light and of how many codes there are.
package struct LightSignals {
    /// The light of an ECU.
    package let light: SignalIndex?
    /// The number of codes that an ECU has stored.
    package let codes: SignalIndex?

    package init(_ table: PIDTable) {
        let places = (table.record(DataID(.currentData, 0x01))?.signals ?? 0..<0)
            .map { SignalIndex(rawValue: $0) }
        light = places.first { table[$0].id == "MIL" }
        codes = places.first { table[$0].id == "DTC_CNT" }
    }

    /// Whether a signal is one of them.
    package func has(_ signal: SignalIndex) -> Bool { signal == light || signal == codes }
}
