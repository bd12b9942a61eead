import OBDCore
import Testing

@testable import Diagnostics

@Suite struct `Explanations of codes` {
    private static let text = """
        # A comment.
        family catalyst : Catalyst
          codes P0420..P0434 P2000
          drive weeks : emissions only
          notice : Nothing.
          cause exhaust leak : Listen.
          cause worn out
          watch o2-b1s2 at P0420..P0424 : It stays calm: always.
          watch o2-b2s2
          note P0421 : Only this one.
          monitors catalyst
          tests 21..22 A1
          sure statistics
        family oil : Oil pressure
          codes P0520
          drive stop : look at the level
          clears : By hand.
        family heated : Heated catalyst
          codes P0425..P0429
          drive note : nothing
        family valve : Valve
          codes P0500..P0509
          trucks SPN94/FMI1
          drive weeks : it is slow
          when electrical P0509
          cause plug : Look at the plug.
          when quantity-low
          cause hose : A workshop looks at the hose.
          when any
          cause valve : Listen at the fan.
          watch rpm
        family voltage : High voltage
          note : Only look.
        hazard high-voltage : Keep away.
          codes P0A00..P0AFF
          says drive motor
          only voltage
        hazard fan : It starts by itself.
          touches fan | hose
          harmless fan heater
        meaning open : Open
          says circuit open | open or broken*
          types 13
          modes 5
        meaning signal-low : Too low
          says signal too low
          types 11
          modes 4
          cause wiring : Look.
        meaning signal-high : Too high
          says signal too high
        meaning quantity-low : Really low
          says too low
          modes 1
        answer stop P0505 SPN110/FMI4 : it breaks
        monitor catalyst : Drive steadily.
        together battery : The battery.
          needs 1 P0562
          voltage 12.0
          needs 2 U0100..U01FF
        together both : Both banks.
          needs 1 P0171
          needs 1 P0174
        """

    private func explanations() throws -> CodeExplanations {
        try CodeExplanations(Self.text)
    }

