import Diagnostics
import Foundation
import OBDCore
import Testing
import TripImport

/// The same conversation in the formats of eight programs.
///
/// It has 010C, the VIN, an identifier that no table has, a foreign frame, and 010D with 29 bits.
/// SAE J1979: 1A F8 is 1726 rpm, 64 is 100 km/h.
@Suite struct `Logs of frames` {
    private static let names = [
        "candump.log", "candump-screen.txt", "gvret.csv", "log.crtd", "log.asc", "log11.trc",
        "log21.trc", "python-can.csv",
    ]

    private func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Logs/\(name)")))
    }

    @Test(arguments: names)
    func `say the same in every form`(_ name: String) throws {
        for piece in [1, 64, .max] {
            let file = try ImportedFile(bytes: try bytes(name), piece: piece)
            #expect(
                file.values == [
                    .init("RPM", 1726, "rpm"), .init("VIN", .text("1HGCM82633A004352")),
                    .init("VSS", 100, "km/h"),
                ])
            #expect(file.vehicles == ["1HGCM82633A004352"])
            #expect(file.readings.map(\.ecu?.description) == ["7E8", "7E8", "18DAF110"])
            #expect(file.frames == FrameCount(all: 12, diagnostic: 11))
            #expect(file.skipped.count == 0)
            // The time in the file's head is local: UTC minus one hour here.
            let isLocal = name.hasSuffix("asc") || name.hasSuffix("trc")
            let expected: Int64 = 1_700_000_000_020_500 + (isLocal ? 3_600_000_000 : 0)
            let seen = try #require(file.entries.first).time.microseconds
            #expect(abs(seen - expected) <= 1000, "\(seen)")
        }
    }

    @Test(arguments: names)
    func `may be cut anywhere`(_ name: String) throws {
        let whole = try bytes(name)
        for length in stride(from: 1, to: whole.count, by: 3) {
            let part = Array(whole.prefix(length))
            guard ImportFormat(part) != nil else { continue }
            let file = try ImportedFile(bytes: part)
            #expect(file.values.count <= 3)
        }
    }

    @Test func `an answer under another identifier proves itself by its question`() throws {
        let text = """
            (1700000000.000000) can0 791#0322B00255555555
            (1700000000.010000) can0 799#0562B0021234AAAA
            (1700000000.020000) can0 79A#0562B0031234AAAA
            """
        let file = try ImportedFile(text)
        #expect(file.frames?.all == 3 && file.frames?.diagnostic == 2)
        #expect(file.values.isEmpty)
    }

    @Test func `traffic that is not diagnostic is counted and makes no trip`() throws {
        let text = (0..<50).map { "(1700000000.0000\(10 + $0)) can0 1A0#0201020304050607\n" }
            .joined()
        let file = try ImportedFile(text)
        #expect(file.frames == FrameCount(all: 50, diagnostic: 0))
        #expect(file.trips == 0 && file.entries.isEmpty)
    }

    @Test func `relative times need a day`() throws {
        let text = "(000.000100)  can0  7E8   [8]  04 41 0C 1A F8 00 00 00\n"
        #expect(throws: ImportFault.self) { try ImportedFile(" " + text) }
        var source = ImportSource()
        source.start = WallClock("2026-11-21T08:00")
        let file = try ImportedFile(" " + text, from: source)
        #expect(file.entries.first?.time.text == "2026-11-21T09:00:00.000100Z")
    }

    @Test func `one channel of several`() throws {
        var source = ImportSource()
        source.channel = "can1"
        let text = """
            (1700000000.000000) can0 7E8#04410C1AF8000000
            (1700000000.000000) can1 7E8#03410D64AAAAAAAA
            """
        #expect(try ImportedFile(text, from: source).values == [.init("VSS", 100, "km/h")])
        #expect(try ImportedFile(text).values.count == 2)
    }
}
