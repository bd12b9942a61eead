import Diagnostics
import OBDCore
import Testing
import TripImport

/// Numbers that only the rest of the file can settle: `1.726` is 1726 where commas are decimal.
@Suite struct `The decimal signs of a file` {
    /// The numbers of the second column of a log with such rows.
    private func numbers(_ rows: String, _ name: String = "Foo") throws -> [Double?] {
        let separator = rows.contains(";") ? ";" : rows.contains("\t") ? "\t" : ","
        let cells = rows.split(separator: "\n")[0].replacing(/"[^"]*"/, with: "1")
        let count = cells.split(separator: Character(separator)).count
        let others = (1..<max(count, 2)).map { separator + "Bar \($0)" }.joined()
        let lines = rows.split(separator: "\n").enumerated().map { index, row in
            "2024-03-08 10:00:0\(index)\(separator)\(row)\n"
        }.joined()
        let file = try ImportedFile("time\(separator)\(name)\(count > 1 ? others : "")\n\(lines)")
        return file.values.filter { !$0.signal.hasPrefix("Bar") }.map {
            if case .number(let number) = $0.value { number } else { nil }
        }
    }

    @Test(
        arguments: [
            // The column shows its sign.
            ("1.726;50\n950,25;51", [1726, 950.25]),
            ("1.726;50\n1.900,5;51", [1726, 1900.5]),
            ("1,726;50\n950.25;51", [1726, 950.25]),
            ("1,726;50\n0,500;51", [1.726, 0.5]),
            ("13.902;50\n0.123;51", [13.902, 0.123]),
            ("1.726;50\n1.234.567;51", [1726, 1_234_567]),
            ("1.726\t50\n950,25\t51", [1726, 950.25]),
            ("\"1.726\",50\n\"950,25\",51", [1726, 950.25]),
            // Other columns show it.
            ("1.726;50,5\n950;51", [1726, 950]), ("1,726;50.5\n950;51", [1726, 950]),
            ("\"1,726\",50.5\n\"1,900\",51.5", [1726, 1900]),
            ("\"1.726\",\"12,5\"", [1726]),
            // The column counts more than the file.
            ("1.726;50,5\n950.5;51", [1.726, 950.5]),
            // Where commas separate cells, a point alone is the decimal one.
            ("14.700,50\n13.902,51", [14.7, 13.902]),
            // Nothing settles it, or two columns contradict each other.
            ("1.726;50\n950;51", [950]), ("1,726;50\n950;51", [950]),
            ("\"1,726\",50\n950,51", [950]), ("1.726;50,5;50.5", []),
            ("1.726;50\n950,25;51\n950.25;52", [950.25, 950.25]),
            // Blanks and apostrophes only separate groups.
            ("1 726,5;50", [1726.5]), ("1\u{A0}726;50", [1726]), ("1\u{202F}726,500;1", [1726.5]),
            ("1'726.5;50", [1726.5]), ("1’726;50", [1726]),
            // India groups by two digits, Arabic and Persian have digits of their own.
            ("\"12,34,567\",1.5", [1_234_567]), ("١٬٧٢٦٫٥;50", [1726.5]), ("۱۷۲۶;50", [1726]),
            ("\u{200E}−12;50", [-12]),
        ] as [(String, [Double])])
    func `other numbers decide the meaning of a sign before three digits`(
        rows: String, expected: [Double]
    ) throws {
        #expect(try numbers(rows) == expected)
    }

    @Test func `a number that stays ambiguous is counted`() throws {
        let file = try ImportedFile(
            "time;Engine RPM (rpm);Speed (km/h)\n2024-03-08 10:00:00;1.726;50\n"
                + "2024-03-08 10:00:01;1.900;51\n")
        #expect(file.values.map(\.signal) == ["VSS", "VSS"])
        #expect(file.skipped.columns == ["Engine RPM (rpm)": 2])
        #expect(file.skipped.firstCell?.reason == "\"1.726\" may be 1.726 or 1726")
    }

