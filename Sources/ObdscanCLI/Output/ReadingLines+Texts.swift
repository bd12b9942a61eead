import Diagnostics
import PIDTables
import Reports

extension ReadingLines {
    /// Lines with the user's texts of codes.
    init(
        _ output: OutputOptions, table: PIDTable, device: String? = nil
    ) throws(Failure) {
        self.init(
            output.form, table: table, knowledge: CodeKnowledge(texts: try loadCodeTexts()),
            device: device)
    }
}
