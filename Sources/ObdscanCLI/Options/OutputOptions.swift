import ArgumentParser
import Formats
import Glibc
import Settings
import SystemIO

extension OutputFormat: Choice {}

extension UnitSystem: Choice {}

/// When to colour output.
enum ColorChoice: String, CaseIterable, Sendable, Choice {
    case auto, always, never
}

struct OutputOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "Print results in this format (default: text).",
            discussion: """
                json is JSON Lines: one object per line, described in obdscan-json(5). The columns \
                of csv have the names of the keys of json. The environment variable OBDSCAN_FORMAT \
                sets another default.
                """, valueName: "format", visibility: .hidden))
    var chosenFormat: OutputFormat?

    @Flag(
        name: .long,
        help: ArgumentHelp("Print JSON Lines; the same as --format json.", visibility: .hidden))
    var json = false

    var format: OutputFormat {
        get {
            if json { return .json }
            return chosenFormat ?? setting("OBDSCAN_FORMAT").flatMap { .init(rawValue: $0) }
                ?? .text
        }
        set {
            json = false
            chosenFormat = newValue
        }
    }

    /// The format that the command line names; nil without one.
    var explicitFormat: OutputFormat? { json ? .json : chosenFormat }

    @Option(
        name: .customLong("units"),
        help: ArgumentHelp(
            "Show values in these units (default: metric).",
            discussion: """
                uk has miles, mph, psi and miles per imperial gallon, but °C and litres. Stored values are always metric. The environment variable OBDSCAN_UNITS, then \
                `units` of the configuration file, set another default.
                """,
            valueName: "units", visibility: .hidden))
    var chosenUnits: UnitSystem?

    var units: UnitSystem {
        chosenUnits ?? setting("OBDSCAN_UNITS").flatMap { .init(rawValue: $0) }
            ?? UserSettings.current.units ?? .metric
    }

    @Option(
        help: ArgumentHelp(
            "Use colour: auto, always or never (default: auto).",
            discussion: """
                auto uses it on a terminal, unless TERM is dumb or the environment variable \
                NO_COLOR is set; CLICOLOR_FORCE turns it on in a pipe as well.
                """, valueName: "when", visibility: .hidden))
    var color: ColorChoice = .auto

    @Flag(
        name: .long,
        help: ArgumentHelp("Use no colour; the same as --color never.", visibility: .hidden))
    var noColor = false

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Print errors only: no text results, no notes.",
            discussion: """
                Results as json or csv are still printed, and so is the output of checks (doctor, \
                pids lint, db check) and of live, monitor, send, serve, simulate, export and reports.
                """, visibility: .hidden))
    var quiet = false

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp("Print more about what happens.", visibility: .hidden))
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Append a log of what happens to this file.",
            discussion: """
                The file grows without end; logrotate can keep it small (copytruncate). Under \
                systemd the journal has what obdscan prints.
                """, valueName: "file", visibility: .hidden),
        completion: .file())
    var logFile: String?

    init() {}

    /// Options set by the program itself.
    init(
        format: OutputFormat?, units: UnitSystem? = nil, quiet: Bool = false,
        logFile: String? = nil
    ) {
        chosenFormat = format
        json = false
        chosenUnits = units
        color = .auto
        noColor = false
        self.quiet = quiet
        verbose = false
        self.logFile = logFile
    }

    func validate() throws {
        if json, let chosenFormat, chosenFormat != .json {
            throw ValidationError("--json and --format \(chosenFormat.rawValue) exclude each other")
        }
        if let word = setting("OBDSCAN_FORMAT"), OutputFormat(rawValue: word) == nil {
            throw ValidationError("OBDSCAN_FORMAT is \"\(word)\"; use text, json or csv")
        }
        if let word = setting("OBDSCAN_UNITS"), UnitSystem(rawValue: word) == nil {
            throw ValidationError("OBDSCAN_UNITS is \"\(word)\"; use metric, uk, imperial or us")
        }
    }

    /// Whether to colour output to `descriptor`.
    func colours(_ descriptor: Int32) -> Bool {
        if noColor || color == .never { return false }
        if color == .always { return true }
        if setting("NO_COLOR") != nil { return false }
        if let force = setting("CLICOLOR_FORCE"), force != "0" { return true }
        return isatty(descriptor) == 1 && takesEscapes
    }

    /// The styles of output to `descriptor`.
    func palette(_ descriptor: Int32 = STDOUT_FILENO) -> Palette {
        Palette(isOn: colours(descriptor), isASCII: LocaleText.isASCII)
    }

    /// The properties of standard output for a printer.
    var form: OutputForm {
        OutputForm(format: format, units: units, palette: palette(), columns: columns)
    }

    /// A note for people on stderr; silent with `-q`.
    func note(_ text: String) {
        if !quiet { tellOnStandardError(printable(text) + "\n") }
    }

    /// The width of standard output in cells; nil if it is not a terminal.
    var columns: Int? { terminalColumns(STDOUT_FILENO) }

    /// A note while a command continues; it is left out if stderr does not accept it at once.
    func remark(_ text: String) {
        if takesMore(STDERR_FILENO) { note(text) }
    }
}

/// A command with the options that all commands share.
protocol OutputCommand {
    /// Format, colour, units and verbosity.
    var output: OutputOptions { get }
    /// Whether the command prints text although `-q` is set, because its output is its only purpose.
    var speaksWhenQuiet: Bool { get }
}

extension OutputCommand {
    var speaksWhenQuiet: Bool { false }
}

extension ParsableCommand {
    /// Discards standard output if the command line asks only for errors.
    func silence(_ arguments: [String]) {
        // Asking a type for a protocol costs start-up time: most command lines have no such option.
        let isQuiet = arguments.contains {
            $0 == "--quiet" || $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains("q")
        }
        guard isQuiet, let command = self as? any OutputCommand, command.output.quiet,
            command.output.format == .text, !command.speaksWhenQuiet
        else { return }
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        dup2(nowhere, STDOUT_FILENO)
        close(nowhere)
    }
}
