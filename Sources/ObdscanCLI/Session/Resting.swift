import ArgumentParser
import Diagnostics
import OBDCore
import Settings
import TripExport

/// Whether a parked vehicle is left alone.
struct RestOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Ask for nothing while the vehicle is off, and go on by itself.",
            discussion: """
                On by default (`battery-safe` of the configuration file): off means that no ECU has \
                answered for a minute, or that speed and engine speed have been 0 for ten minutes \
                at less than 12.8 V. Then only the voltage at the adapter is looked at.
                """))
    var batterySafe: Bool?

    /// The limits; nil = the vehicle is asked whatever happens.
    var limits: BatteryGuard.Limits? {
        batterySafe ?? UserSettings.current.batterySafe ?? true ? BatteryGuard.Limits() : nil
    }
}

extension BatteryGuard.Rest {
    /// Why, for people.
    var reason: String {
        let volts = voltage.map { ", \(fixed($0, 1)) V" } ?? ""
        return switch cause {
        case .silence: "no ECU answers\(volts)"
        case .standstill: "speed and engine speed are 0\(volts)"
        }
    }

    /// Why it is over, for people.
    var wakeReason: String {
        switch cause {
        case .silence: "an ECU answers again"
        case .standstill: "the vehicle is on again"
        }
    }

    /// What a user is told when it begins.
    var words: String {
        "the vehicle is off (\(reason)): asking is paused and goes on by itself"
    }

    /// What a user is told when it is over.
    var wakeWords: String { "asking goes on: \(wakeReason)" }
}
