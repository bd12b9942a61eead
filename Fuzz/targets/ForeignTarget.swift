import PIDTables
import TableImport

/// Another program's table: it must be refused with a message, or become a table without lint
/// errors.
func readForeignTable(_ input: [UInt8]) {
    let source: ImportedSource
    do throws(TableSource.Fault) {
        source = try TableSource.read(input, "foreign")
    } catch {
        return
    }
    for finding in source.findings {
        require(!finding.reason.isEmpty, "a finding without words")
        require(finding.line > 0, "a finding without a line")
    }
    let origin = ImportedTable.Origin(
        file: source.file, format: source.format, digest: SHA256.text(of: input), date: nil)
    let table = ImportedTable([source], from: [origin])
    let text = Array(table.text.utf8)
    let errors = PIDTables.lint([TableFile(path: "made.pids", contents: text)]).filter(\.isError)
    require(errors.isEmpty, "\(errors.first.map(\.description) ?? "")")
    require(table.takenCount <= table.rowCount, "more rows than there are")
}
