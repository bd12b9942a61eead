import OBDCore
import Simulator

/// A simulated adapter on a bench: a clock that is set by hand, answers as one piece of text.
struct Bench {
    var adapter: SimulatedAdapter
    var now = Instant.zero

    init(_ address: String) throws {
        adapter = try SimulatedAdapter(SimulatorOptions(address), at: .zero)
    }

    /// With echo off, headers on and the protocol open.
    static func ready(_ address: String, headers: Bool = true) throws -> Bench {
        var bench = try Bench(address)
        _ = bench.ask("ATE0")
        if headers { _ = bench.ask("ATH1") }
        _ = bench.ask("0100")
        return bench
    }

    /// Types a line and gives what comes until the prompt, as ``visible(_:)`` shows it.
    ///
    /// Time goes on to the moment at which the last character is out.
    mutating func ask(_ line: String) -> String {
        Self.visible(bytes(answering: line))
    }

    /// The same, as bytes.
    mutating func bytes(answering line: String) -> [UInt8] {
        adapter.receive(Array((line + "\r").utf8), at: now)
        return waiting(upTo: .seconds(60)) { $0.contains(UInt8(ascii: ">")) }
    }

    /// What comes within `limit`, or until `enough` says so.
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

    /// What the adapter has to say at this moment.
    mutating func saying() -> String { Self.visible(adapter.due(at: now)) }

    /// The lines of an answer, without empty ones and without the prompt.
    mutating func lines(_ line: String) -> [String] {
        // Bytes, because Swift takes CR LF for one character.
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
