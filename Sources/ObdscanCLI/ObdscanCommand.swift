public import ArgumentParser

/// The root command.
///
/// Every command stands in a file of its own in `Commands/` and in one line of `subcommands`.
public struct ObdscanCommand: ParsableCommand {
    /// Name, help and commands.
    public static let configuration = CommandConfiguration(
        commandName: "obdscan",
        abstract: "OBD-II scan tool: reads, logs and explains what a vehicle says.",
        discussion: """
            EXAMPLES
              obdscan devices                        what is attached
              obdscan info -d /dev/ttyUSB0           adapter, protocol, ECUs, VIN
              obdscan live rpm speed coolant-temp    a view that refreshes in place
              obdscan dtc                            trouble codes of every ECU
              obdscan log --duration 10m             records a trip
              obdscan live -d sim:                   no hardware at hand

            Without -d the accessory comes from OBDSCAN_DEVICE; else the only attached one is taken.
            """,
        version: "0.1.0",
        subcommands: [
            InfoCommand.self, ReadCommand.self,
            DTCCommand.self, FreezeCommand.self, MonitorsCommand.self,
            TripsCommand.self, ExportCommand.self, DecodeCommand.self, SendCommand.self,
            SimulateCommand.self,
        ])

    /// The root does nothing by itself: it prints its help.
    public init() {}

    /// Parses the process's arguments, runs the command and ends the process with its exit code.
    public static func runAndExit() -> Never {
        ignoreBrokenPipes()
        do {
            var command = try parseAsRoot()
            try command.run()
            endProcess(.done)
        } catch let failure as Failure {
            endProcess(failure)
        } catch OutputError.readerGone {
            // `| head` has seen enough.
            endProcess(.done)
        } catch let error as OutputError {
            endProcess(Failure(error))
        } catch {
            // Usage errors, --help and --version; ArgumentParser knows how to word them.
            exit(withError: error)
        }
    }
}
