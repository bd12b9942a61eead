import Diagnostics
import Glibc
import PIDTables

/// The texts of codes: the user's texts have priority over the embedded ones.
func loadCodeTexts() throws(Failure) -> CodeTexts {
    let texts = PIDTables.codeTexts()
    guard let folder = dataFolder().map({ $0 + "/dtc" }), access(folder, F_OK) == 0 else {
        return texts
    }
    var rows: [CodeTextRow] = []
    for path in try files(in: folder, ending: ".tsv") {
        let bytes = try contents(of: path)
        do throws(CodeTextRow.Fault) {
            rows += try CodeTextRow.rows(of: bytes)
        } catch {
            throw Failure(
                "\(path):\(error.line): not a code, a tab and a text",
                hint: "codes are written P1234, P1234-11, SPN609 or SPN609/FMI19",
                status: .badData)
        }
    }
    return rows.isEmpty ? texts : texts.overlaid(.bytes(CodeTextRow.file(rows)))
}

/// The embedded explanations of codes.
func loadCodeExplanations() throws(Failure) -> CodeExplanations {
    do {
        return try PIDTables.codeExplanations()
    } catch {
        throw Failure(
            "pids/dtc/families.txt:\(error.line): \(error.reason)",
            hint: "this is a fault of obdscan: please report it", status: .bug)
    }
}
