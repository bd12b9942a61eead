import Diagnostics
import PIDTables

/// The limits of usual values; a test checks the embedded file.
func signalLevels() -> SignalLevels {
    (try? PIDTables.signalLevels()) ?? SignalLevels()
}
