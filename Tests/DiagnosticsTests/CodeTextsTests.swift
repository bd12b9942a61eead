import Diagnostics
import OBDCore
import Testing

@Suite struct `Texts of codes` {
    private static let lines = [
        "# a heading", "# another", "C0020\tABS pump", "P0001\tfirst", "P0133\tresponds slowly",
        "P0301\tmisfire", "P0A0F\tlast",
    ]
    private let texts = CodeTexts(
        [
            .bytes(Array(lines.joined(separator: "\n").utf8)),
            .embedded("U0100\tno communication\n"),
        ],
        failureTypes: [.embedded("# types\n01\telectrical\n11\tshort to ground\n")])

    @Test(
        arguments: [
            ("C0020", "ABS pump"), ("P0001", "first"), ("P0133", "responds slowly"),
            ("P0301", "misfire"), ("P0A0F", "last"), ("U0100", "no communication"),
            ("P0302", nil), ("B0001", nil), ("U3FFF", nil), ("P0000", nil), ("P0A10", nil),
        ] as [(String, String?)])
    func `only the codes of the list have a text`(code: String, text: String?) throws {
        #expect(texts.text(of: try #require(DTC(code))) == text)
    }

    @Test func `failure types have a text and a category`() {
        #expect(texts.text(ofFailureType: 0x11) == "short to ground")
        #expect(texts.text(ofFailureType: 0x1D) == nil)
        #expect(texts.text(ofFailureCategory: 0x1D) == "electrical")
        #expect(texts.text(ofFailureType: 0x00) == nil)
    }

    @Test func `an empty file has no text`() throws {
        let code = try #require(DTC("P0301"))
        #expect(CodeTexts([]).text(of: code) == nil)
        #expect(CodeTexts([.embedded("")]).text(of: code) == nil)
        #expect(CodeTexts([.embedded("# nothing\n")]).text(of: code) == nil)
        #expect(CodeTexts([.embedded("\n\n\n")]).text(of: code) == nil)
    }

    // Ranges: SAE J2012, "P0xxx, P2xxx, P34xx–P3Fxx" standard and so on.
    @Test(
        arguments: [
            ("P0301", .powertrain, .standard, "Ignition and misfire"),
            ("P1407", .powertrain, .manufacturer, "Auxiliary emission controls"),
            ("P2096", .powertrain, .standard, "Fuel and air metering, auxiliary emission controls"),
            ("P3000", .powertrain, .manufacturer, nil), ("P33FF", .powertrain, .manufacturer, nil),
            ("P3400", .powertrain, .standard, nil),
            ("P0A0F", .powertrain, .standard, "Hybrid and electric propulsion"),
            ("P0D00", .powertrain, .standard, nil),
            ("P2A26", .powertrain, .standard, "Fuel and air metering, auxiliary emission controls"),
            ("P2BA7", .powertrain, .standard, "Fuel and air metering, auxiliary emission controls"),
            ("P2CCA", .powertrain, .standard, nil),
            ("P0741", .powertrain, .standard, "Transmission"),
            ("C0035", .chassis, .standard, "Brakes, steering and stability"),
            ("C0300", .chassis, .standard, nil), ("C1234", .chassis, .manufacturer, nil),
            ("C3000", .chassis, .reserved, nil), ("B2AAA", .body, .manufacturer, nil),
            ("B0001", .body, .standard, "Occupant restraints"),
            ("U0001", .network, .standard, "Bus and its wiring"),
            ("U0100", .network, .standard, "Lost communication"),
            ("U0328", .network, .standard, "Software compatibility"),
            ("U0593", .network, .standard, "Data from other modules"),
            ("U1100", .network, .manufacturer, nil), ("U3000", .network, .standard, nil),
        ] as [(String, CodeStructure.System, CodeStructure.Owner, String?)])
    func `the digits tell system, owner and area`(
        code: String, system: CodeStructure.System, owner: CodeStructure.Owner, area: String?
    ) throws {
        let structure = CodeStructure(try #require(DTC(code)))
        #expect(structure.system == system)
        #expect(structure.owner == owner)
        #expect(structure.area == area)
    }

    @Test func `the structure of a code depends on its letter`() {
        for code in UInt16.min...UInt16.max {
            #expect(CodeStructure(DTC(code)).system.rawValue == String(DTC(code).text.prefix(1)))
        }
    }

    // Bits: ISO 14229-1, annex D.
    @Test func `the severity byte of a code becomes words`() {
        #expect(CodeSeverity(0x84).advice == .immediately)
        #expect(CodeSeverity(0x20).advice == .maintenance)
        #expect(CodeSeverity(0x00).advice == nil)
    }
}

@Suite struct `Monitor tables` {
    @Test(
        arguments: [
            (.monitors, "01\tOxygen sensor", .columns(expected: 3, found: 2)),
            (.monitors, "1\tOxygen sensor\t", .malformed("1", wanted: "two hexadecimal digits")),
            (.monitors, "01\t\t", .malformed("", wanted: "a text")),
            (.monitors, "01\tA\tsome", .malformed("some", wanted: "`misfire`, `other` or empty")),
            (.monitors, "01\tA\t\n01\tB\tother", .double("01")),
            (.tests, "01\tA\t1/0\tV\t0", .malformed("1/0", wanted: "a factor like 3 or 1/4")),
            (.tests, "01\tA\t1/4\tV\t1", .malformed("1", wanted: "0 or 2 limits")),
            (.scalings, "01\t1\tx\t\tcount", .malformed("x", wanted: "a number")),
            (.scalings, "01\t1\t0\t\tcount\n01\t1\t0\t\tcount", .double("01")),
            (
                .readiness, "x\tX\t2001\t\t1\t\nx\tX\t1996\t2000\t2\t",
                .malformed("1996", wanted: "a year after those of the row above")
            ),
        ] as [(MonitorTables.File, String, MonitorTableError.Fault)])
    func `a fault in a list of texts names its line`(
        file: MonitorTables.File, text: String, fault: MonitorTableError.Fault
    ) {
        var tables = MonitorTables()
        let error = #expect(throws: MonitorTableError.self) {
            try tables.add("# heading\n\n" + text, of: file)
        }
        #expect(error?.fault == fault)
        #expect(error?.file == file.rawValue)
        #expect(error.map { $0.line > 2 } == true)
    }
}

