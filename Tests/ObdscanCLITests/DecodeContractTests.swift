import Foundation
import Testing

@testable import ObdscanCLI

/// The cases of `Tests/Decode/contract.txt`: text of an adapter, and the JSON objects that it
/// decodes to.
@Suite struct `Decode keeps its contract` {
    struct Case: CustomTestStringConvertible, Sendable {
        var title: String
        var arguments: [String] = []
        var input: [String] = []
        var expected: [String] = []
        var exitCode: Int32?
        var testDescription: String { title }
    }

    static let cases: [Case] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Decode/contract.txt")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        var cases: [Case] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("== ") {
                cases.append(Case(title: String(line.dropFirst(3))))
            } else if cases.isEmpty || cases[cases.count - 1].exitCode != nil {
                continue
            } else if line.hasPrefix("$ ") {
                cases[cases.count - 1].arguments = line.dropFirst(2).split(separator: " ").map(
                    String.init)
            } else if line.hasPrefix("=> ") {
                cases[cases.count - 1].expected.append(String(line.dropFirst(3)))
            } else if line.hasPrefix("exit ") {
                cases[cases.count - 1].exitCode = Int32(line.dropFirst(5))
            } else {
                cases[cases.count - 1].input.append(line)
            }
        }
        return cases
    }()

    @Test func `the list of decoding cases is not empty`() {
        #expect(Self.cases.count >= 50)
        #expect(Self.cases.allSatisfy { $0.exitCode != nil })
    }

    @Test(arguments: cases)
    func `every case gives its expected output`(example: Case) throws {
        let command = try #require(
            try ObdscanCommand.parseAsRoot(["decode", "--format", "json"] + example.arguments)
                as? DecodeCommand)
        var output: [UInt8] = []
        let input = Array((example.input.joined(separator: "\n") + "\n").utf8)
        let sawError = try command.decode(input, into: &output)
        #expect((sawError ? 65 : 0) == example.exitCode)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let found = try lines.map { try Self.object($0) }
        let expected = try example.expected.map { try Self.object($0) }
        #expect(
            found.count == expected.count, "\(String(decoding: output, as: UTF8.self))")
        for (actual, wanted) in zip(found, expected) {
            for (key, value) in wanted {
                #expect(
                    actual[key].map { $0 as? NSObject == value as? NSObject } ?? false,
                    "\(key) of \(actual), expected \(value)")
            }
        }
    }

    private static func object(_ text: some StringProtocol) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}

extension DecodeCommand {
    /// Decodes `input` as one text and appends the output; returns whether there was an error.
    func decode(_ input: [UInt8], into printed: inout [UInt8]) throws -> Bool {
        var decoding = try PrintedDecoding(self)
        try decoding.prepare(for: input[...])
        decoding.read(input[...], into: &printed)
        return decoding.finish(into: &printed)
    }
}
