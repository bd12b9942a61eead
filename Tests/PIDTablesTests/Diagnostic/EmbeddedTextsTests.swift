import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct `Embedded texts of codes` {
    // Every public list of SAE J2012 codes gives these codes the same meaning.
    @Test(arguments: [
        ("P0301", "Cylinder 1 misfire detected"),
        ("P0300", "Random/multiple cylinder misfire detected"),
        ("P0133", "O2 sensor: responds slowly (bank 1 sensor 1)"),
        ("P0420", "Catalyst system: efficiency below limit (bank 1)"),
        ("P0011", "Camshaft A position: timing too far advanced (bank 1)"),
        ("P2181", "Cooling system: performance fault"),
        ("C0020", "ABS pump motor control: fault"),
        ("P0012", "Camshaft A position: timing too far retarded (bank 1)"),
        ("P0264", "Cylinder 2 injector: signal too low"),
        ("P0266", "Cylinder 2: contribution out of balance"),
        ("P0700", "Transmission control system requests the check engine light"),
        ("U0100", "No communication with ECM/PCM A"),
    ])
    func `well-known codes have the text of every public list`(code: String, text: String) throws {
        #expect(PIDTables.codeTexts().text(of: try #require(DTC(code))) == text)
    }

    @Test func `every code of the public lists is found, and its text is clean`() {
        let texts = PIDTables.codeTexts()
        var found = 0
        for code in UInt16.min...UInt16.max {
            guard let text = texts.text(of: DTC(code)) else { continue }
            found += 1
            // Manufacturers' own codes have different meanings for each manufacturer.
            #expect(CodeStructure(DTC(code)).owner != .manufacturer, "\(DTC(code))")
            #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(text)")
            #expect(text == text.trimmingBlanks, "\(text)")
            #expect(!text.contains("  ") && !text.contains(" -:"), "\(text)")
            #expect(text.count { $0 == "(" } == text.count { $0 == ")" }, "\(text)")
            #expect(text.first?.isLowercase == false && text.last != ".", "\(text)")
        }
        #expect(found == 7242)
    }

    @Test func `a text from only one list is marked`() throws {
        let texts = PIDTables.codeTexts()
        let marked = (UInt16.min...UInt16.max).count { texts.isFromOneList(DTC($0)) }
        #expect(marked == 3007)
        #expect(!texts.isFromOneList(try #require(DTC("P0301"))))
    }

    @Test(
        arguments: [
            (
                "P04AE",
                "in the group of P04AD to P04AF: evaporative emission system purge control valve B"
            ),
            (
                "P008C",
                "between P008B (low pressure fuel system pressure too high) and P008D "
                    + "(fuel cooler pump)"
            ),
            ("P0BC3", nil), ("P1301", nil), ("P0000", nil),
        ] as [(String, String?)])
    func `an unknown code has the topic of its neighbours`(
        name: String, sentence: String?
    ) throws {
        let code = try #require(DTC(name))
        #expect(PIDTables.codeTexts().neighbours(of: code)?.sentence == sentence)
    }

    @Test func `failure types have texts, and undefined ones have their category`() {
        let texts = PIDTables.codeTexts()
        #expect(texts.text(ofFailureType: 0x11) == "Circuit short to ground")
        #expect(texts.text(ofFailureType: 0x87) == "Message missing")
        // The meanings are from a manufacturer's list of three-byte codes: 1A, 1B, 18, 19, 23, 24,
        // 2F, 81 (JCB).
        #expect(texts.text(ofFailureType: 0x1A) == "Circuit resistance too low")
        #expect(texts.text(ofFailureType: 0x18) == "Circuit current too low")
        #expect(texts.text(ofFailureType: 0x23) == "Signal stuck low")
        #expect(texts.text(ofFailureType: 0x2F) == "Signal erratic")
        #expect(texts.text(ofFailureType: 0x00) == nil)
        // This type is not defined, but its category is.
        #expect(texts.text(ofFailureType: 0x1C) == "Circuit voltage out of range")
        #expect(texts.text(ofFailureType: 0x5F) == nil)
        #expect(texts.text(ofFailureCategory: 0x5F) == "System programming fault")
    }

    // Lists of engine manufacturers: Agco Power ("SPN 100, FMI 1, oil pressure LOW, ALARM"; "SPN
    // 105, FMI 3, intake air temp. sensor voltage above normal or open circuit"), Doosan with
    // Cummins engines ("1761 4 ... voltage below normal, or shorted to low source"; "1639 0 fan
    // speed ... above normal, most severe"), Scania DC09 (names of SPN 171 to 190 and of the
    // failure modes).
    @Test(arguments: [
        (UInt32(100), UInt8(1), "Engine oil pressure: value too low (most severe)"),
        (105, 3, "Intake manifold temperature: voltage too high, or short to supply"),
        (1761, 4, "DEF tank 1 level: voltage too low, or short to ground"),
        (1639, 0, "Fan speed: value too high (most severe)"),
        (190, 19, "Engine speed: received network data wrong"),
        (175, 16, "Engine oil temperature: value too high (moderately severe)"),
        (1675, 31, "Engine starter mode: condition exists"),
    ])
    func `codes of SAE J1939 have texts`(spn: UInt32, fmi: UInt8, text: String) {
        let code = J1939Code(spn: spn, fmi: fmi, occurrenceCount: 1, conversionMethod: false)
        #expect(PIDTables.codeTexts().text(of: code) == text)
    }

    /// Codes, freeze frames and readings must call a parameter the same.
    @Test func `a parameter of SAE J1939 has one name`() throws {
        let texts = PIDTables.codeTexts()
        let table = try PIDTables.standard()
        var compared = 0
        for signal in table.signals where signal.id.hasPrefix("SPN") {
            guard let spn = UInt32(signal.id.dropFirst(3)), let name = texts.text(ofParameter: spn)
            else { continue }
            compared += 1
            #expect(signal.name == name, "\(signal.id)")
        }
        #expect(compared > 30)
    }

    @Test func `every failure mode except the reserved ones has a text`() {
        let texts = PIDTables.codeTexts()
        for fmi in UInt8(0)..<32 {
            #expect((texts.text(ofFailureMode: fmi) == nil) == (22...30).contains(fmi), "\(fmi)")
        }
        let reserved = J1939Code(spn: 100, fmi: 25, occurrenceCount: 1, conversionMethod: false)
        #expect(texts.text(of: reserved) == "Engine oil pressure")
        let unknown = J1939Code(spn: 9999, fmi: 3, occurrenceCount: 1, conversionMethod: false)
        #expect(texts.text(of: unknown) == nil)
    }

    @Test func `a user's own texts precede the built-in texts`() throws {
        let own = Array(
            "P1234\tOwn\nSPN100\tOil\nSPN100/FMI1\tStop\nU0100\tBus\nU0100-11\tWire\n".utf8)
        let texts = PIDTables.codeTexts().overlaid(.bytes(own))
        func text(_ code: String) -> String? { DTC(code).flatMap { texts.text(of: $0) } }
        #expect(text("P1234") == "Own")
        #expect(text("U0100") == "Bus")
        #expect(text("U0100-11") == "Wire")
        #expect(text("U0100-12") == "Bus")
        #expect(text("U0101")?.hasPrefix("No communication") == true)
        let stop = try #require(J1939Code("SPN100/FMI1"))
        let erratic = try #require(J1939Code("spn100/fmi2"))
        #expect(texts.text(of: stop) == "Stop")
        #expect(texts.text(of: erratic) == "Oil: data erratic, intermittent or wrong")
    }
}

