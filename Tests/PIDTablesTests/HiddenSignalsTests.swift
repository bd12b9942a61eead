import PIDTables
import Testing

@Suite struct `Signals that a user's record hides` {
    private static func hidden(_ text: String) -> [HiddenSignals] {
        PIDTables.hidden(by: [TableFile(path: "mine.pids", contents: Array(text.utf8))])
    }

    @Test func `built-in signals that the record does not name are listed`() {
        let text = """
            record 01:0C 2 : Engine speed
              source : somebody
              signal TACHO A..B scale 1/4 unit rpm : Engine speed
            record 22:1310 1 : Oil
              source : somebody
              signal OIL A : Oil
            """
        let found = Self.hidden(text)
        #expect(found.map(\.signals) == [["RPM"]])
        #expect(found.map(\.line) == [1] && found.map(\.file) == ["mine.pids"])
    }

    @Test func `a record with the same names hides no signal, a faulty record hides none either`() {
        #expect(
            Self.hidden(
                "record 01:0C 2 : Speed\n  source : x\n  signal RPM A..B unit rpm : Speed\n"
            ).isEmpty)
        #expect(Self.hidden("record 01:0C\n").isEmpty)
    }
}
