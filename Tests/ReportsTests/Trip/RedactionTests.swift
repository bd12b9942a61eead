import Adapters
import OBDCore
import Testing

@testable import Reports

@Suite struct `Removing identities from a report` {
    /// The VIN of examples for 49 CFR 565.
    static let vin = "1HGCM82633A004352"

    private let redaction: Redaction = {
        var redaction = Redaction()
        redaction.add(Self.vin)
        return redaction
    }()

    /// Every three bytes of the VIN in a row, as digits.
    private var pieces: [String] {
        let bytes = Array(Self.vin.utf8)
        return (0...(bytes.count - 3)).map { Hex.string(bytes[$0..<($0 + 3)]) }
    }

    @Test(arguments: [
        // CAN with headers, without blanks and with blanks. A header has three digits, which shifts
        // the bytes.
        "7E81014490201314847\r7E821434D3832363333\r7E82241303034333532\r",
        "7E8 10 14 49 02 01 31 48 47\r7E8 21 43 4D 38 32 36 33 33\r7E8 22 41 30 30 34 33 35 32\r",
        // CAN without headers.
        "014\r0: 49 02 01 31 48 47\r1: 43 4D 38 32 36 33 33\r2: 41 30 30 34 33 35 32\r",
        // ISO 9141-2: one byte in the first line, then four per line.
        "486B1049020100000031D2\r486B104902024847434D2F\r486B10490203383236330C\r"
            + "486B10490204334130301A\r486B104902053433353213\r",
        "49020131484743 4d3832363333 41303034333532",
    ])
    func `a VIN in hexadecimal is removed`(reply: String) {
        let clean = redaction.applied(to: reply)
        #expect(clean.utf8.count == reply.utf8.count)
        #expect(clean != reply)
        let digits = clean.uppercased().filter { $0 != " " }
        for piece in pieces { #expect(!digits.contains(piece), "\(piece) in \(clean)") }
        #expect(!digits.contains("49020100000031"))
        // Parts that identify no vehicle stay.
        #expect(clean.contains("58"))
        #expect(clean.hasPrefix(String(reply.prefix(3))))
    }

    /// The answer is damaged and was not decoded, so the VIN itself is unknown.
    @Test(arguments: [
        "7E81014490201314847\r7E821434D3832363333\r7E82241303034333532\r",
        "7E8 10 14 49 02 01 31 48 47\r7E8 21 43 4D 38 32 36 33 33\r7E8 22 41 30 30 34 33 35 32\r",
        "18DAF110101449020131484718DA\r18DAF11021434D3832363333\r18DAF1102241303034333532\r",
        "014\r0: 49 02 01 31 48 47\r1: 43 4D 38 32 36 33 33\r2: 41 30 30 34 33 35 32\r",
        "486B1049020100000031D2\r486B104902024847434D2F\r486B10490203383236330C\r"
            + "486B10490204334130301A\r486B104902053433353213\r",
    ])
    func `a VIN in a damaged answer is removed`(reply: String) {
        let whole = Array(reply.utf8)
        for place in whole.indices {
            for other in [nil, UInt8(ascii: "#"), UInt8(ascii: "7")] {
                var damaged = whole
                damaged.replaceSubrange(place...place, with: other.map { [$0] } ?? [])
                var transcript = Transcript(chunks: [])
                transcript.chunks = [
                    Transcript.Chunk(
                        time: .zero, direction: .toAdapter, bytes: Array("09021\r".utf8)),
                    Transcript.Chunk(
                        time: .zero, direction: .fromAdapter, bytes: damaged + Array(">".utf8)),
                ]
                let clean = IdentityAnswers.blanked(in: transcript).chunks[1].bytes
                #expect(clean.count == damaged.count + 1)
                let digits = String(decoding: clean, as: UTF8.self).filter { $0 != " " }
                for piece in pieces { #expect(!digits.contains(piece), "\(piece) in \(digits)") }
            }
        }
    }

    /// A complete answer was redacted before and stays readable.
    ///
    /// Words stay, too.
    @Test func `text without a VIN stays`() {
        for reply in [
            "7E8 10 14 49 02 01 58 58 58\r7E8 21 58 58 58 58 58 58 58\r7E8 22 58 58 58 58 58 58 58\r",
            "NO DATA\r", "SEARCHING...\rUNABLE TO CONNECT\r", "486B1049020100000058F9\r",
        ] {
            var transcript = Transcript(chunks: [])
            transcript.chunks = [
                Transcript.Chunk(time: .zero, direction: .toAdapter, bytes: Array("0902\r".utf8)),
                Transcript.Chunk(time: .zero, direction: .fromAdapter, bytes: Array(reply.utf8)),
            ]
            #expect(IdentityAnswers.blanked(in: transcript) == transcript)
        }
    }

    @Test func `a VIN in text is removed, in upper and lower case`() {
        #expect(
            redaction.applied(to: "VIN 1HGCM82633A004352, 1hgcm82633a004352.")
                == "VIN XXXXXXXXXXXXXXXXX, XXXXXXXXXXXXXXXXX.")
    }

    @Test func `other data stays unchanged`() {
        for text in ["7E804410C1AF8", "41 00 BE 3E B8 11", "OBDSIM-ECM-0001", "", "3030"] {
            #expect(redaction.applied(to: text) == text)
        }
    }

    @Test func `a VIN that is cut between two reads is found`() throws {
        let reply = Array("7E821434D3832363333\r".utf8)
        for cut in 0...reply.count {
            let transcript = Transcript(chunks: [
                .init(time: .zero, direction: .toAdapter, bytes: Array("0902\r".utf8)),
                .init(time: .zero, direction: .fromAdapter, bytes: Array(reply[..<cut])),
                .init(time: .zero, direction: .fromAdapter, bytes: Array(reply[cut...])),
            ])
            let clean = redaction.applied(to: transcript)
            let bytes = clean.chunks.dropFirst().flatMap(\.bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "7E82158585858585858\r")
            #expect(clean.chunks.map(\.bytes.count) == transcript.chunks.map(\.bytes.count))
        }
    }
}
