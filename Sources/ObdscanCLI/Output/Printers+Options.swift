import Diagnostics
import Formats
import PIDTables
import TripStore
import VehicleReports

// Printers as the options of a command want them, with the words of this program.

extension AnswerPrinter {
    /// A printer for readings of `table`, with the texts of codes that the user has.
    ///
    /// A CSV table has rows of all `kinds`, which are their keys.
    init(_ output: OutputOptions, table: PIDTable, kinds: [[String]]) throws(Failure) {
        self.init(
            output.form, table: table, knowledge: CodeKnowledge(texts: try loadCodeTexts()),
            kinds: kinds,
            note: { tellOnStandardError(printable($0) + "\n") })
    }
}

extension CodePrinter {
    /// A printer of the codes of the vehicle behind `accessory`.
    init(
        _ output: OutputOptions, table: PIDTable, knowledge: CodeKnowledge,
        explanations: CodeExplanations? = nil, accessory: String
    ) {
        self.init(
            output.form, table: table, knowledge: knowledge, explanations: explanations,
            words: { Failure($0, accessory: accessory).message }, note: output.note)
    }
}

extension PollSummary {
    /// Takes over what the closed trip has come to.
    mutating func take(_ store: TripStore, _ output: OutputOptions) {
        take(store, units: output.units, usualPath: DatabaseOptions(path: nil).file)
    }
}
