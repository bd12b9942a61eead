import Formats
import Testing

@Suite struct `Reading CSV` {
    @Test func `quoted cells, line ends within cells and line numbers are read`() {
        var csv = CSVReader(Array("\u{FEFF}a,\"b,\"\"c\"\"\nd\"\r\n\r\n1,2\n3,".utf8))
        #expect(csv.next() == ["a", "b,\"c\"\nd"] && csv.line == 1)
        #expect(csv.next() == ["1", "2"] && csv.line == 4)
        #expect(csv.next() == ["3", ""] && csv.line == 5)
        #expect(csv.next() == nil)
        var other = CSVReader(Array("time;RPM\n1;2\n".utf8))
        #expect(other.next() == ["time", "RPM"])
        #expect(other.hasDecimalComma && !csv.hasDecimalComma)
    }

    /// The first line decides; separators within quotes do not count.
    @Test(arguments: [
        ("time;RPM\n1;2\n", ["1", "2"]), ("time\tRPM\n1\t2\n", ["1", "2"]),
        ("\"time [every 1 s, linear]\";RPM\n1;2\n", ["1", "2"]),
        ("time;Speed, km/h\n1;2\n", ["1;2"]), ("\"a;b\"\n1;2\n", ["1", "2"]),
        ("note\n1;2\n", ["1;2"]),
    ])
    func `cells are separated by commas, semicolons or tabs`(text: String, row: [String]) {
        var csv = CSVReader(Array(text.utf8))
        _ = csv.next()
        #expect(csv.next() == row)
    }

    @Test func `a table for spreadsheets is read back unchanged`() {
        let row = [
            "=1+1", "@a,b", "-5", "'a", "\"q\"", "two\r\nlines", "\ttab", "", "é;", "1.5e3",
        ]
        var csv = CSVReader(line(row))
        #expect(csv.next()?.map(CSVReader.undefused) == row)
        #expect(csv.next() == nil)
    }

    /// `Double("3\0,=1+1")` is 3.
    @Test func `a NUL does not end a number`() {
        #expect(CSVReader.number("3\0,=1+1") == nil && CSVReader.number("-1.5e3") == -1500)
        var csv = CSVReader(line(["3\0,=1+1"]))
        #expect(csv.next()?.count == 1)
    }

    /// A line with these cells.
    private func line(_ cells: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (place, cell) in cells.enumerated() {
            if place > 0 { bytes.append(0x2C) }
            FieldValue.text(cell).appendCSV(to: &bytes)
        }
        return bytes + Array("\r\n".utf8)
    }
}
