import OBDCore
import Testing

@testable import Formats

@Suite struct `Sheets for spreadsheet programs` {
    /// The check value for CRC-32 in catalogues of checksums.
    @Test func `the checksum of a stored file is the one of ISO 3309`() {
        #expect(ZipArchive.checksum([Array("12345".utf8), Array("6789".utf8)]) == 0xCBF4_3926)
        #expect(ZipArchive.checksum([]) == 0)
    }

    @Test(arguments: [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (702, "AAA")])
    func `columns of a sheet have letters`(column: Int, letters: String) {
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

    @Test func `a rounded number keeps its digits and shows as many decimals as its style has`() {
        let text = Self.sheet([
            .rounded(44.705882, decimals: 1), .rounded(800, decimals: 0),
            .rounded(.nan, decimals: 2),
            .rounded(0.94, decimals: 9),
        ])
        #expect(text.contains("<c r=\"A2\" s=\"5\"><v>44.705882</v></c>"))
        #expect(text.contains("<c r=\"B2\" s=\"4\"><v>800.0</v></c>"))
        #expect(!text.contains("r=\"C2\"") && text.contains("<c r=\"D2\" s=\"7\">"))
        // The styles 4 to 7 have none to three decimals.
        let styles = ["1", "166", "2", "167"].map {
            "<xf numFmtId=\"\($0)\" applyNumberFormat=\"1\"/>"
        }
        #expect(text.contains(styles.joined() + "</cellXfs>"))
        #expect(text.contains("numFmtId=\"166\" formatCode=\"0.0\""))
    }

    @Test func `a summary is a second sheet, and both forms are recognised`() {
        var book = Workbook(title: "trip", columns: [("a", 5)])
        let plain = book.bytes
        book.summary = [[.text("Readings"), .number(4)], [], [.text("a")]]
        let bytes = book.bytes
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("<sheet name=\"Summary\" sheetId=\"2\" r:id=\"summary\"/>"))
        #expect(text.contains("<c r=\"B1\"><v>4.0</v></c>"))
        // The texts of both sheets are in one list, each once.
        #expect(text.contains("<c r=\"A1\" t=\"s\"><v>1</v></c>"))
        #expect(text.ranges(of: ">a</t>").count == 1)
        #expect(Array(bytes.suffix(22))[8..<12].elementsEqual([8, 0, 8, 0]))
        for file in [plain, bytes] {
            #expect(Workbook.beginnings.contains { file.starts(with: $0) })
        }
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
    func `the first cell of a row in a sheet is its time`(cell: String, expected: String) {
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
