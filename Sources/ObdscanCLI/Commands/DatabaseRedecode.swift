import ArgumentParser
import Diagnostics
import Formats
import OBDCore
import PIDTables
import SystemIO
import TripStore

/// `obdscan db redecode`.
struct DatabaseRedecodeCommand: ParsableCommand, OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "redecode",
        abstract: "Decode the raw bytes of trips again with today's table.",
        discussion: """
            Decodes trips again that an older PID table decoded, or that no table could. Only \
            values change; raw bytes, times and everything else stay. It prints which signals have \
            different values now. --dry-run prints this without changing anything.

            EXAMPLES
              obdscan db redecode 12 --dry-run
              obdscan db redecode --pids own.pids
            """)

    @Argument(help: ArgumentHelp("Numbers or names of trips (default: all).", valueName: "trip"))
    var trips: [TripReference] = []

    @Flag(help: "Print what would change, without changing it.")
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
            ids = try store.trips(TripStore.TripFilter(withScans: true)).filter {
                $0.endReason != nil
            }.map(\.id)
        }
        let progress = ProgressLine(output)
        var writer = TextOutput.standard
        var text = RowPrinter(Self.shape, output.form)
        var rows = RowWriter(output.format, kinds: [Self.keys, Self.shape.keys])
        for (index, id) in ids.enumerated() {
            progress.show(Double(index) / Double(ids.count), "decoded")
            let result = try store.redecode(
                trip: id, table: table, monitors: monitors, keeps: !dryRun)
            if output.format != .text { progress.clear() }
            try writer.print(row(id, result), &rows)
            for (signal, change) in result.changes.sorted(by: { $0.key < $1.key }) {
                let changed = (trip: id, signal: signal, change: change)
                if output.format == .text {
                    try writer.print(changed, &text)
                } else {
                    try writer.print(Self.shape.row(changed), &rows)
                }
            }
            try writer.flush()
        }
        progress.clear()
        if output.format == .text {
            try writer.finish(&text)
            if text.count == 0 {
                try writer.writeLine("\(counted(ids.count, "trip")): no value changes")
            }
            if text.count > 0, dryRun { output.note("Nothing was changed.") }
        } else {
            try writer.append { rows.finish(&$0) }
        }
        try writer.flush()
    }

    private static let keys = ["trip", "decoded", "found", "kept", "dryRun"]

    private func row(_ trip: Int64, _ result: Redecoded) -> Row {
        Row(
            "redecoded",
            [
                "trip": .integer(trip), "decoded": .integer(result.decoded),
                "found": .integer(result.found), "kept": .integer(result.kept),
                "dryRun": .flag(dryRun),
            ])
    }

    private typealias Changed = (trip: Int64, signal: String, change: Redecoded.Change)

    /// A signal whose readings changed.
    private static let shape = RowShape<Changed>(
        "redecodedSignal",
        [
            Field("trip", "TRIP", .right) { .integer($0.trip) },
            Field("signal", "SIGNAL", style: .bold) { .text($0.signal) },
            Field("changed", "CHANGED", .right) { .integer($0.change.changed) },
            Field("added", "NEW", .right) { .integer($0.change.added) },
            Field("removed", "GONE", .right) { .integer($0.change.removed) },
            Field("before") { .text($0.change.example?.before) },
            Field("after") { .text($0.change.example?.after) },
            Field(
                heading: "FOR EXAMPLE",
                cell: { .init($0.change.example.map { "\($0.before) → \($0.after)" } ?? "") }),
        ])
}
