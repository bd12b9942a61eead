public import OBDCore

/// Why what a user typed names no signal.
public enum SignalError: Error, Hashable, Sendable {
    /// No PID table knows the identifier.
    case unknownID(DataID)
    /// Several ECUs have a record of this identifier, each with signals of its own.
    case severalRecords(DataID, of: [ECUAddress])
    /// No signal has the name; at most three that are near to it.
    case unknownName(String, nearest: [String])
    /// What follows the `@` is not a pace.
    case unknownPace(String)
}
