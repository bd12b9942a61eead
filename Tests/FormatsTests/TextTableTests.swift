import Diagnostics
import Formats
import OBDCore
import Testing

@Suite struct `A table for people` {
    @Test func `a table cell is printable whatever its text`() {
        var table = TextTable([("A", .left), ("B", .right)])
        table.add([.init("\u{1B}]0;x\u{07}"), "1"])
        #expect(
            table.text(Palette(isOn: false)) == """
                A             B
                \\x1B]0;x\\x07  1

                """)
    }

    @Test func `for ASCII terminals signs become words before columns are laid out`() {
        var table = TextTable([("A", .left), ("B", .left)])
        table.add([.init("3…40 °C"), "x"])
        table.add(["12 Ω", "y"])
        #expect(
            table.text(Palette(isOn: false, isASCII: true)) == """
                A         B
                3...40 C  x
                12 Ohm    y

                """)
        #expect(table.text(Palette(isOn: false)).contains("3…40 °C  x"))
    }

    @Test func `a terminal with room shows the names of ECUs`() throws {
        let engine = try #require(ECUAddress("7E8"))
        let other = try #require(ECUAddress("7EA"))
        let names = ECUNames(own: [engine: "ECM-EngineControl"])
        var table = TextTable([("ECU", .left), ("SIGNAL", .left)])
        table.add([.init(engine, names), "RPM"])
        table.add([.init(other, names), "RPM"])
        table.add([.init(nil, names), "RPM"])
        let plain = Palette(isOn: false)
        let short = """
            ECU  SIGNAL
            7E8  RPM
            7EA  RPM
            —    RPM

            """
        #expect(
            table.text(plain, columns: 20) == """
                ECU           SIGNAL
                Engine (7E8)  RPM
                7EA           RPM
                —             RPM

                """)
        #expect(table.text(plain, columns: 19) == short)
        // Programs read addresses.
        #expect(table.text(plain) == short)
    }

    /// Without its empty column, 4 + 16 + 15 + 13 + 4 cells, and two between each two.
    private static var wide: TextTable {
        var table = TextTable(
            [
                ("TRIP", .right), ("START", .left), ("USED", .right), ("", .left), ("EACH", .right),
                ("END", .right),
            ], spare: [[5]])
        table.add(["1", "2026-11-29 05:10", "0.28 ± 0.01 kWh", "", "35 kWh/100 km", "78.3"])
        return table
    }

    @Test(arguments: [
        (
            60,
            """
            TRIP  START                        USED           EACH   END
               1  2026-11-29 05:10  0.28 ± 0.01 kWh  35 kWh/100 km  78.3

            """
        ),
        (
            50,
            """
            TRIP  START              USED           EACH   END
               1  2026-11-29  0.28 ± 0.01  35 kWh/100 km  78.3
                  05:10               kWh

            """
        ),
        (
            42,
            """
            TRIP  START              USED         EACH
               1  2026-11-29  0.28 ± 0.01           35
                  05:10               kWh   kWh/100 km

            """
        ),
        (
            40,
            """
            TRIP   1
            START  2026-11-29 05:10
            USED   0.28 ± 0.01 kWh
            EACH   35 kWh/100 km
            END    78.3

            """
        ),
    ])
    func `a wide table leaves out empty columns, folds, and leaves out spare columns`(
        _ columns: Int, _ text: String
    ) {
        #expect(Self.wide.text(Palette(isOn: false), columns: columns) == text)
    }

    @Test(arguments: [
        ("21 °C", "21 C"), ("70 °F", "70 F"), ("12.0 °", "12.0 deg"), ("12°", "12 deg"),
        ("°/s", "deg/s"), ("0×", "0x"), ("“a” ‘b’", "\"a\" 'b'"), ("3…40", "3...40"),
        ("≤ 400", "<= 400"), ("≥ 600", ">= 600"), ("120 N·m", "120 N.m"), ("a · b", "a - b"),
        ("CO₂", "CO2"), ("12 Ω", "12 Ohm"), ("5 µs", "5 us"), ("—", "-"), ("±5", "+-5"),
        ("日本", "????"), ("plain", "plain"), ("", ""),
    ])
    func `signs outside ASCII become ASCII text`(_ text: String, _ expected: String) {
        #expect(asciiWords(text) == expected)
    }
}
