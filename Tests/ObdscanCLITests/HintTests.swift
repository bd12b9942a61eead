import ArgumentParser
import Foundation
import Testing

@testable import ObdscanCLI

/// A command in a message must run as it is printed.
@Suite struct `Suggested commands` {
    /// Words that the reader replaces, and the tests' replacements.
    private static let blanks = [
        "DEVICE": "sim:", "FILE": "own.pids", "NEW.db": "new.db", "TRIP": "1", "HOST": "localhost",
        "NAME": "localhost", "NUMBER": "1", "SIGNAL": "rpm", "TIME": "2h",
        "ADDRESS": "AA:BB:CC:DD:EE:FF",
    ]
    /// Interpolations in the source, and example values for them.
    private static let samples = [
        "codes": "P0420 P0430",
        "other": "1", "$0.trip.id": "1", "tripCommand": "tag 1 work", "moved": "read rpm -d sim:",
        "name": "van", "id": "010C", "id.service": "01", "id.idText": "0C", "trip": "1",
        "vehicle": "golf", "vin": "1HGCM82633A004352",
        "path": "other.db", "value": "1.5", "file": "own.txt", "address": "sim:", "channel": "3",
        "shellWord(file)": "own.txt", "shellWord(path)": "own.txt",
        "word": "P0301", "units": "us", "whole": "ATRV",
        "values.joined(separator: \" \")": "a b",
        "sink.name": "home", "line.sink.name": "home",
    ]

    /// Splits a command line into words.
    ///
    /// Apostrophes keep blanks.
    private static func words(_ command: String) -> [String] {
        var words: [String] = []
        for (index, piece) in command.split(separator: "'", omittingEmptySubsequences: false)
            .enumerated()
        {
            if index % 2 == 1 {
                words.append(String(piece))
            } else {
                words += piece.split(separator: " ").map(String.init)
            }
        }
        return words.dropFirst().map { word in
            blanks.reduce(word) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
        }
    }

    /// The commands in quotes in the string literals of the source, each with its file.
    private static func quoted() throws -> [(command: String, file: String)] {
        let sources = Program.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var found: [(String, String)] = []
        for case let file as String in files where file.hasSuffix(".swift") {
            let source = try String(
                contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
            guard source.contains("\\\"obdscan ") else { continue }
            let text = source.replacing(/"\n\s*\+ "/, with: "")
            for match in text.matches(
                of: /\\"(obdscan (?:[^"\\]|\\\([^()]*(?:\([^()]*\))?[^()]*\))+)\\"/)
            {
                found.append((String(match.1), file))
            }
        }
        return found
    }

    @Test func `suggested commands in the source are valid`() throws {
        let all = try Self.quoted()
        #expect(all.count >= 60, "\(all.count)")
        for (command, file) in all {
            var filled = command
            for (name, sample) in Self.samples {
                filled = filled.replacingOccurrences(of: "\\(\(name))", with: sample)
            }
            #expect(!filled.contains("\\("), "\(file): no sample for \(command)")
            let words = Self.words(filled)
            if ObdscanCommand.help(for: words) != nil { continue }
            #expect(throws: Never.self, "\(file): \(command)") {
                _ = try ObdscanCommand.parseAsRoot(words)
            }
        }
    }

    /// The commands in the hints of the recorded command line, without repetitions.
    private static let printed: [String] = {
        let lines = `The command line`.cases.flatMap(\.expected).filter { $0.hasPrefix("! hint: ") }
        let commands = lines.flatMap { line in
            line.matches(of: /"(obdscan [^"]+)"/).map { String($0.1) }
        }
        return Set(commands).sorted()
    }()

    @Test func `suggested commands are printed`() {
        #expect(Self.printed.count >= 15, "\(Self.printed)")
    }

    @Test(
        arguments: printed.filter { !$0.hasPrefix("obdscan log") && !$0.hasPrefix("obdscan live") })
    func `suggested commands run as printed`(command: String) throws {
        let program = try Program()
        defer { program.remove() }
        let result = try program.run(
            Self.words(command), environment: ["OBDSCAN_DEVICE": "sim:?latency=0"])
        // A trip or a code may be missing, but the command line must be right.
        #expect(![64, 70, 78].contains(result.status), "\(command): \(result)")
    }
}
