import Diagnostics
import PIDTables
import TripReports

extension ReadingLines {
    /// Lines with the texts of codes that the user has.
    init(
        _ output: OutputOptions, table: PIDTable, device: String? = nil
    ) throws(Failure) {
        self.init(
            output.form, table: table, knowledge: CodeKnowledge(texts: try loadCodeTexts()),
            device: device)
    }
}
