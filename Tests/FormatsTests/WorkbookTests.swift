import OBDCore
import Testing

@testable import Formats

@Suite struct `Sheets for spreadsheet programs` {
    /// The check value for CRC-32 in catalogues of checksums.
    @Test func `the checksum of a stored file is the one of ISO 3309`() {
        #expect(StoredZip.checksum([Array("12345".utf8), Array("6789".utf8)]) == 0xCBF4_3926)
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
        // The seven headings are the texts 0 to 6.
        #expect(text.contains("<c r=\"A2\" t=\"s\"><v>7</v></c>"))
        #expect(text.contains("<si><t xml:space=\"preserve\">=1+1</t></si>"))
        #expect(text.contains("<c r=\"B2\"><v>1.5</v></c>"))
        #expect(text.contains("<c r=\"C2\" t=\"b\"><v>1</v></c>"))
        // Spreadsheets number 2026-11-25 as day 46,351.
        #expect(text.contains("<c r=\"D2\" s=\"2\"><v>46351.5</v></c>"))
        #expect(!text.contains("r=\"E2\"") && !text.contains("r=\"F2\""))
        #expect(text.contains(">&lt;&amp;&quot;&gt;\\x1B<"))
        #expect(text.contains("name=\"a &amp; b\""))
        #expect(text.contains("autoFilter ref=\"A1:G2\""))
    }

    @Test func `the archive's end record counts seven files`() {
        let end = Array(Workbook(title: "t", columns: [("a", 5)]).bytes.suffix(22))
        #expect(Array(end.prefix(4)) == [0x50, 0x4B, 5, 6])
        #expect(Array(end[8..<12]) == [7, 0, 7, 0])
    }

    @Test func `a repeated text is stored once`() {
        let (sheet, _) = Self.sheet(ofCSV: "time,a,b\r\n1,x,y\r\n2,x,x\r\n")
        #expect(sheet.split(separator: ">x</t>").count == 2)
        #expect(sheet.contains("<c r=\"B3\" t=\"s\"><v>3</v></c><c r=\"C3\" t=\"s\"><v>3</v></c>"))
    }

    private static func sheet(ofCSV text: String, mostRows: Int = 10) -> (String, isTooLong: Bool) {
        var sheet = CSVSheet(title: "trip", mostRows: mostRows)
        for piece in [text.prefix(20), text.dropFirst(20)] { sheet.append(Array(piece.utf8)) }
        return (String(decoding: sheet.finish().joined(), as: UTF8.self), sheet.isTooLong)
    }

    /// 2026-11-25T12:00:00.25Z is a quarter of a second after the middle of day 46,351.
    @Test(arguments: [
        ("2026-11-25T12:00:00.25Z", "s=\"3\"><v>46351.50000289352<"),
        ("2026-11-25T12:00:00.25+01:00", "s=\"3\"><v>46351.50000289352<"),
        ("1.5", "><v>1.5<"), ("noon", "t=\"s\"><v>2<"),
    ])
    func `the first cell of a table is its time`(cell: String, expected: String) {
        let (sheet, _) = Self.sheet(ofCSV: "time,7E8 RPM (rpm)\r\n\(cell),800\r\n")
        #expect(["", " "].contains { sheet.contains("<c r=\"A2\"\($0)\(expected)") })
        #expect(sheet.contains("<c r=\"B2\"><v>800.0</v></c>"))
    }

    @Test func `text that looks like a number stays text`() {
        let (wide, _) = Self.sheet(
            ofCSV: "time,a,b,c,d,e,f\r\n1,037805,7E8,'-1x,true,-12.5,\r\n")
        for text in ["037805", "7E8", "-1x"] { #expect(wide.contains(">\(text)</t>"), "\(text)") }
        #expect(wide.contains("<c r=\"E2\" t=\"b\"><v>1</v></c><c r=\"F2\"><v>-12.5</v></c></row>"))
        let (long, _) = Self.sheet(ofCSV: "time,ecu,pid,signal,value,trip\r\n1,10,05,X,5,7\r\n")
        #expect(long.contains(">10</t>") && long.contains(">05</t>"))
        #expect(long.contains("<c r=\"E2\"><v>5.0</v></c><c r=\"F2\"><v>7.0</v></c></row>"))
    }

    @Test func `a table that is too long is an error, and an empty table is a sheet`() {
        let text = "time,a\r\n1,1\r\n2,2\r\n"
        #expect(!Self.sheet(ofCSV: text, mostRows: 3).isTooLong)
        #expect(Self.sheet(ofCSV: text, mostRows: 2).isTooLong)
        #expect(Self.sheet(ofCSV: "").0.contains(">time</t>"))
    }

    @Test func `cells that contain the table's separator are quoted`() {
        var writer = RowWriter(.csv, columns: ["a", "b", "c"], separator: ";")
        var output: [UInt8] = []
        writer.append(
            Row("x", ["a": .text("1;2"), "b": .text("3,4"), "c": .number(5.5)]), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "a;b;c\r\n\"1;2\";\"3,4\";5.5\r\n")
    }
}
