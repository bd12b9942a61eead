import Diagnostics
import OBDCore

/// One line of a user's texts: a code, a tab, and the text.
package struct CodeTextRow {
    /// As texts are looked up: `P1234`, `P1234-11`, `SPN609`, `SPN609/FMI19`.
    var key: [UInt8]
    var text: ArraySlice<UInt8>

    /// The rows of a file, and the numbers of lines without a code, a tab and a text, from 1; empty lines and
    /// those that begin with `#` are ignored.
    package static func rows(of bytes: [UInt8]) -> (rows: [CodeTextRow], bad: [Int]) {
        var rows: [CodeTextRow] = []
        var bad: [Int] = []
        for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = line.last == 0x0D ? line.dropLast() : line
            guard let first = line.first, first != 0x23 else { continue }
            if let row = CodeTextRow(line) {
                rows.append(row)
            } else {
                bad.append(number + 1)
            }
        }
        return (rows, bad)
    }

    private init?(_ line: ArraySlice<UInt8>) {
        guard let tab = line.firstIndex(of: 0x09), tab + 1 < line.endIndex,
            let name = String(validating: line[..<tab], as: UTF8.self),
            String(validating: line[tab...], as: UTF8.self) != nil
        else { return nil }
        if let code = DTC(name) {
            key = Array(code.description.utf8)
        } else if let code = J1939Code(name) {
            key = Array(code.text.utf8)
        } else if let code = J1939Code(name + "/FMI0") {
            key = Array("SPN\(code.spn)".utf8)
        } else {
            return nil
        }
        text = line[(tab + 1)...]
    }

    /// A file in which texts are found by halving: ascending, each code once, the last one counts.
    package static func file(_ rows: [CodeTextRow]) -> [UInt8] {
        var latest: [[UInt8]: ArraySlice<UInt8>] = [:]
        for row in rows { latest[row.key] = row.text }
        var bytes: [UInt8] = []
        for key in latest.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let text = latest[key] else { continue }
            bytes += key
            bytes.append(0x09)
            // A tab would end the text.
            bytes += text.map { $0 == 0x09 ? 0x20 : $0 }
            bytes.append(0x0A)
        }
        return bytes
    }
}