    /// Torque repeats its heading when it resumes.
    @Test func `numbers before a repeated heading count`() throws {
        let file = try ImportedFile(
            "time;Foo;Bar\n2024-03-08 10:00:00;12,5;1\ntime;Foo;Bar\n2024-03-08 10:00:01;1;1.726\n")
        #expect(file.values.last == .init("Bar", 1726, ""))
    }

    /// No vehicle has 13,902 V, 50,123 km/h or a place at 48,137 degrees.
    @Test(
        arguments: [
            ("Control module voltage (V);RPM", "13,902;1,726", ["VPWR": 13.902]),
            ("Vehicle speed (km/h);RPM", "50.123;1.726", ["VSS": 50.123]),
            ("latitude;longitude;Engine RPM", "48.137;11.575;1.726", ["RPM": nil]),
            ("latitude;longitude;Engine RPM", "48.1371;11.575;1.726", ["RPM": 1.726]),
            ("latitude;longitude;Engine RPM;Foo", "48.1371;11.575;1.726;2,5", ["RPM": 1726]),
        ] as [(String, String, [String: Double?])])
    func `a number that is impossible for its PID decides the sign in its column`(
        heading: String, row: String, expected: [String: Double?]
    ) throws {
        let file = try ImportedFile("time;\(heading)\n2024-03-08 10:00:00;\(row)\n")
        for (signal, number) in expected {
            let found = file.values.first { $0.signal == signal }?.value
            #expect(found == number.map { .number($0) })
        }
    }

    /// Car Scanner has one row per reading: its names are the columns.
    @Test(
        arguments: [
            ("36000,5", "1.726", "50,5", 1726), ("36000.5", "1,726", "50.5", 1726),
            ("36000,5", "1.726,5", "50", 1726.5), ("36000", "1.726", "50", nil),
            ("36000.25", "1.726", "50", 1.726),
        ] as [(String, String, String, Double?)])
    func `all signals of a Car Scanner log settle its decimal sign`(
        time: String, speed: String, other: String, expected: Double?
    ) throws {
        var source = ImportSource()
        source.fileName = "2024-03-08 10-00-00.csv"
        let file = try ImportedFile(
            "SECONDS;PID;VALUE;UNITS\n\"\(time)\";Engine RPM;\"\(speed)\";rpm\n"
                + "\"\(time)\";Vehicle speed;\"\(other)\";km/h\n", from: source)
        let found = file.values.first { $0.signal == "RPM" }?.value
        #expect(found == expected.map { .number($0) })
        #expect(file.skipped.cells == (expected == nil ? 1 : 0))
    }

    /// Only what the program of the profile writes for a missing value is left out without a word.
    @Test(arguments: [
        ("GPS Time,Device Time,Engine Load(%),RPM", "-,2024-03-08 10:00:00,-", 0),
        ("GPS Time,Device Time,Engine Load(%),RPM", "-,2024-03-08 10:00:00,∞", 1),
        ("time,RPM,SPEED,COOLANT_TEMP,RPM", "2024-03-08 10:00:00,1,2,None", 0),
        ("time,Foo,RPM", "2024-03-08 10:00:00,None", 1),
        ("time,Foo,RPM", "2024-03-08 10:00:00,-", 1),
        ("time,Foo,RPM", "2024-03-08 10:00:00,N/A", 1),
        ("time,Foo,RPM", "2024-03-08 10:00:00,NaN", 1),
        ("time,Foo,RPM", "2024-03-08 10:00:00,∞", 1),
        ("time,Foo,RPM", "2024-03-08 10:00:00,", 0),
        ("time,latitude,longitude,altitude,RPM", "2024-03-08 10:00:00,1,2,x", 1),
        ("time,ELM_VOLTAGE,RPM", "2024-03-08 10:00:00,?", 1),
    ])
    func `cells without a number are counted by column`(
        heading: String, row: String, count: Int
    ) throws {
        let file = try ImportedFile("\(heading)\n\(row),900\n")
        #expect(file.values.contains { $0.value == .number(900) })
        #expect(file.skipped.cells == count && file.skipped.columns.values.reduce(0, +) == count)
    }
}
