public import OBDCore

/// Why the typed text does not select a signal.
public enum SignalError: Error, Hashable, Sendable {
    /// No PID table has the identifier.
    case unknownID(DataID)
    /// Several ECUs have a record with this identifier, each with its own signals.
    case severalRecords(DataID, of: [ECUAddress])
    /// No signal has the name; names that may be meant.
    case unknownName(String, nearest: [String])
    /// A signal with this name, whose record a user's table replaces.
    case replaced(String, String)
    /// The text after the `@` is not a pace.
    case unknownPace(String)
}
