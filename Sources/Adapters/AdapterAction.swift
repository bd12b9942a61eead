public import OBDCore

/// What may be wanted of an adapter itself, whatever it speaks.
///
/// Each dialect has its own words for it, or none: then the request is refused and nothing is sent.
public enum AdapterAction: Hashable, Sendable {
    /// Report the voltage at the adapter.
    case readVoltage
    /// Report what it is.
    case identify
    /// Ask the vehicle in this protocol from here on, and remember the one before.
    case tryProtocol(VehicleProtocol)
    /// Forget the protocol: the next request searches for it.
    case forgetProtocol
}
