import ArgumentParser
import Formats
import PIDTables
import Reports
import SystemIO

/// `obdscan pids packs`.
struct PIDsPacksCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "packs",
        abstract: "List the tables of single makes and models.",
        discussion: """
            The same identifier has another meaning in another car. live, log, read and serve choose \
            packs by the vehicle's VIN, and poll only what the vehicle answers. --pack NAME, on every \
            command that takes --pids, adds a pack for any vehicle; --pack none uses no pack. Each row \
            comes from a recorded answer; 'pids show' says from which.

            EXAMPLES
              obdscan pids packs
              obdscan pids list --pack nissan-leaf --service 21
              obdscan live --pack nissan-leaf leaf-soc leaf-temp
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        var writer = TextOutput.standard
        var rows = RowPrinter(TablePack.shape, output.form)
        for pack in PIDTables.packs() {
            try writer.print((pack: pack, records: try PIDTables.records(of: pack)), &rows)
        }
        try writer.finish(&rows)
        try writer.flush()
    }
}
