import Diagnostics
import Formats
import OBDCore
import PIDTables
import TripStore

extension TripReadings {
    private static let standard = try? PIDTables.standard()

    /// The change of a stored signal's value per raw bit step; unit: that of the signal.
    ///
    /// The database does not contain the PID table. The step comes from the built-in table or, for
    /// signals that it lacks, from the values.
    package func step(of found: TripSignal) -> Double {
        knownStep(of: found) ?? step(ofValues: found)
    }

    /// The step of a stored signal in the built-in table; nil if that lacks it.
    package func knownStep(of found: TripSignal) -> Double? {
        let signal = table[found.signal]
        guard let dataID = found.dataID else {
            let voltage = Self.standard?.adapterVoltage.map { Self.standard?[$0].id == signal.id }
            return voltage == true ? signal.shownStep : nil
        }
        let asked =
            dataID.service == .freezeFrame ? DataID(.currentData, dataID.id) : dataID
        guard let standard = Self.standard, let record = standard.record(asked) else { return nil }
        let same = record.signals.lazy.map { standard[SignalIndex(rawValue: $0)] }
            .first { $0.id == signal.id && $0.unit == signal.unit }
        return same?.shownStep
    }

    /// The largest power of ten, from 1 to 0.001, that divides both extremes; 0 if an extreme is less than that, or
    /// so great that only a floating point number holds both.
    private func step(ofValues found: TripSignal) -> Double {
        let values = [found.minimum, found.maximum].compactMap(\.self)
        if values.contains(where: { $0 != 0 && !(5e-4...9e11).contains(abs($0)) }) { return 0 }
        let steps = [1, 10, 100].first { factor in
            values.allSatisfy { ($0 * factor - ($0 * factor).rounded()).magnitude < 1e-6 * factor }
        }
        return 1 / (steps ?? 1000)
    }
}
