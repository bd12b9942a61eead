import Adapters
import Diagnostics
import Formats
import OBDCore
import PIDTables

extension Signal {
    /// Whether each word is in the identifier, the record's, the name or an alias; case does not
    /// matter.
    package func matches(_ words: [String], in record: PIDTable.Record) -> Bool {
        let places = [id, name, record.dataID.description] + aliases
        let texts = places.map { $0.lowercased() }
        return words.allSatisfy { word in
            let word = word.lowercased()
            return texts.contains { $0.contains(word) }
        }
    }
}

package struct ListedSignal {
    /// The identifier of the request; nil = the adapter measures the signal.
    private var id: DataID?
    private var signal: Signal

    package init(_ signal: Signal, of dataID: DataID) {
        id = dataID == PIDTables.adapterVoltageID ? nil : dataID
        self.signal = signal
    }

    package static let shape = RowShape<ListedSignal>(
        "pidSignal",
        [
            Field(heading: "ID") {
                .init($0.id?.description ?? AdapterAction.readVoltage.command, .dim)
            },
            Field("service") { .text($0.id?.service.description) },
            Field("pid") { .text($0.id?.idText) },
            Field("signal", "SIGNAL", style: .bold) { .text($0.signal.id) },
            Field("name", "NAME") { .text($0.signal.name) },
            Field("unit", "UNIT", missing: "") { .filled($0.signal.unit) },
            Field("min", "MIN", .right, cell: { .init(bound($0.signal.valueRange?.lowerBound)) }) {
                .number($0.signal.valueRange?.lowerBound)
            },
            Field("max", "MAX", .right, cell: { .init(bound($0.signal.valueRange?.upperBound)) }) {
                .number($0.signal.valueRange?.upperBound)
            },
            Field("aliases", "ALIASES", style: .dim) { .words($0.signal.aliases) },
        ])

    private static func bound(_ value: Double?) -> String { value.map { plain($0) } ?? "" }
}
