public import Diagnostics
public import OBDCore

extension ECUNames {
    /// `Engine (10)`; only the address of an ECU without a name, and `none` without an address.
    public func title(of ecu: ECUAddress?, none: String = "vehicle") -> String {
        guard let ecu else { return none }
        return name(of: ecu).map { "\(printable($0)) (\(ecu.printed))" } ?? ecu.printed
    }
}
