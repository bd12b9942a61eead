import Diagnostics
import PIDTables

extension SignalLevels {
    /// The limits of unusual values; a test finds faults of the embedded file.
    static var embedded: SignalLevels { (try? PIDTables.signalLevels()) ?? SignalLevels() }
}
