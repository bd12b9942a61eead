import Foundation
import OBDCore
import Testing

@testable import Adapters

/// The table of quirks as data, and the document made from it: `docs/adapters.md`.
@Suite struct `Quirks of adapters` {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let begin = "<!-- Made from the code by AdapterQuirkTests: do not edit. -->\n"
    private static let end = "<!-- End of what is made from the code. -->\n"

    @Test func `each quirk names the recording that shows it`() {
        for quirk in AdapterQuirk.all {
            #expect(!quirk.evidence.isEmpty, "\(quirk.behaviour)")
            for case .recording(let name) in quirk.evidence {
                let file = Self.root.appending(path: "Tests/Transcripts/\(name).txt")
                #expect(FileManager.default.fileExists(atPath: file.path), "\(name)")
            }
        }
        #expect(
            Set(AdapterQuirk.all.map { $0.adapters + $0.behaviour }).count == AdapterQuirk.all.count
        )
    }

    @Test func `no probe sends a command after which an adapter hangs`() {
        for quirk in AdapterQuirk.all {
            guard case .hangs(let begin) = quirk.effect else { continue }
            let probes = AdapterProbe.all.map { $0.command.filter { $0 != " " } }
            #expect(!probes.contains { $0.hasPrefix(begin) })
        }
    }

    @Test
    func `an adapter's text in each row means the status of the row, with and without blanks`() {
        for quirk in AdapterQuirk.all {
            guard case .word(let text, let status, let alone) = quirk.effect else { continue }
            let spelled = text.map(String.init).joined(separator: " ")
            for line in [text, spelled, text.lowercased()] {
                #expect(AdapterWords.find(in: Array(line.utf8).span)?.meaning.status == status)
            }
            let behind = AdapterWords.find(in: Array("X\(text)Y".utf8).span)
            #expect((behind == nil) == alone, "\(text)")
        }
    }

    @Test func `each refused command has the remedy of its row`() {
        #expect(AdapterQuirk.remedy(forRefused: "ATCRA7E8") == .filterAndMask)
        #expect(AdapterQuirk.remedy(forRefused: "ATSTFF") == .goOn)
        #expect(AdapterQuirk.remedy(forRefused: "ATFCSH7E0") == .goOn)
        #expect(AdapterQuirk.remedy(forRefused: "ATCEA") == .neverSet)
        // The header decides which ECU gets a request. Without it the request is not sent.
        #expect(AdapterQuirk.remedy(forRefused: "ATSH7E0") == nil)
        #expect(AdapterQuirk.remedy(forRefused: "ATCP18") == nil)
    }

    @Test func `docs/adapters.md lists all quirks`() throws {
        let path = Self.root.appending(path: "docs/adapters.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let start = try #require(text.range(of: Self.begin))
        let stop = try #require(
            text.range(of: Self.end, range: start.upperBound..<text.endIndex))
        let rendered = Self.render()
        guard text[start.upperBound..<stop.lowerBound] != rendered else { return }
        if ProcessInfo.processInfo.environment["OBDSCAN_SNAPSHOTS"] == "write" {
            let new =
                String(text[..<start.upperBound]) + rendered + String(text[stop.lowerBound...])
            try new.write(to: path, atomically: true, encoding: .utf8)
            Issue.record("the table has been written anew: look at the change and run again")
        } else {
            Issue.record("the table is out of date; OBDSCAN_SNAPSHOTS=write writes it anew")
        }
    }

    private static func render() -> String {
        var text =
            "\n| adapters | what they do | what obdscan does | seen in |\n|---|---|---|---|\n"
        for quirk in AdapterQuirk.all {
            let evidence = quirk.evidence.map { evidence in
                switch evidence {
                case .recording(let name): "[\(name)](../Tests/Transcripts/\(name).txt)"
                case .source(let source): source
                }
            }
            text += "| \(quirk.adapters) | \(quirk.behaviour) | \(words(quirk.effect)) "
            text += "| \(evidence.joined(separator: ", ")) |\n"
        }
        return text + "\n"
    }

    private static func words(_ effect: AdapterQuirk.Effect) -> String {
        switch effect {
        case .word(_, let status, let alone):
            "reads it as `\(status.rawValue)`" + (alone ? ", alone on a line" : "")
        case .banner: "takes it for a banner"
        case .refuses(_, .filterAndMask): "sends `AT CF` and `AT CM` instead"
        case .refuses(_, .goOn): "sends the request without it"
        case .refuses(_, .neverSet): "goes on where no address byte was taken before"
        case .hangs: "never sends it to judge an adapter"
        case .handled(let how): how
        }
    }
}
