package import Diagnostics
import OBDCore

/// The signals for the check engine light and the number of codes.
package struct LightSignals {
    /// The check engine light of an ECU.
    package let light: SignalIndex?
    /// The number of stored codes of an ECU.
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