@Suite struct `Readiness of a vehicle` {
    private static let rules = "x\tX\t1996\t2000\t2\t\nx\tX\t2001\t\t1\t\n"

    /// The answers to 01 01.
    ///
    /// The address of each ECU is 7E8 plus the number.
    private func readiness(_ answers: [(UInt32?, String)]) throws -> (Readiness, ReadinessRules) {
        var tables = MonitorTables()
        try tables.add(Self.rules, of: .readiness)
        var decoder = ResponseDecoder(table: TestTable.pids, monitors: tables)
        var items: [DiagnosticItem] = []
        for (digit, answer) in answers {
            decoder.decode(
                ECUMessage(
                    ecu: digit.map { ECUAddress(0x7E8 + $0, .can11) },
                    payload: Hex.bytes(answer) ?? []),
                in: Exchange(request: [0x01, 0x01], family: .can), &items)
        }
        return (Readiness(items, table: TestTable.pids), tables.readiness)
    }

    // 40 CFR 85.2222 (c) allows two incomplete monitors for 1996–2000, and one from 2001 on.
    @Test(
        arguments: [
            ("410100076500", 2010, true), ("410100076504", 2010, true),
            ("410100076524", 2010, false), ("410100076524", 1998, true),
            ("410100076565", 1998, false), ("410100076524", nil, false),
            ("410100076504", nil, true), ("410100076504", 1990, nil),
        ] as [(String, Int?, Bool?)])
    func `the inspection rule depends on the model year`(
        answer: String, year: Int?, tolerates: Bool?
    ) throws {
        let (readiness, rules) = try readiness([(0, answer)])
        let rule = rules.rules(modelYear: year).first
        #expect(rule?.tolerates(readiness.incomplete) == tolerates)
    }

    @Test func `the readiness of all ECUs is combined, and each ECU's is kept`() throws {
        let (readiness, _) = try readiness([(0, "410100076504"), (1, "410182040040")])
        #expect(readiness.ecus.count == 2)
        #expect(readiness.lampIsOn == true)
        #expect(readiness.ecus.map(\.codeCount) == [0, 2])
        #expect(readiness.incomplete == [.evaporative])
        #expect(
            readiness.supported == [
                .misfire, .fuelSystem, .components, .catalyst, .evaporative, .oxygenSensor,
                .oxygenSensorHeater,
            ])
    }

    // Two ECUs of an adapter without headers: one light is on, and there are three codes.
    @Test(arguments: [["41018207E504", "410101040000"], ["410101040000", "41018207E504"]])
    func `without addresses the light of any ECU and the codes of all count`(
        answers: [String]
    ) throws {
        let (readiness, _) = try readiness(answers.map { (nil, $0) })
        #expect(readiness.ecus.count == 1)
        #expect(readiness.lampIsOn == true)
        #expect(readiness.ecus.map(\.codeCount) == [3])
    }

    @Test func `a second answer of an ECU replaces the first`() throws {
        let (readiness, _) = try readiness([(0, "410100076504"), (0, "410101076500")])
        #expect(readiness.ecus.count == 1)
        #expect(readiness.incomplete.isEmpty)
        #expect(readiness.ecus.map(\.codeCount) == [1])
    }
}
