import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import Settings

/// Whether polling pauses while the vehicle is parked.
struct RestOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Pause while the vehicle is off (the default).",
            discussion: """
                It continues by itself. `battery-safe` in the configuration file changes the \
                default. Off means that no ECU has answered for a minute, or that speed and engine speed have been 0 for ten \
                minutes at less than 12.8 V. During the pause only the voltage at the adapter is \
                read.
                """))
    var batterySafe: Bool?

    /// The limits; nil = never pause.
    var limits: BatteryGuard.Limits? {
        batterySafe ?? UserSettings.current.batterySafe ?? true ? BatteryGuard.Limits() : nil
    }
}
