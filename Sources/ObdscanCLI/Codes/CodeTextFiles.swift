import Diagnostics
import Glibc
import PIDTables
import SystemIO

/// The texts of codes: the user's texts have priority over the embedded ones.
func loadCodeTexts() throws(Failure) -> CodeTexts {
    let texts = PIDTables.codeTexts()
    guard let folder = dataFolder().map({ $0 + "/dtc" }), access(folder, F_OK) == 0 else {
        return texts
    }
    var rows: [CodeTextRow] = []
    for path in try files(in: folder, ending: ".tsv") {
        let found = CodeTextRow.rows(of: try contents(of: path))
        rows += found.rows
        // A code is read anyway.
        for line in found.bad.prefix(1) {
            let what = "\(path):\(line): left out, because it is not a code, a tab and a text"
            let hint = "codes are written P1234, P1234-11, SPN609 or SPN609/FMI19"
            tellOnStandardError(Failure(what, hint: hint, status: .badData).text)
        }
    }
    return rows.isEmpty ? texts : texts.overlaid(.bytes(CodeTextRow.file(rows)))
}

func loadCodeExplanations() throws(Failure) -> CodeExplanations {
    do {
        return try PIDTables.codeExplanations()
    } catch {
        throw Failure(
            "pids/dtc/families.txt:\(error.line): \(error.reason)",
            hint: "this is a fault of obdscan: please report it", status: .bug)
    }
}

/// The causes of `diagnose`: the user's replace embedded ones of the same name.
func loadCauses() throws(Failure) -> CauseTable {
    var causes: CauseTable
    do {
        causes = try PIDTables.causes()
    } catch {
        throw Failure(
            "pids/causes:\(error.line): \(error.reason)",
            hint: "this is a fault of obdscan: please report it", status: .bug)
    }
    guard let folder = dataFolder().map({ $0 + "/causes" }), access(folder, F_OK) == 0 else {
        return causes
    }
    for path in try files(in: folder, ending: ".causes") {
        let text = String(decoding: try contents(of: path), as: UTF8.self)
        var own = causes
        do throws(CauseError) {
            own.replace(try CauseTable(text))
            if let fault = own.faults.first { throw CauseError(line: 1, reason: fault) }
            causes = own
        } catch {
            let what = "\(path):\(error.line): \(error.reason); the whole file is left out"
            tellOnStandardError(Failure(what, status: .badData).text)
        }
    }
    return causes
}
