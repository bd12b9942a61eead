import Diagnostics
import OBDCore

extension PIDTables {
    /// Faults in the embedded texts and explanations of trouble codes.
    static func lintCodes() -> [TableFinding] {
        var findings: [TableFinding] = []
        for file in EmbeddedFiles.all {
            let path = file.path.description
            guard path.hasPrefix("dtc/"), path.hasSuffix(".tsv") else { continue }
            let bytes = file.contents.withUTF8Buffer { [UInt8]($0) }
            findings += lintRows(bytes, of: "pids/" + path)
        }
        let path = "pids/" + explanationPath
        func found(_ line: Int, _ reason: String) -> TableFinding {
            TableFinding(file: path, line: line, .explanation(reason))
        }
        do throws(CodeExplanationError) {
            let explanations = try codeExplanations()
            findings += lint(explanations).map { found(1, $0) }
        } catch {
            findings.append(found(error.line, error.reason))
        }
        return findings
    }

    /// Rows are found by binary search, so each key has to be unique, in ascending byte order, and have a
    /// text.
    static func lintRows(_ bytes: [UInt8], of path: String) -> [TableFinding] {
        var findings: [TableFinding] = []
        var previous: ArraySlice<UInt8> = []
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            guard let first = line.first, first != 0x23 else { continue }
            func found(_ reason: String) {
                findings.append(TableFinding(file: path, line: number, .explanation(reason)))
            }
            let columns = line.split(separator: 0x09, omittingEmptySubsequences: false)
            if columns.count < 2 || columns.count > 3 || columns.contains(where: \.isEmpty) {
                found("not a code, a tab and a text")
            } else if columns.count == 3, columns[2] != [0x31] {
                found("the third column is 1 or not there")
            }
            if let key = columns.first {
                if !previous.isEmpty, !previous.lexicographicallyPrecedes(key) {
                    found("`\(String(decoding: key, as: UTF8.self))` does not ascend")
                }
                previous = key
            }
        }
        return findings
    }

    /// Families with signals or monitor IDs that are in no table.
    private static func lint(_ explanations: CodeExplanations) -> [String] {
        guard let table = try? standard(), let monitors = try? monitorTables() else { return [] }
        var names: Set<String> = []
        for record in table.records {
            for index in record.signals {
                let signal = table[SignalIndex(rawValue: index)]
                names.insert(signal.id)
                names.formUnion(signal.aliases)
            }
        }
        var reasons = explanations.faults
        for family in explanations.families {
            for signal in family.watches.flatMap(\.signals) where !names.contains(signal) {
                reasons.append("family \(family.id): `\(signal)` is not a signal")
            }
            let tests = family.tests.flatMap { Array($0) }
            for test in tests where !monitors.hasMonitor(test) {
                reasons.append("family \(family.id): monitor id \(Hex.string([test])) has no name")
            }
            for monitor in family.monitors where explanations.drives[monitor] == nil {
                reasons.append("monitor \(monitor.rawValue): the text on how to drive is missing")
            }
        }
        return reasons
    }
}
