import ArgumentParser
import PIDTables
import SystemIO
import TripExport

/// `obdscan pids packs`.
struct PIDsPacksCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "packs",
        abstract: "List the tables of single makes and models.",
        discussion: """
            A pack counts only when it is asked for, because the same identifier means something \
            else in another car: --pack NAME, on every command that takes --pids. Its rows come \
            from answers that somebody recorded; 'pids show' names who.

            EXAMPLES
              obdscan pids packs
              obdscan pids list --pack nissan-leaf --service 21
              obdscan live --pack nissan-leaf leaf-soc leaf-temp
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        var writer = TextOutput.standard
        var rows = TextTable([
            ("PACK", .left), ("VEHICLES", .left), ("SIGNALS", .right), ("UNVERIFIED", .right),
        ])
        for (place, pack) in PIDTables.packs().enumerated() {
            let records = try mapped(pack)
            let signals = records.reduce(0) { $0 + $1.signals.count }
            let unverified = records.reduce(0) { $0 + $1.unverified.count }
            switch output.format {
            case .text:
                rows.add([
                    .init(pack.name, .bold), .init(pack.title), .init(String(signals)),
                    .init(String(unverified)),
                ])
            case .json:
                var object = JSONObject()
                object.add("kind", "pack")
                object.add("name", pack.name)
                object.add("title", pack.title)
                object.add("records", records.map(\.dataID.description))
                object.add("signals", signals)
                object.add("unverified", unverified)
                try writer.append { object.append(to: &$0) }
            case .csv:
                try writer.append {
                    if place == 0 {
                        CSVRow.append(["name", "title", "signals", "unverified"], to: &$0)
                    }
                    CSVRow.append(
                        [pack.name, pack.title, String(signals), String(unverified)], to: &$0)
                }
            }
        }
        if output.format == .text {
            try writer.write(rows.text(output.palette()))
        }
        try writer.flush()
    }

    private func mapped(_ pack: TablePack) throws(Failure) -> [TableRecord] {
        do {
            return try PIDTables.records(of: pack)
        } catch {
            throw Failure(error)
        }
    }
}
