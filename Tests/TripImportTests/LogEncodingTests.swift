import Diagnostics
import OBDCore
import Testing
import TripImport

/// Logs in the encodings of other programs and countries.
@Suite struct `Encodings of logs` {
    private static let text =
        "Zeit;Kühlmitteltemperatur (°C);Straße;€\n08.03.2024 10:00:00;83,5;„Süd“;1\n"

    private static let windows: [Character: UInt8] = [
        "ü": 0xFC, "°": 0xB0, "ß": 0xDF, "€": 0x80, "„": 0x84, "“": 0x93,
    ]

    private func check(_ bytes: [UInt8]) throws {
        for piece in [1, 13, .max] {
            let file = try ImportedFile(bytes: bytes, piece: piece)
            #expect(
                file.values == [
                    .init("Kühlmitteltemperatur", 83.5, "°C"), .init("Straße", .text("„Süd“")),
                    .init("€", 1, ""),
                ])
        }
    }

    @Test(arguments: [[], [0xEF, 0xBB, 0xBF]] as [[UInt8]])
    func `UTF-8 is read`(mark: [UInt8]) throws {
        try check(mark + Array(Self.text.utf8))
    }

    @Test func `Windows-1252 is read`() throws {
        try check(Self.text.map { Self.windows[$0] ?? $0.asciiValue ?? 0 })
    }

    @Test(arguments: [true, false], [true, false])
    func `UTF-16 is read with and without a mark`(isLittle: Bool, hasMark: Bool) throws {
        let units = (hasMark ? [0xFEFF] : []) + Array(Self.text.utf16)
        try check(
            units.flatMap { unit in
                let both = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isLittle ? both.reversed() : both
            })
    }

    /// The rows show UTF-16 even if the heading has few letters of ASCII.
    @Test func `UTF-16 without a mark is read in other scripts`() throws {
        let text = "время;Обороты двигателя (об/мин)\r\n2024-03-08 10:00:00;900\r\n"
        let file = try ImportedFile(
            bytes: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect(file.values == [.init("Обороты двигателя", 900, "rpm")])
    }

    @Test(arguments: [1, 7, 600, .max])
    func `lines may end with carriage returns alone`(piece: Int) throws {
        let rows = (10..<60).map { "2024-03-08 10:00:\($0),9\($0)" }
        for end in ["\r", "\n", "\r\n"] {
            let text = (["time,RPM"] + rows).joined(separator: end) + end
            let utf8 = try ImportedFile(bytes: Array(text.utf8), piece: piece)
            #expect(utf8.values.count == 50 && utf8.values.last == .init("RPM", 959, "rpm"))
            let utf16 = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            #expect(try ImportedFile(bytes: utf16, piece: piece).values == utf8.values)
        }
        // Text in a cell keeps its own.
        let note = try ImportedFile("time,Note\n2024-03-08 10:00:00,\"a\rb\"\n")
        #expect(note.values == [.init("Note", .text("a\rb"))])
    }

    @Test func `a log of a bus may have carriage returns alone`() throws {
        let file = try ImportedFile(
            "(1700000000.5) can0 7DF#02010C0000000000\r(1700000000.51) can0 7E8#04410C1AF8000000\r")
        #expect(file.values == [.init("RPM", 1726, "rpm")])
    }

    @Test func `a damaged character does not change the encoding of the rest`() throws {
        let good = "time,Kühl\n2024-03-08 10:00:00,1\n"
        let bytes = Array(good.utf8) + Array("2024-03-08 10:00:01,".utf8) + [0xFC, 0x0A]
        let file = try ImportedFile(bytes: bytes)
        #expect(file.values.first == .init("Kühl", 1, ""))
    }

    @Test func `zeros that a lost power supply left are not UTF-16`() {
        let bytes = [UInt8](repeating: 0, count: 600) + Array("time,RPM\n".utf8)
        #expect(ImportFormat(bytes) == nil)
    }

    /// Some adapters send single zeros.
    @Test func `a zero in a short text is not UTF-16`() {
        for text in ["41 0C\0 1A F8\r", "\0" + "41 0C 1A F8\r"] {
            var pieces = TextPieces()
            let read = pieces.read(Array(text.utf8)[...], isLast: true)
            #expect(Array(read).filter { $0 >= 0x20 } == Array("41 0C 1A F8".utf8))
        }
    }

    @Test func `a list of names may be in Windows-1252`() throws {
        let bytes: [UInt8] = [0x4B, 0xFC, 0x68, 0x6C] + Array(" = ECT\n".utf8)
        var table = PIDTable()
        table.add(
            DataID(.currentData, 5), name: "Coolant", length: 1...1,
            signals: [
                Signal(
                    id: "ECT", name: "Coolant", bitOffset: 0, bitLength: 8, kind: .number,
                    unit: "°C")
            ])
        #expect(try ImportSource.names(bytes, table) == ["Kühl": "ECT"])
    }
}
