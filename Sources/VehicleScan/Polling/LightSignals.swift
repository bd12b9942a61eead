package import Diagnostics
import OBDCore
package import ScanSession

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

    /// Whether a signal is one of these two.
    package func has(_ signal: SignalIndex) -> Bool { signal == light || signal == codes }

    /// The light and the number of active codes in DM1 of SAE J1939, as readings of these signals.
    package func readings(ofDM1In batch: ReadingBatch) -> [Reading] {
        batch.messages.flatMap { message -> [Reading] in
            guard let lamps = message.lamps else { return [] }
            let count = batch.items.count { item in
                if case .code(let report) = item { report.ecu == message.ecu } else { false }
            }
            let values: [(SignalIndex?, Reading.Value)] =
                (lamps.malfunction.map { [(light, .flag($0))] } ?? [])
                + [(codes, .number(Double(count)))]
            return values.compactMap { signal, value in
                signal.map {
                    Reading(
                        ecu: message.ecu, dataID: nil, signal: $0, value: value, raw: [],
                        line: 0)
                }
            }
        }
    }
}
