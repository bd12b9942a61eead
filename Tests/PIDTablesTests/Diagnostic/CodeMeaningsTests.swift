import Diagnostics
import Foundation
import OBDCore
import PIDTables
import Testing

/// The answer sheet that was worked out by hand; its head explains the words.
struct CodeMeanings {
    struct Row {
        let code: String
        let meaning: String
        let hazards: [String]
    }

    static let meanings: Set = [
        "open", "short-ground", "short-supply", "circuit", "implausible", "intermittent",
        "signal-low", "signal-high", "quantity-low", "quantity-high", "efficiency", "stuck",
        "too-hot", "communication", "data-wrong", "memory", "software", "mismatch", "other", "none",
    ]
    static let hazards: Set = [
        "high-voltage", "airbag", "fuel-pressure", "hot-coolant", "brakes", "steering",
    ]

    static func rows() throws -> [Row] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "code-meanings.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { line in
                let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
                try #require(columns.count == 3, "\(line)")
                let hazards = columns[2] == "none" ? [] : columns[2].split(separator: ",")
                return Row(
                    code: String(columns[0]), meaning: String(columns[1]),
                    hazards: hazards.map(String.init))
            }
    }
}

@Suite struct `The sheet of meanings` {
    @Test func `the sheet of meanings has each code of our tables once`() throws {
        let rows = try CodeMeanings.rows()
        let texts = PIDTables.codeTexts()
        #expect(rows.count >= 600)
        #expect(Set(rows.map(\.code)).count == rows.count)
        for row in rows {
            #expect(texts.text(of: try #require(DTC(row.code))) != nil, "\(row.code)")
            #expect(CodeMeanings.meanings.contains(row.meaning), "\(row.code)")
            #expect(CodeMeanings.hazards.isSuperset(of: row.hazards), "\(row.code)")
        }
    }
}
