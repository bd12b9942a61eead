import Foundation
import Testing

/// Replays recorded conversations of real vehicles (`Tests/Transcripts`) to the whole program and
/// compares its output with `Tests/Replays`.
///
/// A recording has answers only to the requests that were sent when it was made. To all others the
/// replayed adapter answers that it does not know them. If you change the output on purpose, run
/// the test with `OBDSCAN_SNAPSHOTS=write`: it records the output and fails. Then check the output
/// by hand against the conversation and its facts.
@Suite(.serialized, .ownThreads) struct `Recorded conversations through the whole program` {
    /// A command, and the conversation that it is replayed from.
    struct Replay: CustomTestStringConvertible, Sendable {
        var name: String
        var arguments: [String]
        var testDescription: String { "\(name): \(arguments.joined(separator: " "))" }
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Each conversation with its commands.
    static let replays: [Replay] = [
        // CAN, 11 bit: one ECU without headers; three ECUs; two without headers; a refusal.
        ("can11-volkswagen-golf-7-mode09", ["info", "monitors"]),
        ("can11-volkswagen-golf-7-mode09", ["read load ect shrtft1 rpm iat tp o2s11 runtm vin"]),
        ("can11-mercedes-a180d-three-ecus", ["info", "dtc", "monitors"]),
        ("can11-headers-off-two-ecus-piobdii", ["info", "dtc", "monitors"]),
        ("can11-mercedes-sprinter-2015-negative", ["send 0100"]),
        ("can11-jaguar-2014-two-ecus", ["info"]),
        ("can11-two-ecus-havardline", ["info", "read rpm"]),
        ("can11-unknown-car-romwhite", ["info"]),
        // CAN, 29 bit: four ECUs and another tester's answers; two ECUs; two without headers.
        ("can29-four-ecus-unknown-car", ["info"]),
        ("can29-honda-civic-mode06-maps", ["info"]),
        ("can29-two-ecus-headers-off", ["info"]),
        // ISO 9141-2 and ISO 14230-4: one and two ECUs, codes, odd start addresses, a refusal.
        ("iso9141-diamex-simulator", ["info", "read vin"]),
        ("iso9141-searching-dots-glued", ["info"]),
        ("kwp-dodge-sprinter-2005-fast-init", ["info", "dtc", "monitors"]),
        ("kwp-dodge-sprinter-2005-fast-init", ["read rpm vss ect load map iat maf 01:23 01:24"]),
        ("kwp-two-ecus-stored-codes", ["info", "dtc"]),
        ("kwp-japan-1998-own-start-address", ["info", "read load ect rpm vss"]),
        ("kwp-diamex-simulator", ["info", "read vin"]),
        ("kwp-unknown-car-general-refusal", ["send 0100"]),
        ("kwp-renault-espace-iv-0100", ["info"]),
        // SAE J1850.
        ("pwm-ford-mode01-br16f84", ["info", "dtc", "monitors"]),
        ("pwm-ford-mode01-br16f84", ["read load ect shrtft1 longft1 rpm vss"]),
        ("vpw-diamex-simulator", ["info", "read vin"]),
        // Clones and failures.
        ("faults-kwp-without-checksum", ["info", "read load ect rpm"]),
        ("faults-doubled-first-answer-unknown-car", ["info"]),
        ("adapter-bus-init-errors-sprinter-2024", ["info"]),
    ].flatMap { name, commands in
        commands.map { Replay(name: name, arguments: $0.split(separator: " ").map(String.init)) }
    }

    @Test func `at least ten recordings exist`() {
        let names = Set(Self.replays.map(\.name))
        #expect(names.count >= 10)
        for name in names {
            #expect(FileManager.default.fileExists(atPath: Self.transcripts + "/\(name).txt"))
        }
    }

    @Test(arguments: replays)
    func `each recording prints the expected output`(replay: Replay) async throws {
        let workplace = try Workplace()
        // Values are compared in the format for scripts, everything else in the format for people.
        let isForScripts = ["read", "monitors", "send"].contains(replay.arguments[0])
        let words =
            replay.arguments + (isForScripts ? ["--format", "json"] : [])
            + ["-d", "replay:\(replay.name).txt"]
        let command = words.joined(separator: " ")
        let outcome = try await workplace.shell(
            "cd '\(Self.transcripts)' && exec \"$OBDSCAN\" \(command)")
        let text = Self.text(of: outcome, command: command)

        let golden = Self.folder.path + "/Replays/\(replay.name).\(replay.arguments[0]).golden"
        if ProcessInfo.processInfo.environment["OBDSCAN_SNAPSHOTS"] == "write" {
            try text.write(toFile: golden, atomically: true, encoding: .utf8)
            Issue.record("\(golden) has been written anew: look at the change and run again")
            return
        }
        let known = try String(contentsOfFile: golden, encoding: .utf8)
        #expect(text == known, "\(Self.difference(from: known, to: text))")
    }

    private static var transcripts: String { folder.path + "/Transcripts" }

    /// The command, standard output, standard error after `2> `, and the exit code.
    private static func text(of outcome: Outcome, command: String) -> String {
        let errors = outcome.errors.split(separator: "\n").map { "2> \($0)\n" }.joined()
        let time = /"time":"[^"]*"/
        return "$ obdscan \(command)\n"
            + outcome.output.replacing(time, with: "\"time\":\"…\"")
            + errors + "exit code \(outcome.status)\n"
    }

    private static func difference(from known: String, to text: String) -> String {
        let old = known.split(separator: "\n", omittingEmptySubsequences: false)
        let new = text.split(separator: "\n", omittingEmptySubsequences: false)
        return new.difference(from: old).map { change in
            switch change {
            case .remove(let line, let text, _): "-\(line + 1) \(text)"
            case .insert(let line, let text, _): "+\(line + 1) \(text)"
            }
        }.joined(separator: "\n")
    }
}
