import Diagnostics
import TripReports

extension ReadingLines {
    /// Lines with the texts of codes that the user has.
    init(
        _ output: OutputOptions, table: PIDTable, accessory: String? = nil
    ) throws(Failure) {
        self.init(
            output.form, table: table, texts: try loadCodeTexts(), accessory: accessory)
    }
}
