import Diagnostics
import Formats
import OBDCore

extension BatteryGuard.Rest {
    /// Why polling is paused, for people.
    public var reason: String {
        let volts = voltage.map { ", \(fixed($0, 1)) V" } ?? ""
        return switch cause {
        case .silence: "no ECU answers\(volts)"
        case .standstill: "speed and engine speed are 0\(volts)"
        }
    }

    /// Why polling continues, for people.
    public var wakeReason: String {
        switch cause {
        case .silence: "an ECU answers again"
        case .standstill: "the vehicle is on again"
        }
    }
}
