import Diagnostics
import Formats
import OBDCore
import PIDTables

extension TablePack {
    /// The row of a pack with its records.
    package static let shape = RowShape<(pack: TablePack, records: [TableRecord])>(
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
}