extension String {
    /// The text without blanks at either end.
    fileprivate var trimmingBlanks: String {
        var kept = self[...]
        while kept.last == " " { kept.removeLast() }
        while kept.first == " " { kept.removeFirst() }
        return String(kept)
    }
}

@Suite struct `Embedded monitor tables` {
    // The names are those of SAE J1979 and ISO 15031-5 in public decoders.
    @Test func `monitors and tests have names`() throws {
        let tables = try PIDTables.monitorTables()
        #expect(tables.monitorName(0x01, tid: 0x01, uas: 0x0A) == "Oxygen sensor B1S1")
        #expect(tables.monitorName(0x21, tid: 0x80, uas: 0x0A) == "Catalyst B1")
        #expect(tables.monitorName(0xA2, tid: 0x0B, uas: 0x24) == "Misfire cylinder 1")
        #expect(tables.monitorName(0xB1, tid: 0x80, uas: 0x01) == "PM filter B2")
        #expect(tables.monitorName(0xB1, tid: 0x0C, uas: 0x24) == "Misfire cylinder 16")
        #expect(tables.monitorName(0x13, tid: 0x80, uas: 0x01) == nil)
        #expect(tables.tests[0x0B]?.name == "Misfire: average count over last 10 drive cycles")
        #expect(tables.tests[0x05]?.scaling?.number(raw: 250) == 1)
        #expect(tables.tests[0x80] == nil)
    }

