import OBDCore
import Simulator

/// A simulated adapter with a manual clock, whose answers are returned as one text.
struct Bench {
    var adapter: SimulatedAdapter
    var now = Instant.zero

    init(_ address: String) throws {
        adapter = try SimulatedAdapter(SimulatorOptions(address), at: .zero)
    }

    /// A bench with echo off, headers on and an open protocol.
    static func ready(_ address: String, headers: Bool = true) throws -> Bench {
        var bench = try Bench(address)
        _ = bench.ask("ATE0")
        if headers { _ = bench.ask("ATH1") }
        _ = bench.ask("0100")
        return bench
    }

    /// Types a line and returns the output up to the prompt in the form of ``visible(_:)``.
    ///
    /// The clock advances to the moment when the last character was sent.
    mutating func ask(_ line: String) -> String {
        Self.visible(bytes(answering: line))
    }

    /// Types a line and returns the output up to the prompt as bytes.
    mutating func bytes(answering line: String) -> [UInt8] {
        adapter.receive(Array((line + "\r").utf8), at: now)
        return waiting(upTo: .seconds(60)) { $0.contains(UInt8(ascii: ">")) }
    }

    /// The output within `limit`, or until `enough` returns true.
    mutating func waiting(
        upTo limit: Duration, until enough: ([UInt8]) -> Bool = { _ in false }
    ) -> [UInt8] {
        let end = now + limit
        var output = adapter.due(at: now)
        while !enough(output), let next = adapter.nextDeadline, next <= end {
            now = max(now, next)
            output += adapter.due(at: now)
        }
        if !enough(output) { now = end }
        return output
    }

    /// The output of the adapter at this moment.
    mutating func saying() -> String { Self.visible(adapter.due(at: now)) }

    /// The lines of an answer, without empty ones and without the prompt.
    mutating func lines(_ line: String) -> [String] {
        // Split bytes, because Swift treats CR LF as one character.
        bytes(answering: line).split { $0 == 0x0D || $0 == 0x0A || $0 == UInt8(ascii: ">") }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// `↵` for CR, `⇣` for LF, `␀` for NUL.
    static func visible(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.flatMap { byte in
                switch byte {
                case 0x0D: Array("↵".utf8)
                case 0x0A: Array("⇣".utf8)
                case 0x00: Array("␀".utf8)
                default: [byte]
                }
            }, as: UTF8.self)
    }
}
