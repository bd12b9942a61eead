public import OBDCore

/// A request to the adapter itself, independent of its dialect.
///
/// Each dialect has its own command for an action. A dialect without a command refuses the request
/// and sends nothing.
public enum AdapterAction: Hashable, Sendable {
    /// Report the voltage at the adapter.
    case readVoltage
    /// Report the adapter's identity.
    case identify
    /// Use this protocol for the vehicle from now on, and remember the previous one.
    case tryProtocol(VehicleProtocol)
    /// Forget the protocol: the next request searches for it.
    case forgetProtocol
}