    // 40 CFR 85.2222 (c).
    @Test(
        arguments: [(1995, nil), (1996, 2), (2000, 2), (2001, 1), (2030, 1), (nil, 1)]
            as [(Int?, Int?)])
    func `readiness depends on the model year`(year: Int?, allowed: Int?) throws {
        let rules = try PIDTables.monitorTables().readiness.rules(modelYear: year)
        #expect(rules.first { $0.region == "us-epa" }?.allowed == allowed)
    }
}

@Suite struct `Embedded info types and maps` {
    private func decode(
        _ request: [UInt8], _ answer: String, family: VehicleProtocol.Family = .can
    ) throws -> [String] {
        let table = try PIDTables.standard()
        var decoder = ResponseDecoder(table: table, monitors: try PIDTables.monitorTables())
        var items: [DiagnosticItem] = []
        decoder.decode(
            ECUMessage(ecu: nil, payload: Hex.bytes(answer) ?? []),
            in: Exchange(request: request, family: family), &items)
        return items.map { item in
            guard case .reading(let reading) = item else { return "\(item)" }
            let id = table[reading.signal].id
            switch reading.value {
            case .number(let number): return "\(id)=\(number)"
            case .text(let text): return "\(id)=\(text)"
            case .supportMap:
                return "\(id)=" + reading.announcedIDs.map(\.idText).joined(separator: " ")
            case .flag, .label, .missing: return "\(id)=\(reading.value)"
            }
        }
    }

    // Answers of a Dacia and of an Audi, with the layouts of SAE J1979.
    @Test func `signals have the standard's short names`() throws {
        #expect(
            try decode([0x09, 0x04], "49040132333736313634323553000000000000") == [
                "CALID=237616425S"
            ])
        #expect(try decode([0x09, 0x00], "490055420000") == ["ITSUP_00=02 04 06 08 0A 0F"])
        #expect(try decode([0x09, 0x06], "4906011791BC82") == ["CVN=1791BC82"])
        #expect(
            try decode([0x09, 0x01], "490105", family: .iso9141) == ["MC_VIN=5.0"])
        #expect(try decode([0x06, 0x00], "4600C0000001") == ["MIDSUP_00=01 02 20"])
        #expect(
            try decode([0x06, 0x00], "4600FFC0000001", family: .iso9141) == ["TIDSUP_00=01 02 20"])
        #expect(try decode([0x22, 0xF6, 0x20], "62F62080000000") == ["MIDSUP_20=F621"])
        let counters = (1...20).map { Hex.string(UInt32($0), digits: 4) }.joined()
        let found = try decode([0x09, 0x08], "490814" + counters)
        #expect(found.count == 20)
        #expect(found.first == "OBDCOND=1.0")
        #expect(found.last == "SO2SCOND2=20.0")
        #expect(try decode([0x09, 0x08], "490810" + counters.prefix(64)).last == "EVAPCOND=16.0")
        #expect(try decode([0x09, 0x0B], "490B12" + counters.prefix(72)).last == "FUELCOND=18.0")
    }
}
