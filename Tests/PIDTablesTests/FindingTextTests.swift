import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct `Texts about tables` {
    /// Bits in the form of a table.
    ///
    /// Each text is read and written again.
    @Test(arguments: [
        ("A", "A"), ("B", "B"), ("A..B", "A..B"), ("B..E", "B..E"), ("A.7", "A.7"),
        ("A.0", "A.0"), ("C.3..C.0", "C.3..C.0"), ("A.3..B.0", "A.3..B.0"), ("Z", "Z"),
        ("AA", "AA"), ("AZ", "AZ"), ("AB..AC", "AB..AC"), ("12+4", "B.3..B.0"),
    ])
    func `texts name bits in the same way as tables`(text: String, written: String) throws {
        let table = try PIDTables.load([
            TableFile(
                path: "own.pids",
                contents: Array("record 22:1234 1..99 : R\nsignal X \(text) : X".utf8))
        ])
        let record = try #require(table.record(DataID(.readData, 0x1234)))
        let signal = table[SignalIndex(rawValue: record.signals.lowerBound)]
        #expect(signal.bitsText == written)
    }

    /// The text that a user reads: a position for editors, whether it is an error, and the reason.
    @Test(
        arguments: [
            (
                .doubleRecord(DataID(.readData, 0x1000), firstLine: 3),
                "error: record 22:1000 is in line 3 already"
            ),
            (.noRecord, "warning: the file has no record"),
            (.doubleSignal("T", firstLine: 4), "error: T is a signal of line 4 already"),
            (
                .doubleAlias("temp", firstLine: 4),
                "error: `temp` names the signal of line 4 already"
            ),
            (
                .overlap("Y", "X"),
                "error: Y shares bits with X, and no flag or condition separates them"
            ),
            (.order("Y", after: "X"), "error: Y begins before X: signals must be in bit order"),
            (.wideFlag("F"), "error: F is used as a flag but is not a single bit"),
            (.noFactor("T"), "error: T has the factor 0"),
            (.code("T", raw: 0x1FF), "error: code 1FF of T appears twice or does not fit its bits"),
            (
                .range("T", said: "0 to 1", computed: "0 to 255"),
                "error: T has the stated range 0 to 1, its bits give 0 to 255"
            ),
            (.points("T"), "error: the points of T do not ascend, or are fewer than two"),
            (.pieces("T"), "error: pieces of T overlap or do not fit its bits"),
            (
                .operand("G", of: "T"),
                "error: T cannot be multiplied or divided by G: it is not a plain number"
            ),
            (.exampleLength(2, wanted: 3...3), "error: the example has 2 bytes, the record 3"),
            (.exampleLength(2, wanted: 3...7), "error: the example has 2 bytes, the record 3 to 7"),
            (
                .example("T", said: "20.5", decoded: "20"),
                "error: the example says T=20.5, the row says 20"
            ),
            (
                .coarse("T", said: "2"),
                "warning: T=2 would hold for neighbouring raw values, too: more digits"
            ),
            (
                .labels("T"),
                "error: T has names for raw values, but a formula or more than 53 bits"
            ),
            (.row("T", "it has no bits", isLost: true), "error: T: it has no bits"),
            (.row("", "it has no bits", isLost: false), "warning: it has no bits"),
            (.noExample("T"), "warning: no example shows T"),
            (.noExtreme("T"), "warning: no example shows the smallest and the largest value of T"),
        ] as [(TableFinding.Kind, String)])
    func `a finding has the position, the severity and the reason`(
        kind: TableFinding.Kind, words: String
    ) {
        let finding = TableFinding(file: "own.pids", line: 7, kind)
        #expect(finding.description == "own.pids:7: " + words)
    }

    @Test func `a finding gives the reason why a text cannot be read`() {
        let finding = TableFinding(file: "own.pids", line: 2, .text(.unknownWord("signel")))
        #expect(finding.isError)
        #expect(finding.description.hasPrefix("own.pids:2: error: "))
        #expect(finding.reason.contains("signel"))
    }
}
