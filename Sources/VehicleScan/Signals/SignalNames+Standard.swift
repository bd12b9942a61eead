import Diagnostics
import PIDTables

extension SignalNames {
    /// The signal of the built-in table that a user means; nil for an unknown name.
    public static func standardSignal(_ name: String) -> String? {
        guard let table = try? PIDTables.standard(), let found = try? SignalNames(table).find(name)
        else { return nil }
        return found.signal.map { table[$0].id }
    }
}
