import ArgumentParser
import Glibc
import Settings
import SystemIO
import TripExport

extension OutputFormat: Choice {}

extension UnitSystem: Choice {}

/// Options of every command.
struct OutputOptions: ParsableArguments {
    @Option(
        help:
            "How results are printed; json is JSON Lines, one object a line; the columns of csv are called as their keys."
    )
    var format: OutputFormat = .text

    @Option(
        name: .customLong("units"),
        help: ArgumentHelp(
            "Units to show; what is stored is always metric.",
            discussion: "Else `units` of the configuration file; else metric.",
            valueName: "units"))
    var chosenUnits: UnitSystem?

    /// Units to show.
    var units: UnitSystem { chosenUnits ?? UserSettings.current.units ?? .metric }

    @Flag(name: .long, help: "No colour (the environment variable NO_COLOR does the same).")
    var noColor = false

    @Flag(name: .shortAndLong, help: "Print errors only, no notes and no summary.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print more of what happens on the way.")
    var verbose = false

    @Option(
        help: ArgumentHelp("Append what happens to a file.", valueName: "file"),
        completion: .file())
    var logFile: String?

    init() {}

    /// What an option would say, said by the program itself.
    init(
        format: OutputFormat, units: UnitSystem? = nil, quiet: Bool = false,
        logFile: String? = nil
    ) {
        self.format = format
        chosenUnits = units
        noColor = false
        self.quiet = quiet
        verbose = false
        self.logFile = logFile
    }

    /// Whether to colour what goes to `descriptor`: only on a terminal, and only if not refused.
    func colours(_ descriptor: Int32) -> Bool {
        guard !noColor, isatty(descriptor) == 1 else { return false }
        if setting("NO_COLOR") != nil { return false }
        return environment("TERM") != "dumb"
    }

    /// The styles of what goes to `descriptor`.
    func palette(_ descriptor: Int32 = STDOUT_FILENO) -> Palette {
        Palette(isOn: colours(descriptor), isASCII: LocaleText.isASCII)
    }

    /// What a printer to standard output has to know.
    var form: OutputForm {
        OutputForm(format: format, units: units, palette: palette(), columns: columns)
    }

    /// A note for people on stderr; silent with `-q`.
    func note(_ text: String) {
        if !quiet { tellOnStandardError(printable(text) + "\n") }
    }

    /// How many cells a line of standard output may have; nil where no terminal shows it.
    var columns: Int? { terminalColumns(STDOUT_FILENO) }

    /// A note of a command that goes on meanwhile: left out where nobody takes it.
    func remark(_ text: String) {
        if takesMore(STDERR_FILENO) { note(text) }
    }
}

/// A command with the options that all commands share.
protocol OutputCommand {
    /// Format, colour, units, how much is said.
    var output: OutputOptions { get }
}
