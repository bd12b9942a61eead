import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import Settings

/// Whether a parked vehicle is left alone.
struct RestOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Pause while the vehicle is off, and continue by itself.",
            discussion: """
                This is the default (`battery-safe` in the configuration file). Off means that no \
                ECU has answered for a minute, or that speed and engine speed have been 0 for ten \
                minutes at less than 12.8 V. During the pause only the voltage at the adapter is \
                read.
                """))
    var batterySafe: Bool?

    /// The limits; nil = the vehicle is asked whatever happens.
    var limits: BatteryGuard.Limits? {
        batterySafe ?? UserSettings.current.batterySafe ?? true ? BatteryGuard.Limits() : nil
    }
}

extension BatteryGuard.Rest {
    /// What a user is told when it begins.
    var words: String {
        "the vehicle is off (\(reason)): asking is paused and goes on by itself"
    }

    /// What a user is told when it is over.
    var wakeWords: String { "asking goes on: \(wakeReason)" }
}
