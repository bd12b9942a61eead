import ArgumentParser
import Diagnostics
import PIDTables
import SystemIO
import TripExport
import TripStore

/// `obdscan db redecode`.
struct DatabaseRedecodeCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "redecode",
        abstract: "Decode the raw bytes of trips again with today's table.",
        discussion: """
            For trips that an older PID table decoded, or none: raw bytes, times and everything but \
            the values stay as they are. Says which signals have other values now. --dry-run only \
            says it.

            EXAMPLES
              obdscan db redecode 12 --dry-run
              obdscan db redecode --pids own.pids
            """)

    @Argument(help: ArgumentHelp("Numbers or names; all without.", valueName: "trip"))
    var trips: [TripReference] = []

    @Flag(help: "Change nothing, only say what would change.")
    var dryRun = false

    @OptionGroup var tables: TableOptions
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let table = try loadTable(tables)
        let monitors = try PIDTables.monitorTables()
        let store = try database.open(.readWrite)
        var ids: [Int64] = []
        for trip in trips { ids.append(try trip.number(in: store)) }
        if trips.isEmpty {
            ids = try mapped { () throws(StoreError) in
                try store.trips(TripStore.TripFilter(withScans: true))
            }.filter { $0.endReason != nil }.map(\.id)
        }
        let progress = ProgressLine(output)
        var writer = TextOutput.standard
        var rows = TextTable([
            ("TRIP", .right), ("SIGNAL", .left), ("CHANGED", .right), ("NEW", .right),
            ("GONE", .right), ("FOR EXAMPLE", .left),
        ])
        for (index, id) in ids.enumerated() {
            progress.show(Double(index) / Double(ids.count), "decoded")
            let result = try mapped { () throws(StoreError) in
                try store.redecode(trip: id, table: table, monitors: monitors, keeps: !dryRun)
            }
            for (signal, change) in result.changes.sorted(by: { $0.key < $1.key }) {
                let example = change.example.map { "\($0.before) → \($0.after)" }
                rows.add([
                    .init(String(id)), .init(signal, .bold), .init(String(change.changed)),
                    .init(String(change.added)), .init(String(change.removed)),
                    .init(example ?? ""),
                ])
            }
            switch output.format {
            case .text: continue
            case .json:
                progress.clear()
                try writer.append { object(id, result).append(to: &$0) }
            case .csv:
                progress.clear()
                if index == 0 {
                    try writer.append {
                        CSVRow.append(
                            ["trip", "signal", "changed", "added", "removed", "before", "after"],
                            to: &$0)
                    }
                }
                try writer.append { append(id, result, to: &$0) }
            }
            try writer.flush()
        }
        progress.clear()
        guard output.format == .text else { return try writer.flush() }
        if rows.isEmpty {
            try writer.writeLine("\(ids.count) trips: no value changes")
        } else {
            try writer.write(rows.text(output.palette()))
            if dryRun { output.note("Nothing was changed.") }
        }
        try writer.flush()
    }

    private func append(_ trip: Int64, _ result: Redecoded, to output: inout [UInt8]) {
        for (signal, change) in result.changes.sorted(by: { $0.key < $1.key }) {
            CSVRow.append(
                [
                    String(trip), signal, String(change.changed), String(change.added),
                    String(change.removed), change.example.map { "\($0.before)" } ?? "",
                    change.example.map { "\($0.after)" } ?? "",
                ], to: &output)
        }
    }

    private func object(_ trip: Int64, _ result: Redecoded) -> JSONObject {
        var changes = JSONObject()
        for (signal, change) in result.changes.sorted(by: { $0.key < $1.key }) {
            var object = JSONObject()
            object.add("changed", change.changed)
            object.add("added", change.added)
            object.add("removed", change.removed)
            object.add("before", change.example?.before)
            object.add("after", change.example?.after)
            changes.add(named: signal, object)
        }
        var object = JSONObject()
        object.add("kind", "redecoded")
        object.add("trip", Int(trip))
        object.add("decoded", result.decoded)
        object.add("found", result.found)
        object.add("kept", result.kept)
        object.add("dryRun", dryRun)
        object.add("changes", changes)
        return object
    }
}
