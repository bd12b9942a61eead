import OBDCore
import Testing

@testable import Formats

@Suite struct `Sheets for spreadsheet programs` {
    /// The check value for CRC-32 in catalogues of checksums.
    @Test func `the checksum of a stored file is the one of ISO 3309`() {
        #expect(StoredZip.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(StoredZip.checksum([]) == 0)
    }

    @Test(arguments: [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (702, "AAA")])
    func `columns have letters`(column: Int, letters: String) {
        #expect(Workbook.letters(column) == letters)
    }

    private static func sheet(_ cells: [Workbook.Cell]) -> String {
        var book = Workbook(title: "a & b", columns: cells.indices.map { ("c\($0)", 10) })
        book.add(cells)
        return String(decoding: book.bytes, as: UTF8.self)
    }

    @Test func `a cell keeps its type, and text is never a formula`() throws {
        let time = try #require(UTC("2026-11-25T12:00:00Z"))
        let text = Self.sheet([
            .text("=1+1"), .number(1.5), .flag(true), .time(time), .empty, .number(.nan),
            .text("<&\">\u{1B}"),
        ])
        #expect(
            text.contains(
                "<c r=\"A2\" t=\"inlineStr\"><is><t xml:space=\"preserve\">=1+1</t></is></c>"))
        #expect(text.contains("<c r=\"B2\"><v>1.5</v></c>"))
        #expect(text.contains("<c r=\"C2\" t=\"b\"><v>1</v></c>"))
        // Spreadsheets number 2026-11-25 as day 46,351.
        #expect(text.contains("<c r=\"D2\" s=\"2\"><v>46351.5</v></c>"))
        #expect(!text.contains("r=\"E2\"") && !text.contains("r=\"F2\""))
        #expect(text.contains(">&lt;&amp;&quot;&gt;\\x1B<"))
        #expect(text.contains("name=\"a &amp; b\""))
        #expect(text.contains("autoFilter ref=\"A1:G2\""))
    }

    @Test func `the end of the archive counts its six files`() {
        let end = Array(Workbook(title: "t", columns: [("a", 5)]).bytes.suffix(22))
        #expect(Array(end.prefix(4)) == [0x50, 0x4B, 5, 6])
        #expect(Array(end[8..<12]) == [6, 0, 6, 0])
    }

    @Test func `a table with another separator quotes cells that have it`() {
        var writer = RowWriter(.csv, columns: ["a", "b", "c"], separator: ";")
        var output: [UInt8] = []
        writer.append(
            Row("x", ["a": .text("1;2"), "b": .text("3,4"), "c": .number(5.5)]), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "a;b;c\r\n\"1;2\";\"3,4\";5.5\r\n")
    }
}
