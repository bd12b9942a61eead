import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct `Embedded explanations` {
    /// Codes from statistics and from lists of open programs, and codes that workshops often see.
    private static let frequent = """
        P0420 P0171 P0300 P0301 P0302 P0303 P0304 P0401 P0442 P0443 P0440 P0455 P0130
        P0172 P0174 P0500 P0505 P0506 P0507 P0600 P0700 P0010 P0011 P0012 P0030 P0100
        P0101 P0102 P0103 P0110 P0111 P0112 P0113 P0115 P0116 P0117 P0118 P0120 P0121
        P0122 P0123 P0125 P0128 P0131 P0132 P0133 P0134 P0135 P0136 P0137 P0138 P0140
        P0141 P0150 P0068 P0170 P0173 P0175 P0200 P0201 P0202 P0203 P0204 P0205 P0206
        P0218 P0220 P0305 P0306 P0307 P0308 P0325 P0326 P0335 P0336 P0340 P0341 P0400
        P0402 P0411 P0421 P0430 P0441 P0446 P0456 P0520 P0562 P0563 P0601 P0715 P0720
        P0740 P0750 U0001 U0100 U0101 U0121 U0140 U0155 C0035 C0040 C0050 B0001 P0013
        P0014 P0016 P0017 P0031 P0032 P0037 P0038 P0045 P0087 P0088 P0106 P0107 P0108
        P0139 P0151 P0152 P0153 P0155 P0161 P0190 P0191 P0217 P0222 P0223 P0234 P0235
        P0236 P0261 P0299 P0327 P0328 P0351 P0352 P0353 P0354 P0380 P0403 P0404 P0405
        P0406 P0410 P0449 P0451 P0452 P0453 P0457 P0461 P0463 P0480 P0489 P0496 P0501
        P0504 P0521 P0524 P0571 P0605 P0606 P0641 P0651 P0671 P0672 P0673 P0674 P0706
        P0716 P0717 P0722 P0730 P0741 P0841 P0868 P0A0D P0A7F P0A80 P0AA6 P2002 P2015
        P203F P204F P2096 P20EE P2101 P2135 P2138 P2187 P2195 P2263 P229F P242F P2452
        P2453 P2463 P2A00 U0073 U0401
        """

    // SAE J1939-73: FMI 0 and 1 are the most severe levels; the amber lamp alone would say "soon".
    @Test(arguments: [
        (UInt32(110), UInt8(0), DriveAdvice.stop), (100, 1, .stop), (175, 0, .stop),
        (110, 16, .soon), (100, 18, .soon), (110, 3, .soon),
    ])
    func `an engine that faces damage has to stop, whatever its lamps show`(
        spn: UInt32, fmi: UInt8, drive: DriveAdvice
    ) throws {
        let code = J1939Code(spn: spn, fmi: fmi, occurrenceCount: 1, conversionMethod: false)
        var report = CodeReport(ecu: nil, kind: .stored, code: .j1939(code), line: 0)
        let text = PIDTables.codeTexts().text(of: report.code)
        let explanations = try PIDTables.codeExplanations()
        report.isActive = true
        report.lamps = .init(
            malfunction: false, redStop: false, amberWarning: true, protect: false)
        let said = explanations.explanation(of: code, text: text, state: .init(report))
        #expect(said?.drive == drive)
        report.isActive = false
        let past = explanations.explanation(of: code, text: text, state: .init(report))
        #expect(past?.drive == .note)
    }

    @Test func `each frequent code has a text and a family with all parts`() throws {
        let texts = PIDTables.codeTexts()
        let explanations = try PIDTables.codeExplanations()
        let names = Self.frequent.split(whereSeparator: \.isWhitespace)
        #expect(names.count >= 200)
        for name in names {
            let code = try #require(DTC(name), "\(name)")
            let text = texts.text(of: code)
            #expect(text != nil, "\(name)")
            let said = try #require(
                explanations.explanation(of: code, text: text), "\(name)")
            #expect((said.drive != nil) != said.dependsOnOthers, "\(name)")
            #expect(!said.driveReason.isEmpty, "\(name)")
            #expect(!said.clears.isEmpty, "\(name)")
            // High voltage and airbags are for trained people.
            if ["high-voltage", "airbag"].contains(said.family) { continue }
            #expect(!said.notice.isEmpty, "\(name)")
            #expect((said.watch != nil) == (said.drive != .stop), "\(name)")
            #expect(!said.causes.isEmpty && said.certainty != nil, "\(name)")
        }
    }

    @Test(arguments: [
        ("P0301", "misfire", DriveAdvice.soon), ("P0420", "catalyst", .weeks),
        ("P0430", "catalyst", .weeks), ("P0171", "lean", .weeks), ("P0016", "cam-timing", .soon),
        ("P0011", "cam-phaser", .soon), ("P0524", "oil-pressure", .stop),
        ("P0217", "overheating", .stop), ("P0218", "gearbox-temperature", .stop),
        ("P0AA6", "high-voltage", .stop), ("P0A0D", "high-voltage", .stop),
        ("P0135", "o2-heater", .weeks), ("P0133", "o2-sensor", .weeks),
        ("P0455", "evap-leak", .weeks), ("P0443", "evap-purge", .weeks),
        ("U0100", "silent-engine", .soon), ("U0121", "silent-brake", .soon),
        ("U0140", "silent", .soon),
        ("P2002", "filter-efficiency", .weeks), ("P0113", "intake-temperature", .weeks),
        ("C0035", "wheel-speed", .soon), ("B0001", "airbag", .soon),
        ("P0335", "crank-sensor", .soon), ("P0701", "gearbox-solenoid", .soon),
        ("P280A", "gear-range", .soon), ("C0045", "brake", .soon), ("C0605", "steering", .soon),
        ("P0563", "overvoltage", .soon), ("P0562", "voltage", .soon),
        ("P050F", "brake-booster", .stop), ("P040B", "egr-temperature", .weeks),
        ("P222A", "barometer", .weeks), ("C0038", "wheel-supply", .soon),
        ("C0504", "wheel-speed", .soon), ("P01BD", "oil-temperature", .soon),
        ("U0103", "silent-engine", .soon),
        ("P3481", "valve-lift", .weeks), ("P09A3", "gearbox-solenoid", .soon),
        ("P08E6", "gearbox-solenoid", .soon), ("P099C", "gearbox-solenoid", .soon),
        ("P021D", "injector", .soon), ("P07C3", "gearbox-speed", .soon),
        ("U0107", "silent-engine", .soon), ("U010F", "silent", .weeks),
        ("U0151", "airbag", .soon), ("P0219", "quantity-high", .note), ("P0316", "misfire", .soon),
    ])
    func `the explanation of each family says whether driving on is allowed`(
        name: String, family: String, drive: DriveAdvice
    ) throws {
        let code = try #require(DTC(name))
        let text = PIDTables.codeTexts().text(of: code) ?? "A text"
        let said = try PIDTables.codeExplanations().explanation(of: code, text: text)
        #expect(said?.family == family)
        #expect(said?.drive == drive)
    }

    @Test(arguments: ["P0700", "P0800", "P0A7B", "P2561", "U0401"])
    func `a code that refers to another controller leaves the answer to that one's codes`(
        _ name: String
    ) throws {
        let code = try #require(DTC(name))
        let text = try #require(PIDTables.codeTexts().text(of: code))
        let said = try PIDTables.codeExplanations().explanation(of: code, text: text)
        #expect(said?.drive == nil && said?.dependsOnOthers == true)
        #expect(said?.driving.hasPrefix("not known: ") == true)
    }

    // SAE J1979: a wide-range sensor has PIDs 24 to 2B (voltage) or 34 to 3B (current).
    @Test(arguments: [("P0420", "1"), ("P0430", "2")])
    func `for a front sensor of any type the catalyst's values are watched, too`(
        _ name: String, _ bank: String
    ) throws {
        let code = try #require(DTC(name))
        let said = try PIDTables.codeExplanations().explanation(of: code, text: "A text")
        let watched = Set(said?.watch?.signals ?? [])
        #expect(watched.isSuperset(of: ["o2-b\(bank)s1", "LAMBDA\(bank)1_V", "LAMBDA\(bank)1_I"]))
    }

    @Test(arguments: [
        ("P0135", ["o2-b1s1", "o2-b1s2"]), ("P0155", ["o2-b2s1", "o2-b2s2"]), ("P0167", []),
        ("P013C", ["o2-b2s2"]), ("P015B", ["o2-b1s1"]), ("P0162", []),
        ("P2184", ["ECT1", "ECT2"]), ("P0188", ["coolant-temp", "intake-temp"]),
        ("P0198", ["oil-temp"]),
    ])
    func `the suggested signals belong to the code's bank and sensor`(
        _ name: String, _ signals: [String]
    ) throws {
        let code = try #require(DTC(name))
        let text = PIDTables.codeTexts().text(of: code)
        let said = try PIDTables.codeExplanations().explanation(of: code, text: text)
        let watched = said?.watch?.signals ?? []
        #expect(watched.contains(signals), "\(watched)")
        #expect(watched.isEmpty == signals.isEmpty)
    }

    // `pids lint` checks the tables themselves: signals, monitor IDs, order, columns.
    @Test func `every family has causes and a plain title`() throws {
        let explanations = try PIDTables.codeExplanations()
        #expect(explanations.families.count >= 70)
        for family in explanations.families {
            if ["high-voltage", "airbag", "gas"].contains(family.id) { continue }
            #expect(!family.causes.isEmpty, "\(family.id)")
            #expect(!family.codes.isEmpty, "\(family.id)")
            #expect(family.notice.hasSuffix("."), "\(family.id)")
            #expect(family.causes.allSatisfy { $0.check.hasSuffix(".") }, "\(family.id)")
            // Users paste these signals into `obdscan live`, so they should fit on a line.
            let lengths = family.watches.map { $0.signals.joined(separator: " ").utf8.count }
            #expect(lengths.allSatisfy { $0 <= 70 } && !lengths.isEmpty, "\(family.id)")
        }
        for monitor in MonitorStatus.Monitor.allCases
        where ![.directOzoneReduction, .otherEmissionControl].contains(monitor) {
            #expect(explanations.drives[monitor] != nil, "\(monitor)")
        }
    }

    @Test(arguments: [
        (["P0171", "P0174"], Double?.none, ["lean-both-banks"]),
        (["P0172", "P0175"], nil, ["rich-both-banks"]),
        (["P0301", "P0171"], nil, ["order", "misfire-lean"]),
        (["P0301", "P0351"], nil, ["order", "misfire-coil"]),
        (["P0301", "P0420"], nil, ["order"]),
        (["P0302", "P0303"], nil, ["misfire-several"]),
        (["U0100", "U0121", "U0140"], 11.4, ["battery", "bus"]),
        (["U0100", "U0121", "U0140"], 12.6, ["bus"]),
        (["P0562", "U0401", "U0402", "U0100"], nil, ["battery"]),
        (["P0641", "P0122", "P0107"], nil, ["order"]),
        (["P0335", "P0340"], nil, ["cam-crank"]),
        (["P2452", "P2463"], nil, ["order"]), (["P0299", "P2002"], nil, []),
        (["P0135", "P0155"], nil, ["heaters"]),
        (["P0420"], 11.0, []),
    ])
    func `codes that belong together are explained together`(
        codes: [String], voltage: Double?, findings: [String]
    ) throws {
        let reading = try PIDTables.codeExplanations().reading(
            of: codes.compactMap { DTC($0) }, voltage: voltage)
        #expect(reading.findings.map(\.id) == findings)
    }
}
