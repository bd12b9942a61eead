import ArgumentParser
import Formats
import PIDTables
import Reports
import SystemIO

/// `obdscan pids count`.
struct PIDsCountCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count what this build knows.",
        discussion: """
            Services, PIDs, signals, monitors, codes with a text and more, counted in the embedded \
            tables and in the program itself. Users' own tables do not count.

            EXAMPLES
              obdscan pids count
              obdscan pids count --format json
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let counts = try KnownCounts()
        var writer = TextOutput.standard
        var rows = RowPrinter(KnownCounts.shape, output.form)
        for line in counts.lines { try writer.print(line, &rows) }
        try writer.finish(&rows)
        try writer.flush()
    }
}
