import Foundation
import Testing

@testable import ObdscanCLI

/// For a short text, `decode` loads only the records that the text may need.
///
/// The result must be the same.
@Suite struct `Decode with a part of the tables` {
    /// Texts of at most 2,048 bytes, in whole lines: all recorded conversations and all contract
    /// cases.
    static let pieces: [[UInt8]] = {
        let folder = `Recorded conversations`.folder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var pieces: [[UInt8]] = []
        for name in names.sorted() where name.hasSuffix(".txt") {
            guard let data = try? Data(contentsOf: folder.appending(path: name)) else { continue }
            var piece: [UInt8] = []
            for line in data.split(separator: 0x0A, omittingEmptySubsequences: false) {
                if piece.count + line.count > 2048 {
                    pieces.append(piece)
                    piece = []
                }
                piece += line + [0x0A]
            }
            pieces.append(piece)
        }
        for example in `Decode keeps its contract`.cases {
            pieces.append(Array(example.input.joined(separator: "\n").utf8))
        }
        return pieces
    }()

    /// Every text without options, and each with one of the options in turn.
    @Test(arguments: [
        ([], 0, 1), (["--protocol", "6"], 0, 3), (["--protocol", "A"], 1, 3),
        (["--protocol", "5"], 2, 3),
    ])
    func `decoding with a part of the tables equals decoding with all`(
        options: [String], first: Int, step: Int
    ) throws {
        #expect(Self.pieces.count > 150)
        let command = try #require(
            try ObdscanCommand.parseAsRoot(["decode", "--format", "json"] + options)
                as? DecodeCommand)
        var all = try PrintedDecoding(command)
        // The second text of a run loads all tables.
        try all.prepare(for: [])
        try all.prepare(for: [])
        #expect(all.pipeline.tables.isWhole)
        var withPart = 0
        for index in stride(from: first, to: Self.pieces.count, by: step) {
            let piece = Self.pieces[index]
            var (part, whole): ([UInt8], [UInt8]) = ([], [])
            var pipeline = try PrintedDecoding(command)
            try pipeline.prepare(for: piece[...])
            if !pipeline.pipeline.tables.isWhole { withPart += 1 }
            pipeline.read(piece[...], into: &part)
            let sawError = pipeline.finish(into: &part)
            all.read(piece[...], into: &whole)
            let expected = all.finish(into: &whole)
            #expect(sawError == expected)
            #expect(part == whole, "\(String(decoding: piece, as: UTF8.self))")
        }
        #expect(withPart > 100 / step)
    }
}
