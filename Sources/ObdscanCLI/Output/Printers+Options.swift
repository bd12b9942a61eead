import Diagnostics
import Formats
import PIDTables
import Reports
import TripRecorder
import TripStore

// Printers for the options of a command, with the messages of this program.

extension AnswerPrinter {
    /// A printer for readings of `table`, with the user's texts of codes.
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
    /// A printer for codes of the vehicle at `accessory`.
    init(
        _ output: OutputOptions, table: PIDTable, knowledge: CodeKnowledge, accessory: String
    ) {
        self.init(
            output.form, table: table, knowledge: knowledge,
            accessory: accessory, note: output.note)
    }
}

extension PollSummary {
    /// Adds the distance of the closed trip and the command that shows it.
    mutating func take(_ store: TripStore, _ output: OutputOptions) {
        take(store, units: output.units, usualPath: DatabaseOptions(path: nil).file)
    }

    /// Adds a trip that the whole session was.
    mutating func take(_ ended: TripSwitch.Ended, _ output: OutputOptions) {
        trip = ended.number
        positions = ended.positions
        take(
            ended.trip, in: ended.path, units: output.units,
            usualPath: DatabaseOptions(path: nil).file)
    }

    /// The line about a trip that is a part of the session.
    static func line(_ trip: Int64, _ store: TripStore, _ output: OutputOptions) -> String {
        line(
            trip, try? store.trip(trip), in: store.currentPath, units: output.units,
            usualPath: DatabaseOptions(path: nil).file)
    }

    /// The line about a trip that is a part of the session.
    static func line(_ ended: TripSwitch.Ended, _ output: OutputOptions) -> String {
        line(
            ended.number, ended.trip, in: ended.path, units: output.units,
            usualPath: DatabaseOptions(path: nil).file)
    }
}