    private func code(_ text: String) throws -> DTC { try #require(DTC(text)) }

    @Test func `a family gives all parts of a code's explanation`() throws {
        let explanations = try explanations()
        let code = try code("P0421-11")
        let said = try #require(explanations.explanation(of: code, text: "A text"))
        #expect(said.family == "catalyst")
        #expect(said.drive == .weeks)
        #expect(said.driveReason == "emissions only")
        #expect(said.notice == "Nothing.")
        #expect(said.notes == ["Only this one."])
        #expect(said.causes.map(\.what) == ["exhaust leak", "worn out"])
        #expect(said.causes.map(\.check) == ["Listen.", ""])
        #expect(said.watch?.signals == ["o2-b1s2"])
        #expect(said.watch?.meaning == "It stays calm: always.")
        #expect(said.monitors == [.catalyst])
        #expect(said.tests == [0x21...0x22, 0xA1...0xA1])
        #expect(said.certainty == .statistics)
        #expect(said.clears.contains("obdscan dtc clear"))
        #expect(explanations.drives == [.catalyst: "Drive steadily."])
    }

    @Test func `signals listed without codes apply to all other codes`() throws {
        let said = try explanations().explanation(of: code("P2000"), text: "A text")
        #expect(said?.watch?.signals == ["o2-b2s2"])
        #expect(said?.notes == [])
    }

    @Test(arguments: [
        ("P0420", "catalyst"), ("P0424", "catalyst"), ("P0425", "heated"), ("P0429", "heated"),
        ("P0430", "catalyst"), ("P2000", "catalyst"), ("P0520", "oil"),
    ])
    func `the family with the narrowest range is used`(name: String, family: String) throws {
        #expect(try explanations().family(of: code(name))?.id == family)
    }

    @Test func `a code without a family is explained by the meaning of its text`() throws {
        let explanations = try explanations()
        let code = try code("P0B99")
        let said = explanations.explanation(of: code, text: "Fan: control signal too low")
        #expect(said?.family == "signal-low")
        #expect(said?.drive == nil)
        #expect(said?.certainty == nil)
        // Without causes, the way to clear the code is still known.
        let other = explanations.explanation(of: code, text: "Fan: no mode")
        #expect(other?.family == "none" && other?.causes == [])
        #expect(other?.clears.hasPrefix("Repair first") ?? false)
        #expect(explanations.explanation(of: code, text: nil) == nil)
        let catalyst = try self.code("P0426")
        #expect(explanations.explanation(of: catalyst, text: nil) == nil)
    }

    // The kind, the status byte, whether the code is active, and the advice for P0420. P0520 always
    // gets "stop".
    @Test(arguments: [
        (CodeReport.Kind.stored, UInt8?.none, Bool?.none, DriveAdvice?.some(.weeks)),
        (.permanent, nil, nil, nil),
        (.pending, nil, nil, .note),
        (.stored, 0x2F, nil, .weeks),
        (.stored, 0x28, nil, .note),
        (.stored, 0x00, nil, .weeks),
        (.stored, nil, false, .note),
        (.stored, nil, true, .weeks),
    ])
    func `a fault that is over or was seen once is less urgent, unless it destroys something`(
        kind: CodeReport.Kind, status: UInt8?, isActive: Bool?, drive: DriveAdvice?
    ) throws {
        func said(_ name: String) throws -> DriveAdvice? {
            var report = CodeReport(ecu: nil, kind: kind, code: .dtc(try code(name)), line: 0)
            report.statusByte = status
            report.isActive = isActive
            return try explanations().explanation(
                of: code(name), text: "A text", state: .init(report))?.drive
        }
        #expect(try said("P0420") == drive)
        #expect(try said("P0520") == .stop)
    }

    // The severity byte of report 42, the lamps (red, amber, protect, check engine), whether the
    // code is active, and the advice.
    @Test(arguments: [
        (UInt8?.some(0x80), [Bool](), Bool?.none, DriveAdvice.stop),
        (0x40, [], nil, .soon), (0x20, [], nil, .weeks), (0x00, [], nil, .weeks),
        (nil, [true, true, false, true], true, .stop),
        (nil, [false, true, false, true], true, .soon),
        (nil, [false, false, true, false], true, .soon),
        (nil, [false, false, false, true], true, .weeks),
        (nil, [false, false, false, false], true, .weeks),
        (nil, [true, true, true, true], false, .note),
    ])
    func `the vehicle's own advice on driving counts if it is more serious`(
        severity: UInt8?, lamps: [Bool], isActive: Bool?, drive: DriveAdvice
    ) throws {
        var report = CodeReport(ecu: nil, kind: .stored, code: .dtc(try code("P0420")), line: 0)
        report.severity = severity
        report.isActive = isActive
        if lamps.count == 4 {
            report.lamps = .init(
                malfunction: lamps[3], redStop: lamps[0], amberWarning: lamps[1],
                protect: lamps[2])
        }
        let state = CodeExplanations.State(report)
        let explanations = try explanations()
        let catalyst = explanations.explanation(
            of: try code("P0420"), text: "A text", state: state)
        #expect(catalyst?.drive == drive)
        // A code of SAE J1939 has no family, so only the vehicle's advice counts.
        let lorry = J1939Code(spn: 111, fmi: 0, occurrenceCount: 1, conversionMethod: false)
        let said = explanations.explanation(of: lorry, text: "Coolant: hot", state: state)
        let isSilent = severity ?? 0 < 0x40 && isActive ?? true && !lamps.contains(true)
        #expect(said?.drive == (isSilent ? nil : drive))
    }

    @Test func `a code of SAE J1939 is explained by its failure mode`() throws {
        let code = J1939Code(spn: 111, fmi: 4, occurrenceCount: 1, conversionMethod: false)
        let said = try explanations().explanation(
            of: code, text: "Coolant: value too low")
        #expect(said?.family == "signal-low")
        #expect(said?.drive == nil)
        #expect(said?.clears.hasPrefix("obdscan dtc clear") == true)
        let answered = J1939Code(spn: 110, fmi: 4, occurrenceCount: 1, conversionMethod: false)
        #expect(try explanations().explanation(of: answered, text: "A")?.drive == .stop)
        let pressure = J1939Code(spn: 94, fmi: 1, occurrenceCount: 1, conversionMethod: false)
        #expect(try explanations().explanation(of: pressure, text: "A")?.family == "valve")
    }

    // The longest phrase counts; places in parentheses and the letters of parts do not.
    @Test(arguments: [
        ("Valve A (bank 1): circuit open", CodeMeaning.open), ("Valve circuit B open", .open),
        ("Open or broken valve", .open), ("Valve: signal too low (bank 1)", .signalLow),
        ("Fuel pressure too low", .quantityLow), ("Signal too low: else", CodeMeaning.none),
        ("Valve: fault; on some vehicles: circuit open", CodeMeaning.none),
    ])
    func `the text of a code gives its meaning`(text: String, meaning: CodeMeaning) throws {
        let code = try code("P0500")
        #expect(try explanations().meaning(of: code, text: text) == meaning)
    }

    @Test(arguments: [
        ("P0500", "Valve: circuit open", ["plug", "valve"]),
        ("P0500", "Valve pressure too low", ["hose", "valve"]),
        ("P0509", "Valve pressure too low", ["plug", "hose", "valve"]),
        ("P0500-11", "Valve: circuit open", ["plug", "valve"]),
        // The text and the failure type contradict each other: neither is believed.
        ("P0500-11", "Valve: signal too high", ["plug", "valve"]),
    ])
    func `the causes in an explanation fit the meaning of the code's text`(
        name: String, text: String, causes: [String]
    ) throws {
        let code = try code(name)
        let said = try #require(try explanations().explanation(of: code, text: text))
        #expect(said.family == "valve")
        #expect(said.causes.map(\.what) == causes)
        #expect(said.hazards == ["It starts by itself."])
    }

    @Test(
        arguments: [
            ("P0A10", "Valve: signal too low"), ("P0A10", nil),
            ("P0500", "Drive motor: signal too low"),
        ] as [(String, String?)])
    func `a code with a hazard gets no other family's advice`(name: String, text: String?) throws {
        let code = try code(name)
        let said = try #require(try explanations().explanation(of: code, text: text))
        #expect(said.family == "voltage")
        #expect(said.causes == [])
        #expect(said.notes == ["Only look."])
        #expect(said.hazards == ["Keep away."])
        #expect(said.certainty == nil)
    }

    @Test func `contradictions in the text are found`() throws {
        #expect(try explanations().faults == [])
        let text = """
            hazard a : A
              touches fire
              harmless water
              only b
            hazard c : C
              only d
            family d : D
              cause x : Look.
            meaning open : O
              says broken
              types 13
            meaning circuit : C
              says broken
              types 13
            """
        #expect(
            try CodeExplanations(text).faults == [
                "hazard a: no family `b`", "family d: hazard c allows no causes",
                "hazard a: `water` is harmless anyway", "`broken` has two meanings",
                "failure type 19 has two meanings",
            ])
    }

