import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct TableLintTests {
    private func lint(_ text: String) -> [TableFinding] {
        PIDTables.lint([TableFile(path: "f", contents: Array(text.utf8))])
    }

    private let sound = """
        record 22:1000 3 : R
          signal F A.0 flag : Fitted
          signal T B scale 1/2 offset -40 unit °C if F none FF : Temperature
          signal P C signed unit kPa : Pressure
          example 01 78 80 T=20.0 P=-128 : manual
          example 01 FF 7F T=none P=127 : manual
          example 00 00 00 T=unsupported P=0 : manual
        """

    @Test func `A correct table has no findings`() {
        #expect(lint(sound).isEmpty)
    }

    // Each case breaks one line of a correct table (a pattern and its replacement).
    @Test(arguments: [
        ("signal P C", "signel P C", 4, TableFinding.Kind.text(.unknownWord("signel"))),
        ("T=20.0", "T=20.5", 5, .example("T", said: "20.5", decoded: "20")),
        ("T=none", "T=87.5", 6, .example("T", said: "87.5", decoded: "none")),
        ("T=unsupported", "T=-40.0", 7, .example("T", said: "-40", decoded: "unsupported")),
        ("01 78 80", "01 78", 5, .exampleLength(2, wanted: 3...3)),
        ("scale 1/2", "scale 0", 3, .noFactor("T")),
        ("none FF", "none 1FF", 3, .code("T", raw: 0x1FF)),
        ("A.0 flag", "A.1..A.0 number", 3, .wideFlag("F")),
    ])
    func `Each fault gives one finding`(
        pattern: String, replacement: String, line: Int, kind: TableFinding.Kind
    ) throws {
        let findings = lint(sound.replacing(pattern, with: replacement))
        let finding = try #require(findings.first { $0.kind == kind }, "\(findings)")
        #expect(finding.line == line)
        #expect(finding.isError)
    }

    @Test(
        arguments: [
            ("label 03 : Drive", nil), ("label 03 : a\n  label 03 : b", .code("G", raw: 3)),
            ("label 100 : a", .code("G", raw: 0x100)),
            ("point 00 1\n  point FF 2\n  label 03 : Drive", .labels("G")),
            ("label 03", .text(.missing("the text after ` : `"))),
        ] as [(String, TableFinding.Kind?)])
    func `numbers may have names for raw values`(lines: String, kind: TableFinding.Kind?) {
        let text = "record 22:1000 1 : R\n  signal G A unverified : Gear\n  "
        #expect(lint(text + lines).map(\.kind) == (kind.map { [$0] } ?? []))
    }

    @Test func `only numbers and enumerations have labels`() {
        let text = "record 22:1000 1 : R\n  signal G A.0 flag : F\n  label 01 : on"
        #expect(lint(text).map(\.line) == [3])
    }

    @Test func `Shared bits need a flag or a condition that separates them`() {
        func overlaps(_ second: String) -> Bool {
            lint(
                """
                record 22:1000 2 : R
                  signal F A.7 flag : F
                  signal G A.6 flag : G
                  signal X B if F : X
                  signal Y \(second) : Y
                """
            ).contains { $0.kind == .overlap("Y", "X") }
        }
        #expect(overlaps("B if F"))
        #expect(overlaps("B.0 if F"))
        #expect(!overlaps("B if G"))
        #expect(!overlaps("B if F=0"))
        #expect(overlaps("8+2 little if F"))
    }

    @Test func `Signals follow the order of bits`() {
        let findings = lint(
            "record 22:1 2 : R\nsignal X B unverified : X\nsignal Y A unverified : Y")
        #expect(findings.map(\.kind) == [.order("Y", after: "X")])
    }

    @Test func `Duplicates are found across all files`() {
        let one = "record 22:1 1 : R\nsignal X A unverified : X\n alias ex\n"
        func lint(_ other: String) -> [TableFinding.Kind] {
            PIDTables.lint([
                TableFile(path: "a", contents: Array(one.utf8)),
                TableFile(path: "b", contents: Array(other.utf8)),
            ]).map(\.kind)
        }
        #expect(
            lint("record 22:1 1 : R\nsignal Y A unverified : Y")
                == [.doubleRecord(DataID(.readData, 1), firstLine: 1)])
        #expect(
            lint("record 22:2 1 : R\nsignal x A unverified : Other")
                == [.doubleSignal("x", firstLine: 2)])
        #expect(
            lint("record 22:2 1 : R\nsignal Y A unverified : Y\nalias ex")
                == [.doubleAlias("ex", firstLine: 2)])
        // A different ECU, a different service, or the same signal in a second record.
        #expect(lint("record 22:1 1 : R\nreply 7E9\nsignal X A unverified : X").isEmpty)
        #expect(lint("record 21:1 1 : R\nsignal X A unverified : Other").isEmpty)
        #expect(lint("record 22:2 1 : R\nsignal X A unverified : X").isEmpty)
    }

    @Test func `The code of a label is unique and fits the bits`() {
        let findings = lint(
            """
            record 22:1 1 : R
              signal X A.3..A.0 enum unverified : X
                01 : one
                01 : two
                10 : sixteen
            """)
        #expect(findings.map(\.kind) == [.code("X", raw: 1), .code("X", raw: 0x10)])
    }

    @Test func `A row without a second source is a warning`() {
        let findings = lint(
            """
            record 22:1 4 : R
              signal X A : X
              signal Y B signed : Y
              signal Z C..D scale 79/1000 : Z
              example 00000000 Y=0 Z=0 : s
              example 000000FF Z=20.1 : s
            """)
        #expect(
            findings.map(\.kind) == [.noExample("X"), .noExtreme("Y"), .coarse("Z", said: "20.1")])
        #expect(findings.allSatisfy { !$0.isError })
    }

    // The table's value for the last byte is 79/1000 × 255 = 20.145.
    @Test(arguments: [
        ("20.145", true), ("20.14", true), ("20.15", true), ("20.13", false), ("20.16", false),
    ])
    func `The value of an example has to agree in all of its digits`(said: String, holds: Bool) {
        let findings = lint(
            "record 22:1 1 : R\nsignal Z A scale 79/1000 : Z\nexample FF Z=\(said) : s")
        #expect(findings.isEmpty == holds, "\(findings)")
    }

    @Test func `An example can state a value of any kind`() {
        let findings = lint(
            """
            record 22:1 11 : R
              signal N A unit V : N
              signal F B.7 flag : F
              signal E B.6..B.0 enum : E
                02 : two
              signal C C..D code : C
              signal M E..H map : M
              signal T I..J text : T
              signal B K bytes : B
              signal Q K if F=0 unverified : Q
              example 05 82 0133 80000001 4120 AB N=5 F=1 E=2 C=P0133 M=80000001 T=A B=AB Q=absent : s
              example 05 03 0000 80000001 4142 AB F=0 E=undefined C=none T=AB Q=171 : s
              example 05 N=5 F=short : s
            """)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test func `Findings are printed in the format of compiler errors`() {
        let finding = TableFinding(file: "own.pids", line: 7, .noExample("X"))
        #expect(finding.description == "own.pids:7: warning: no example shows X")
        let error = TableFinding(file: "own.pids", line: 3, .wideFlag("F"))
        #expect(
            error.description == "own.pids:3: error: F is used as a flag but is not a single bit")
    }

    @Test func `Examples of users' tables must be readable`() {
        let row = "record 22:1 1 : R\nsignal X A : X\n"
        #expect(
            lint(row + "example 0G X=1 : s").map(\.kind)
                == [.text(.malformed("0G", wanted: "data bytes or SIGNAL=VALUE"))])
        #expect(
            lint(row + "example 01 Y=1 : s").map(\.kind) == [.text(.unknownSignal("Y"))])
        #expect(
            lint(row + "example 01 X=one : s").map(\.kind)
                == [.text(.malformed("one", wanted: "a value of X"))])
        #expect(lint(row + "example X=1 : s").map(\.kind) == [.text(.missing("the data"))])
        #expect(lint(row + "example 01 : s").map(\.kind) == [.text(.missing("a value"))])
        #expect(
            lint(row + "example 01 X=1").map(\.kind)
                == [.text(.missing("the text after ` : `"))])
    }

    private func decoded(_ text: String) throws -> [TableFinding] {
        let findings = lint(text)
        // If the reader refused the table, every case below would pass for the wrong reason.
        #expect(!findings.contains { if case .text = $0.kind { true } else { false } })
        return findings
    }

    // Digits, IEEE 754 (1.5 is 3FC00000, -2 is C000000000000000), curves, parts and shares, all
    // calculated by hand.
    @Test(arguments: [
        "signal X A..B bcd : X\nexample 0000 X=0 : h\nexample 1234 X=1234 : h\nexample 9999 X=9999 : h\n"
            + "example 12A4 X=undefined : h",
        "signal X A bcd scale 1/10 offset -1 : X\nexample 99 X=8.9 : h\nexample 00 X=-1.0 : h",
        "signal X A..D float : X\nexample 3FC00000 X=1.5 : h\nexample C0000000 X=-2 : h\n"
            + "example 7FC00000 X=none : h\nexample FF800000 X=none : h",
        "signal X A..D float little : X\nexample 0000C03F X=1.5 : h",
        "signal X A..H float : X\nexample C000000000000000 X=-2 : h",
        "signal X A : X\npoint 10 0\npoint 20 100\npoint 40 -100\nrange -100..100\n"
            + "example 10 X=0 : h\nexample 18 X=50 : h\nexample 20 X=100 : h\nexample 30 X=0 : h\n"
            + "example 40 X=-100 : h\nexample 0F X=undefined : h\nexample 41 X=undefined : h",
        "signal X A scale 1/2 : X\npiece 80..FF offset -64\nrange 0..191\n"
            + "example 00 X=0.0 : h\nexample 7F X=63.5 : h\nexample 80 X=64 : h\nexample FF X=191 : h",
        "signal X A over Y : X\nsignal Y B scale 1/4 : Y\nexample 0A14 X=2 Y=5.00 : h\n"
            + "example 0A00 X=none : h\nexample 0A X=short : h",
        "signal X A times Y : X\nsignal Y B signed none 7F : Y\nexample 0AFE X=-20 Y=-2 : h\n"
            + "example 0A7F X=none : h\nexample 0180 Y=-128 : h\nexample 017E Y=126 : h",
    ])
    func `numbers that need more than factor and offset are reported`(signals: String) throws {
        let length = signals.contains("A..H") ? 8 : signals.contains("A..D") ? 4 : 2
        let single = !signals.contains("A..") && !signals.contains(" B ")
        let text = "record 22:1000 \(single ? 1 : length) : R\n\(signals)"
        let findings = try decoded(text).filter(\.isError)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test(arguments: [
        ("signal X A : X\npoint 10 0", TableFinding.Kind.points("X")),
        ("signal X A : X\npoint 10 0\npoint 10 1", .points("X")),
        ("signal X A : X\npoint 10 0\npoint 100 1", .points("X")),
        ("signal X A : X\npiece 00..10 scale 2\npiece 10..20 scale 3", .pieces("X")),
        ("signal X A : X\npiece 00..100 scale 2", .pieces("X")),
        ("signal X A : X\npiece 00..10 scale 0", .noFactor("X")),
        ("signal X A over Y : X\nsignal Y B.0 flag : Y", .operand("Y", of: "X")),
        (
            "signal X A over Y : X\nsignal Y B over X : Y", .operand("Y", of: "X")
        ),
        (
            "signal X A offset -40 : X\nrange -40..214",
            .range("X", said: "-40 to 214", computed: "-40.0 to 215.0")
        ),
        (
            "signal X A..B signed : X\nrange 0..65535",
            .range("X", said: "0 to 65535", computed: "-32768.0 to 32767.0")
        ),
    ])
    func `faults of formulas and ranges are reported`(signals: String, kind: TableFinding.Kind)
        throws
    {
        let findings = try decoded("record 22:1000 2 : R\n\(signals)")
        #expect(findings.contains { $0.kind == kind && $0.isError }, "\(findings)")
    }

    @Test func `A stated range must follow from the bits`() throws {
        let text = """
            record 22:1000 3 : R
              signal X A offset -40 none FE..FF : X
                range -40..213
              signal Y B..C signed scale 1/10 : Y
                range -3276.8..3276.7
              example 00 8000 X=-40 Y=-3276.8 : h
              example FD 7FFF X=213 Y=3276.7 : h
            """
        #expect(lint(text).isEmpty)
    }

    // Lines that the decoder ignores.
    @Test(arguments: [
        ("note : x", 1, TableError.Fault.outside("note")), ("range 0..1", 1, .outside("range")),
        ("record 22:1 1 : R\ntitle : X", 2, .unexpected("title", after: "record")),
        (
            "record 22:1 1 : R\nsignal X A : X\nrange 1..0", 3,
            .malformed("1..0", wanted: "a range like -40..215")
        ),
    ])
    func `faults in texts for people are reported`(text: String, line: Int, fault: TableError.Fault)
    {
        #expect(lint(text) == [TableFinding(file: "f", line: line, .text(fault))])
    }
}
