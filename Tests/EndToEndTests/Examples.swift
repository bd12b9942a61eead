import Foundation
import Testing

/// An example in a manual page or in the README.
struct Example: Sendable, CustomTestStringConvertible {
    /// The document.
    let page: String
    /// The command line without the remarks beside it.
    let line: String

    var testDescription: String { "\(page): \(line)" }

    /// Every example of the manual pages and of the README.
    static let all = pages() + readme()

    private static let project = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func pages() -> [Example] {
        let folder = project.appendingPathComponent("man").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { $0.hasSuffix(".1") }.flatMap { name in
            examples(of: "man/\(name)") { lines in
                guard let start = lines.firstIndex(of: ".Sh EXAMPLES") else { return [] }
                return lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh") }
                    .map { $0.replacing("\\e", with: "\\").replacing("\\-", with: "-") }
            }
        }
    }

    /// The command lines in the README's blocks, including those with output.
    private static func readme() -> [Example] {
        examples(of: "README.md") { lines in
            var isCode = false
            return lines.compactMap { line in
                if line.hasPrefix("```") { isCode.toggle() }
                guard isCode else { return nil }
                let hasPrompt = line.hasPrefix("$ ")
                return hasPrompt ? String(line.dropFirst(2)) : line
            }
        }
    }

    private static func examples(
        of page: String, _ choose: ([String]) -> [String]
    ) -> [Example] {
        let path = project.appendingPathComponent(page)
        let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return choose(text.components(separatedBy: "\n")).filter {
            $0.hasPrefix("obdscan ") || $0.contains("| obdscan ")
        }.map { line in
            // Text after three blanks or a # is a remark.
            let end = line.range(of: "   ") ?? line.range(of: "  #")
            let command = end.map { String(line[..<$0.lowerBound]) } ?? line
            return Example(
                page: page, line: command.trimmingCharacters(in: .whitespaces))
        }
    }
}