    @Test func `a code with the advice to stop has no signals to watch`() throws {
        let text = "Valve: circuit open"
        #expect(try explanations().explanation(of: code("P0504"), text: text)?.watch != nil)
        let said = try explanations().explanation(of: code("P0505"), text: text)
        #expect(said?.drive == .stop)
        #expect(said?.driveReason == "it breaks")
        #expect(said?.watch == nil)
    }

    @Test func `every explanation has a form without commands of obdscan`() throws {
        var explanations = try explanations()
        explanations.namesCommands = false
        let lorry = J1939Code(spn: 110, fmi: 4, occurrenceCount: 1, conversionMethod: false)
        let clears = [
            explanations.explanation(of: try code("P0421"), text: "A text")?.clears,
            explanations.explanation(of: lorry, text: "Coolant")?.clears,
        ]
        #expect(clears[0]?.hasPrefix("Repair first, then clear the codes. Without it") == true)
        #expect(
            clears[1]
                == "Clear the codes after the repair; this also clears codes that are not active.")
        #expect(explanations.words("Read it[: obdscan dtc|; later].") == "Read it; later.")
        explanations.namesCommands = true
        #expect(explanations.words("Read it[: obdscan dtc|; later].") == "Read it: obdscan dtc.")
        #expect(explanations.words("[a|b] and [c|d]") == "a and c")
        #expect(explanations.words("no [end") == "no [end")
    }

    @Test func `a pending code clears itself`() throws {
        var state = CodeExplanations.State()
        state.kind = .pending
        let explanations = try explanations()
        let pending = explanations.explanation(
            of: try code("P0421"), text: "A text", state: state)
        #expect(pending?.clears.hasPrefix("A pending code goes by itself") == true)
        let ownWay = explanations.explanation(of: try code("P0520"), text: "A text", state: state)
        #expect(ownWay?.clears == "By hand.")
    }

    @Test func `only the vehicle clears a permanent code`() throws {
        var state = CodeExplanations.State()
        state.kind = .permanent
        let explanations = try explanations()
        for code in ["P0421", "P0520"] {
            let found = explanations.explanation(
                of: try self.code(code), text: "A text", state: state)
            #expect(found?.clears.hasPrefix("No scan tool clears a permanent code.") == true)
        }
    }

    @Test(
        arguments: [
            ("PO301", "P0301"), ("p301", "P0301"), ("0301", "P0301"), ("P 0301.", "P0301"),
            ("PI3O1", "P1301"), ("U-0100", "U0100"), ("SPN 100 FMI 1", "SPN100/FMI1"),
            ("P03011", nil), ("P0301-7", nil), ("U0100-1", nil), ("P9999", nil), ("", nil),
            ("coolant", nil), ("SPN 100", nil), ("SPN 9999999 FMI 1", nil),
        ] as [(String, String?)])
    func `the code that a mistyped text means is found`(text: String, code: String?) {
        #expect(CodeReport.Code.meant(by: text) == code)
    }

    // The codes, the voltage, and the findings with their codes.
    @Test(arguments: [
        (["P0171", "P0174"], Double?.none, ["both P0171 P0174"]),
        (["P0171", "P0171-11"], nil, []),
        (["P0562", "U0100", "U0101"], nil, ["battery P0562 U0100 U0101"]),
        (["U0100", "U0101"], nil, []),
        (["U0100", "U0101"], 11.8, ["battery U0100 U0101 at 11.8 V"]),
        (["U0100", "U0101"], 12.0, []),
        (["U0100", "U0100-11"], 11.8, []),
        ([], 9.0, []),
    ])
    func `codes that belong together are explained together`(
        codes: [String], voltage: Double?, findings: [String]
    ) throws {
        let reading = try explanations().reading(of: codes.compactMap { DTC($0) }, voltage: voltage)
        let found = reading.findings.map { finding in
            ([finding.id] + finding.codes.map(\.text)).joined(separator: " ")
                + (finding.voltage.map { " at \($0) V" } ?? "")
        }
        #expect(found == findings)
    }

    @Test(arguments: [
        ("codes P0420", 1, "`codes` comes before the block that it belongs to"),
        ("family a : A\n  colour red", 2, "a line cannot begin with `colour`"),
        ("family a : A\nfamily a : B", 2, "`a` appears twice"),
        ("family a b : A", 1, "`a b` is not one word"),
        ("family a", 1, "`` is not a text"),
        ("family a : A\n  codes P042", 2, "`P042` is not a code or a range of codes"),
        (
            "family a : A\n  codes P0430..P0420", 2,
            "`P0430..P0420` is not a code or a range of codes"
        ),
        ("family a : A\n  codes", 2, "`` is not codes"),
        ("family a : A\n  drive home : yes", 2, "`home` is not stop, soon, weeks or note"),
        ("family a : A\n  drive soon", 2, "`` is not a text"),
        ("family a : A\n  watch : x", 2, "`` is not signals"),
        ("family a : A\n  tests 2G", 2, "`2G` is not a monitor id or a range of them"),
        ("family a : A\n  monitors moon", 2, "`moon` is not a monitor"),
        ("family a : A\n  sure enough", 2, "`enough` is not statistics"),
        ("meaning broken : A", 1, "`broken` is not a meaning"),
        ("meaning open : A\n  modes 32", 2, "`32` is not a failure mode"),
        ("family a : A\n  when ever", 2, "`ever` is not a code or a range of codes"),
        ("family a : A\n  trucks P0420", 2, "`P0420` is not a code of SAE J1939"),
        ("answer never P0420 : x", 1, "`never P0420` is not stop, soon, weeks, note or depends"),
        ("monitor moon : x", 1, "`moon` is not a monitor"),
        ("monitor catalyst : x\nmonitor catalyst : y", 2, "`catalyst` appears twice"),
        ("together a : A\n  needs P0420", 2, "`P0420` is not a number and codes"),
        (
            "together a : A\n  voltage 12", 2,
            "`12` is not a voltage after the line that it applies to"
        ),
        ("together a : A\n  codes P0420", 2, "a line cannot begin with `codes`"),
        ("together a : A\n  first", 2, "`` is not a text"),
        ("step a : A\n  after a : x", 2, "`a` is not a step above this one"),
        ("step a : A\nstep b : B\n  after a", 3, "`` is not a text"),
    ])
    func `an explanation that cannot be read is an error with its line`(
        text: String, line: Int, reason: String
    ) {
        let error = #expect(throws: CodeExplanationError.self) { try CodeExplanations(text) }
        #expect(error?.line == line)
        #expect(error?.reason == reason)
    }
}
