import Formats
import Foundation
import Testing

/// The cases of `Tests/CommandLine/cases.txt`: a command, its output and its exit code.
///
/// `OBDSCAN_SNAPSHOTS=write` writes the expectations again. The run fails even so, because a person
/// has to look at the changes.
@Suite(.serialized) struct `The command line` {
    struct Case: CustomTestStringConvertible, Sendable {
        var title = ""
        /// The comments above the command.
        var comments: [String] = []
        var arguments: [String] = []
        var environment: [String: String] = [:]
        var input: String?
        var expected: [String] = []

        var testDescription: String { title }
    }

    static let file = Program.folder.appendingPathComponent("cases.txt")

    static let cases: [Case] = {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return text.components(separatedBy: "\n== ").dropFirst().map { block in
            var result = Case()
            for (number, line) in block.split(
                separator: "\n", omittingEmptySubsequences: false
            ).enumerated() {
                if number == 0 {
                    result.title = String(line)
                } else if line.hasPrefix("# ") {
                    result.comments.append(String(line))
                } else if line.hasPrefix("$ ") {
                    (result.environment, result.arguments) = words(String(line.dropFirst(2)))
                } else if line.hasPrefix("< ") {
                    result.input = (result.input ?? "") + line.dropFirst(2) + "\n"
                } else if !line.isEmpty {
                    result.expected.append(String(line))
                }
            }
            return result
        }
    }()

    /// Splits a command into words, with `NAME=value` before it.
    ///
    /// Double quotes keep blanks.
    private static func words(_ text: String) -> ([String: String], [String]) {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in text {
            if character == "\"" {
                isQuoted.toggle()
                word = word ?? ""
            } else if character == " " && !isQuoted {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        var environment: [String: String] = [:]
        while let first = words.first, first != "obdscan" {
            let pair = first.split(separator: "=", maxSplits: 1).map(String.init)
            environment[pair[0]] = pair.count > 1 ? pair[1] : ""
            words.removeFirst()
        }
        return (environment, Array(words.dropFirst()))
    }

    @Test func `the list of command-line cases is not empty`() {
        #expect(Self.cases.count >= 40)
        #expect(Self.cases.allSatisfy { $0.expected.last?.hasPrefix("exit ") ?? false })
        #expect(Set(Self.cases.map(\.title)).count == Self.cases.count)
    }

    @Test(arguments: cases)
    func `every case gives its expected output`(example: Case) throws {
        let lines = try Self.run(example)
        #expect(lines == example.expected)
    }

    /// The output of a command: `> ` before lines of stdout, `! ` before those of stderr.
    private static func run(_ example: Case) throws -> [String] {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run(
            example.arguments, input: example.input, environment: example.environment)
        var lines: [String] = []
        for (mark, text) in [(">", result.output), ("!", result.errors)] {
            // CSV has CR LF, which Swift treats as one Character.
            var rest = text.replacing("\r\n", with: "\n")
                .split(separator: "\n", omittingEmptySubsequences: false)
            if rest.last == "" { rest.removeLast() }
            lines += rest.map { line in
                let shown = Self.timeless(String(line), home: program.home.path)
                return shown.isEmpty ? mark : "\(mark) \(shown)"
            }
        }
        return lines + ["exit \(result.status)"]
    }

    /// The line without the parts that differ from run to run: times and the folder.
    private static func timeless(_ line: String, home: String) -> String {
        line.replacing(home, with: "HOME")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/, with: "TIME")
    }

    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["OBDSCAN_SNAPSHOTS"] == "write"))
    func `expected outputs can be written`() throws {
        try Self.written(Self.run).write(to: Self.file, atomically: true, encoding: .utf8)
        Issue.record("the expectations were written anew: look at them and run again")
    }

    @Test func `the file of cases equals the file that the tests would write`() throws {
        #expect(try Self.written(\.expected) == String(contentsOf: Self.file, encoding: .utf8))
    }

    /// The file with these lines as the output of each case.
    private static func written(_ output: (Case) throws -> [String]) throws -> String {
        var text = try String(contentsOf: file, encoding: .utf8)
        text = String(text[..<(text.range(of: "\n== ")?.lowerBound ?? text.endIndex)])
        for example in cases {
            text += "\n== \(example.title)\n"
            for comment in example.comments { text += comment + "\n" }
            let environment = example.environment.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value) " }.joined()
            let arguments = example.arguments.map { argument in
                argument.isEmpty || argument.contains(" ") ? "\"\(argument)\"" : argument
            }
            text += "$ \(environment)obdscan \(arguments.joined(separator: " "))\n"
            let input = example.input?.split(separator: "\n", omittingEmptySubsequences: false)
            for line in input?.dropLast() ?? [] { text += "< \(line)\n" }
            text += try output(example).joined(separator: "\n") + "\n"
        }
        return text
    }
}
