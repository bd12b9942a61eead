import Diagnostics
import Testing

private func signal(_ id: String, _ unit: String) -> Signal {
    Signal(id: id, name: id, bitOffset: 0, bitLength: 8, kind: .number, unit: unit)
}

private let text = """
    # What to look at.
    ECT EOT\t°C\tbelow\t60\tnote\tcold\tWarm it up.\ta public text
    ECT EOT\t°C\tabove\t108\thigh\thigh\tHot.\ta public text
    ECT EOT\t°C\tabove\t118\ttooHigh\ttoo high\tStop.\ta public text
    VPWR\tV\tabove\t15..18\thigh\thigh\tNot 24 V.\ta public text

    """

@Suite struct `Levels of signals` {
    @Test(arguments: [
        ("ECT", "°C", 59.9, "cold"), ("ECT", "°C", 60, nil), ("EOT", "°C", 108, nil),
        ("EOT", "°C", 108.1, "high"), ("ECT", "°C", 119, "too high"), ("ECT", "°F", 119, nil),
        ("RPM", "rpm", 9000, nil), ("VPWR", "V", 15.1, "high"), ("VPWR", "V", 18, "high"),
        ("VPWR", "V", 28, nil), ("ECT", "°C", .nan, nil),
    ])
    func `the last rule that matches a value gives its word`(
        _ id: String, _ unit: String, _ value: Double, _ word: String?
    ) throws {
        let rules = try SignalLevels(text).rules(of: signal(id, unit))
        #expect(rules.rule(for: value)?.word == word)
    }

    @Test(arguments: [
        ("ECT\t°C\tabove\t1\thigh\thigh", SignalLevelError.Fault.cells(6)),
        ("ECT\t°C\tabove\t1\thigh\thigh\t-\tours", .source("ours")),
        ("ECT\t°C\tabove\t1\thigh\thigh\t-\t", .source("")),
        ("ECT\t°C\tabove\tx\thigh\thigh\t-\ta text", .limit("x")),
        ("ECT\t°C\tabove\t1..2..3\thigh\thigh\t-\ta text", .limit("1..2..3")),
        ("ECT\t°C\tabove\tinf\thigh\thigh\t-\ta text", .limit("inf")),
        ("ECT\t°C\tabove\t\thigh\thigh\t-\ta text", .limit("")),
        ("ECT\t°C\tover\t1\thigh\thigh\t-\ta text", .side("over")),
        ("ECT\t°C\tabove\t1\tred\thigh\t-\ta text", .level("red")),
        (
            "ECT\t°C\tabove\t1\thigh\thigh\t-\ta text\nECT\t°F\tabove\t1\thigh\thigh\t-\ta text",
            .unit("°F")
        ),
    ])
    func `an error names the fault in a text`(_ text: String, _ fault: SignalLevelError.Fault) {
        let line = text.contains("\n") ? 3 : 2
        let error = #expect(throws: SignalLevelError.self) {
            try SignalLevels("# Comment\n" + text)
        }
        #expect(error?.line == line)
        #expect(error?.fault == fault)
    }
}
