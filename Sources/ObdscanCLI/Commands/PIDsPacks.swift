import ArgumentParser
import Formats
import PIDTables
import SystemIO

/// `obdscan pids packs`.
struct PIDsPacksCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "packs",
        abstract: "List the tables of single makes and models.",
        discussion: """
            The same identifier means something else in another car. live, log, read and serve choose \
            packs by the vehicle's VIN and use of them what the vehicle answers. --pack NAME, on every \
            command that takes --pids, adds one in any case; --pack none leaves all out. Rows come from \
            answers that somebody recorded; 'pids show' names who.

            EXAMPLES
              obdscan pids packs
              obdscan pids list --pack nissan-leaf --service 21
              obdscan live --pack nissan-leaf leaf-soc leaf-temp
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        var writer = TextOutput.standard
        var rows = RowPrinter(Self.shape, output.form)
        for pack in PIDTables.packs() {
            try writer.print((pack: pack, records: try mapped(pack)), &rows)
        }
        try writer.finish(&rows)
        try writer.flush()
    }

    private static let shape = RowShape<(pack: TablePack, records: [TableRecord])>(
        "pack",
        [
            Field("name", "PACK", style: .bold) { .text($0.pack.name) },
            Field("title", "VEHICLES") { .text($0.pack.title) },
            Field("vehicles") { .words($0.pack.vehicles.map(\.text)) },
            Field("records") { .words($0.records.map(\.dataID.description)) },
            Field("signals", "SIGNALS", .right) { line in
                .integer(line.records.reduce(0) { $0 + $1.signals.count })
            },
            Field("unverified", "UNVERIFIED", .right) { line in
                .integer(line.records.reduce(0) { $0 + $1.unverified.count })
            },
        ])

    private func mapped(_ pack: TablePack) throws(Failure) -> [TableRecord] {
        do {
            return try PIDTables.records(of: pack)
        } catch {
            throw Failure(error)
        }
    }
}
