import ArgumentParser
import Formats

/// `obdscan help options`: explains the options that many commands share.
///
/// The help of each command hides these options and refers to this page.
struct CommonOptions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        abstract: "Show the options that many commands have.",
        discussion: """
            Every command takes the options of output. Commands that ask a vehicle also take those \
            of the device and the PID tables. An option overrides the environment, and the \
            environment overrides the configuration file.
            """,
        shouldDisplay: false)

    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var tables: TableOptions
    @OptionGroup var output: OutputOptions

    func run() {
        print(LocaleText.shown(HelpPage(Self.self, ["options"]).text))
    }
}
