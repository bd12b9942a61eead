import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import SystemIO
import TripStore

/// `obdscan dtc history`.
struct DTCHistoryCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show how codes came and went, from the database.",
        discussion: """
            Every dtc list and every dtc clear on a real adapter stores what it read. A code that \
            the vehicle lists is present; a code that it no longer lists is gone. Most codes go \
            from pending to stored and permanent, and then are gone.

            EXAMPLES
              obdscan dtc history
              obdscan dtc history P0301 --vehicle 1HGCM82633A004352
              obdscan dtc history --since 7d            what came or went this week
              obdscan dtc history --format json
            """)

    @Argument(help: ArgumentHelp("Show only these codes (default: all).", valueName: "code"))
    var codes: [String] = []

    @Option(
        help: ArgumentHelp("Show only the vehicle with this VIN or name.", valueName: "vehicle"))
    var vehicle: String?

    @Option(
        help: ArgumentHelp("Show only codes that came or went since: 7d (ago).", valueName: "time"))
    var since: TripMoment?

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let wanted = try codes.map { text throws(Failure) in
            try CodeReport.Code(typed: text).fullText
        }
        let store = try database.open(
            .readOnly,
            filledBy: "\"obdscan dtc\" reads a vehicle's codes and keeps them (not those of sim:)"
        )
        try store.check(vehicle: vehicle)
        let entries = try store.codeHistory(vehicle: vehicle)
        // A code without a failure type matches all its failure types.
        let start = since?.utc(since: nil)
        let lives = try CodeLife.all(entries, in: store).filter { life in
            (wanted.isEmpty || wanted.contains(life.code.text)
                || wanted.contains(life.code.fullText))
                && (start.map(life.changed(since:)) ?? true)
        }
        if lives.isEmpty, !entries.isEmpty, let start, output.format == .text {
            output.note("No code came or went since \(localTime(start)).")
        } else if lives.isEmpty, output.format == .text {
            output.note(
                wanted.isEmpty
                    ? (vehicle.map { "No codes of a vehicle called \"\($0)\" are stored. " }
                        ?? "No codes are stored yet. ")
                        + "dtc stores what it reads from a real adapter."
                    : "Nothing is known of \(wanted.joined(separator: ", "))"
                        + (vehicle.map { " in a vehicle called \"\($0)\"." } ?? "."))
        }
        let report = CodeHistoryReport(
            lives: lives, texts: PIDTables.codeTexts(), output: output.form)
        try Pager.print(output) { try report.print(&$0) }
    }
}
