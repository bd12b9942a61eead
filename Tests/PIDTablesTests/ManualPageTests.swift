import Foundation
import PIDTables
import Testing

/// The example tables of obdscan-pids(5).
@Suite struct ManualPageTests {
    private func examples() throws -> [String] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../man/obdscan-pids.5")
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.components(separatedBy: ".Bd -literal -offset indent\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n.Ed").first }
            .filter { $0.hasPrefix("record ") }
            .map { $0.replacing("\\(de", with: "°") }
    }

    @Test func `Every example of the manual page is a valid table`() throws {
        let examples = try examples()
        #expect(examples.count >= 2)
        for example in examples {
            let findings = PIDTables.lint([
                TableFile(path: "obdscan-pids(5)", contents: Array(example.utf8))
            ])
            #expect(findings.isEmpty, "\(findings)")
        }
    }
}
