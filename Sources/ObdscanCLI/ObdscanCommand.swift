import ArgumentParser
import Formats
import Settings
import SystemIO
import VehicleScan

/// The root command.
///
/// Every command has its own file in `Commands/` and a line in `subcommands`.
package struct ObdscanCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "obdscan",
        abstract: "OBD-II scan tool: reads, logs and explains what a vehicle says.",
        discussion: """
            Use -d to name the device. Without -d, obdscan uses OBDSCAN_DEVICE, then `device` in \
            the configuration file, which "obdscan setup" writes. Without both, it uses the only \
            attached adapter.

            EXAMPLES
              obdscan devices                        what is attached
              obdscan info -d /dev/ttyUSB0           adapter, protocol, ECUs, VIN
              obdscan live rpm speed coolant-temp    a view that refreshes in place
              obdscan dtc                            trouble codes of every ECU
              obdscan log --duration 10m             records a trip
              obdscan live -d sim:                   no hardware at hand
            """,
        version: "0.2.0",
        subcommands: [
            DevicesCommand.self, InfoCommand.self, PIDsCommand.self, ReadCommand.self,
            LiveCommand.self, DTCCommand.self, FreezeCommand.self, MonitorsCommand.self,
            CheckCommand.self, DiagnoseCommand.self, FindCommand.self,
            LogCommand.self,
            TripsCommand.self, ExportCommand.self, ImportCommand.self,
            PublishCommand.self, DatabaseCommand.self, DecodeCommand.self,
            SendCommand.self, MonitorCommand.self,
            SimulateCommand.self, DoctorCommand.self, ReportCommand.self,
            ConfigCommand.self, SetupCommand.self, ServeCommand.self, CommonOptions.self,
        ])

    /// The root command; alone, it shows attached adapters and suggests commands.
    package init() {}

    /// Shows attached adapters and suggests commands.
    package func run() throws {
        try Overview().print()
    }

    /// Parses the process's arguments, runs the command and ends the process with its exit code.
    package static func runAndExit() -> Never {
        ignoreBrokenPipes()
        ignoreMarks()
        occupyClosedStreams()
        // Swift reads the arguments from /proc; without it, every command would look like the
        // overview.
        if CommandLine.arguments.isEmpty {
            endProcess(
                Failure(
                    "/proc is not there, so the command line cannot be read",
                    hint: "mount -t proc proc /proc", status: .noInput))
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let text = completion(for: arguments) {
            print(text, terminator: "")
            endProcess(.silent(.done))
        }
        if let help = help(for: arguments) {
            let names = arguments.filter { $0 != "help" }
            if let failure = CommandSuggestion.failure(for: names) { endProcess(failure) }
            print(LocaleText.shown(help.text))
            endProcess(.silent(.done))
        }
        var command: any ParsableCommand
        do {
            command = try parseAsRoot(arguments)
        } catch {
            explain(error)
        }
        let log = logOptions(of: command)
        do {
            // A faulty file stops all commands except those that can fix it.
            if !["config", "help"].contains(arguments.first ?? "") {
                try UserSettings.check(for: arguments)
            }
            try log?.log("starts: " + loggable(CommandLine.arguments).joined(separator: " "))
            command.silence(arguments)
            try command.run()
            end(.silent(.done), log)
        } catch {
            if let failure = Failure(known: error) { end(failure, log) }
            // `help COMMAND`, or wrong usage that is detected only when the command runs.
            if [.success, .validationFailure].contains(exitCode(for: error)) { explain(error) }
            end(
                Failure(
                    "unexpected: \(error)",
                    hint: "this is a fault of obdscan: please report it", status: .bug), log)
        }
    }

    /// The words or the script for a shell's completion; nil for anything else.
    static func completion(for arguments: [String]) -> String? {
        switch arguments.first {
        case "---complete": Completion(Array(arguments.dropFirst())).text
        case "--generate-completion-script" where arguments.count == 2:
            CompletionScripts.script(for: arguments[1])
        default: nil
        }
    }

    /// The options for the log of a command; nil without `--log-file`.
    private static func logOptions(of command: any ParsableCommand) -> OutputOptions? {
        // Checking a type for a protocol takes longer than everything else about a log, so do that
        // only for a command with a log.
        guard CommandLine.arguments.contains(where: { $0.hasPrefix("--log-file") }) else {
            return nil
        }
        return (command as? any OutputCommand)?.output
    }

    /// Ends the process for --help, --version or wrong usage, with ArgumentParser's message.
    private static func explain(_ error: any Error) -> Never {
        // Build the message only once: asking for the exit code alone would format the whole help
        // as well.
        let message = fullMessage(for: error)
        let isFault = ["Error: ", "Help: ", "Usage: "].contains { message.hasPrefix($0) }
        guard isFault else {
            print(LocaleText.shown(message))
            endProcess(.silent(.done))
        }
        // An option without its value is an option, whatever subcommand has its name.
        if !message.hasPrefix("Error: Missing value"),
            let failure = CommandSuggestion.failure(for: Array(CommandLine.arguments.dropFirst()))
        {
            endProcess(failure)
        }
        let text = message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message
        // ArgumentParser's usage lists every option; ours is one line.
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            // The words of an option follow its name in one line.
            .filter { !$0.hasPrefix("       ") && !$0.hasPrefix("  - ") }
            .map { $0.hasPrefix("Usage: ") ? "Usage: " + usage(CommandLine.arguments) : String($0) }
        let command = target(of: CommandLine.arguments).command
        let arguments = CommandArgument.all(of: command)
        if lines[0].hasPrefix("Missing expected argument"),
            let example = HelpPage.example(of: command)
        {
            lines.insert("Example: \(example)", at: 1)
        }
        if !lines.contains(where: { $0.hasPrefix("Help:") }),
            let help = CommandSuggestion.help(for: lines[0], arguments)
        {
            lines.insert(help, at: 1)
        }
        let fault = lines[0].replacing(". Please provide one of the following:", with: "")
        lines[0] = CommandSuggestion.completed(fault, arguments)
        tellOnStandardError(
            "obdscan: " + lines.map { printable(String($0)) }.joined(separator: "\n") + "\n")
        exit(withError: exitCode(for: error))
    }

    private static func end(_ failure: Failure, _ log: OutputOptions?) -> Never {
        // A log that cannot be written does not change the exit code.
        try? log?.log(
            "ends with \(failure.status.rawValue)"
                + (failure.message.isEmpty ? "" : ": \(failure.message)"))
        endProcess(failure)
    }
}
