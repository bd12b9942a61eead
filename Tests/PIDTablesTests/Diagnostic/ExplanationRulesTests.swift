import Diagnostics
import OBDCore
import PIDTables
import Testing

/// Rules for the explanation of every code, failure type and failure mode.
@Suite struct `Rules for all explanations` {
    private let texts = PIDTables.codeTexts()
    private let explanations: CodeExplanations

    init() throws {
        explanations = try Self.known.get()
    }

    private static let known = Result { try PIDTables.codeExplanations() }

    /// Explaining every code takes seconds, so it is done once for all tests.
    private static let everything: (codes: [Said], typed: [Said], trucks: [Said]) = {
        guard let rules = try? Self() else { return ([], [], []) }
        return (rules.allCodes, rules.allTyped, rules.allTrucks)
    }()

    private var codes: [Said] { Self.everything.codes }
    private var typed: [Said] { Self.everything.typed }
    private var trucks: [Said] { Self.everything.trucks }

    private struct Said {
        let name: String
        let text: String
        let explanation: CodeExplanation
        /// The text and the advice, in small letters.
        let words: (text: String, advice: String)

        init(name: String, text: String, explanation: CodeExplanation) {
            self.name = name
            self.text = text
            self.explanation = explanation
            let advice = explanation.causes.map { "\($0.what). \($0.check)" }
            words = (text.lowercased(), advice.joined(separator: "\n").lowercased())
        }

        /// Everything that somebody could follow.
        var advice: [String] {
            [explanation.driveReason, explanation.clears, explanation.watch?.meaning ?? ""]
                + explanation.notes + explanation.causes.flatMap { [$0.what, $0.check] }
        }
    }

    /// All two-byte codes that are explained.
    private var allCodes: [Said] {
        (UInt16.min...UInt16.max).compactMap { said(DTC($0)) }
    }

    private func said(of name: String) throws -> Said {
        let code = try #require(DTC(name))
        return try #require(said(code))
    }

    private func said(_ code: DTC) -> Said? {
        let text = texts.text(of: code)
        return explanations.explanation(of: code, text: text).map {
            Said(name: code.description, text: text ?? "", explanation: $0)
        }
    }

    /// Every failure mode of many parameters, with and without a name.
    private var allTrucks: [Said] {
        let parameters: [UInt32] = [
            81, 84, 91, 94, 97, 100, 102, 105, 107, 108, 110, 111, 157, 158, 167, 168, 171, 172,
            174,
            175, 177, 190, 411, 627, 651, 1127, 1761, 3216, 3251, 3364, 3719, 4334, 5246, 9999,
        ]
        return parameters.flatMap { spn in
            (UInt8(0)..<32).compactMap { fmi in
                let code = J1939Code(
                    spn: spn, fmi: fmi, occurrenceCount: 1, conversionMethod: false)
                let text = texts.text(of: code)
                return explanations.explanation(of: code, text: text).map {
                    Said(name: code.text, text: text ?? "", explanation: $0)
                }
            }
        }
    }

    /// Every failure type of codes from all areas.
    private var allTyped: [Said] {
        var found: [Said] = []
        for code in UInt16.min...UInt16.max
        where code % 409 == 0 && texts.text(of: DTC(code)) != nil {
            for type in UInt8(1)...0xFF {
                if let one = said(DTC(code, failureType: type)) { found.append(one) }
            }
        }
        return found
    }

    private func sentence(_ hazard: String) throws -> String {
        try #require(explanations.hazards.first { $0.id == hazard }?.sentence, "\(hazard)")
    }

    @Test func `meanings match those that were worked out by hand`() throws {
        for row in try CodeMeanings.rows() {
            let code = try #require(DTC(row.code))
            let text = try #require(texts.text(of: code))
            let meaning = explanations.meaning(of: code, text: text)
            #expect(meaning.rawValue == row.meaning, "\(row.code) \(text)")
        }
    }

    @Test func `hazards match those that were worked out by hand`() throws {
        let ids = Dictionary(
            uniqueKeysWithValues: explanations.hazards.map { ($0.sentence, $0.id) })
        for row in try CodeMeanings.rows() {
            let code = try #require(DTC(row.code))
            let explanation = explanations.explanation(of: code, text: texts.text(of: code))
            let said = explanation?.hazards.compactMap { ids[$0] } ?? []
            for hazard in row.hazards {
                // The tanks and rails of gas have a sentence of their own.
                #expect(
                    said.contains(hazard) || hazard.hasPrefix("fuel-") && said.contains("gas"),
                    "\(row.code) \(hazard)")
            }
            let isHighVoltage =
                row.hazards.contains("high-voltage") || (0x0A00...0x0EFF).contains(code.code)
            #expect(said.contains("high-voltage") == isHighVoltage, "\(row.code)")
        }
    }

    // A text can belong to one of these hazards only by naming the part.
    @Test(arguments: [
        ("high-voltage", ["hybrid/ev", "drive motor", "inverter", "battery charger", "dc/dc"]),
        ("airbag", ["airbag", "restraint", "pretensioner", "deployment"]),
        ("fuel-pressure", ["fuel rail", "injector:", "fuel pressure", "water in fuel"]),
        ("fuel-vapour", ["evaporative emission", "fuel pump", "fuel level", "water in fuel"]),
        ("hot-coolant", ["coolant", "thermostat"]),
        ("refrigerant", ["refrigerant"]), ("steering", ["steering"]), ("brakes", ["brake"]),
    ])
    func `a code with a hazard has the hazard's sentence`(hazard: String, words: [String]) throws {
        let sentence = try sentence(hazard)
        let found = codes.filter { said in
            words.contains { said.words.text.contains($0) }
        }
        #expect(found.count >= 8)
        for said in found {
            let gas = said.explanation.family == "gas" && hazard.hasPrefix("fuel-")
            #expect(said.explanation.hazards.contains(sentence) || gas, "\(said.name) \(said.text)")
        }
    }

    @Test(arguments: [
        ("running-engine", ["fan does not run", "belt."]), ("jack", ["turn the wheel"]),
        ("ignition", ["ignition coil", "spark plug"]), ("exhaust", ["soot at the joints"]),
        ("fuel-pressure", ["smell for fuel"]), ("hot-coolant", ["coolant missing"]),
        ("fuel-vapour", ["purge valve", "at the tank", "canister", "smell for fuel"]),
    ])
    func `advice near a hazard has the hazard's sentence`(hazard: String, words: [String]) throws {
        let sentence = try sentence(hazard)
        for said in codes {
            guard words.contains(where: { said.words.advice.contains($0) }) else { continue }
            #expect(said.explanation.hazards.contains(sentence), "\(said.name)")
        }
    }

    @Test func `no advice orders work on high voltage, airbags or gas`() throws {
        let orders = [
            "bridge", "swap", "measure", "unplug", "resistance", "exchange", "plug it", "spray",
            "tap",
            "disconnect", "pull", "open the", "take it",
        ]
        let sentences = [
            try sentence("high-voltage"), try sentence("airbag"), try sentence("gas"),
        ]
        let guarded = ["high-voltage", "airbag", "gas"]
        #expect(codes.count > 7000 && typed.count > 2000 && trucks.count > 200)
        var count = 0
        for said in codes + typed + trucks where guarded.contains(said.explanation.family) {
            count += 1
            #expect(
                said.explanation.causes.isEmpty && said.explanation.watch == nil, "\(said.name)")
            #expect(!Set(sentences).isDisjoint(with: said.explanation.hazards), "\(said.name)")
            let advice = said.advice.joined(separator: "\n").lowercased()
            for order in orders {
                #expect(!advice.contains(order), "\(said.name): \(order)")
            }
        }
        #expect(count > 2000)
        // The maker's codes of this range have no text here, and another maker's text may name it.
        let own = try #require(DTC("P1A23"))
        #expect(explanations.explanation(of: own, text: nil)?.family == "high-voltage")
        #expect(explanations.explanation(of: own, text: "Pump: signal too low")?.causes == [])
    }

    @Test func `every cause fits its meaning`() {
        let electrical: Set<CodeMeaning> = [
            .open, .shortToGround, .shortToSupply, .circuit, .signalLow, .signalHigh, .intermittent,
        ]
        let quantities: Set<CodeMeaning> = [.quantityLow, .quantityHigh, .tooHot]
        for said in codes + typed + trucks {
            let causes = said.explanation.causes
            if quantities.contains(said.explanation.meaning), let first = causes.first {
                #expect(
                    !first.what.contains("wire") && !first.what.contains("wiring")
                        && !first.what.hasPrefix("plug"),
                    "\(said.name) \(said.text): \(first.what)")
            }
            if electrical.contains(said.explanation.meaning) {
                let worn = [
                    "full of soot", "thermostat", "head gasket", "worn bearings", "short trips",
                ]
                for cause in causes {
                    #expect(
                        !worn.contains { cause.what.contains($0) }, "\(said.name): \(cause.what)")
                }
            }
            // A short to ground is not a short to a supply.
            let all = causes.map { "\($0.what) \($0.check)" }.joined(separator: " ")
            if said.explanation.meaning == .shortToGround {
                #expect(!all.contains("supply wire"), "\(said.name)")
            }
            if said.explanation.meaning == .shortToSupply {
                #expect(!all.contains("short to ground"), "\(said.name)")
            }
            // Nothing is known of a code that only its meaning explains.
            if CodeMeaning(rawValue: said.explanation.family) != nil {
                #expect(said.explanation.certainty == nil, "\(said.name)")
                #expect(said.explanation.notice.isEmpty && said.explanation.monitors.isEmpty)
            }
        }
    }

    @Test func `the answer, its reason and the advice do not contradict each other`() {
        for said in codes + typed + trucks {
            let explanation = said.explanation
            // Codes that refer to other controllers have a reason without an answer.
            let isOpen = explanation.drive == nil && !explanation.dependsOnOthers
            #expect(isOpen == explanation.driveReason.isEmpty, "\(said.name)")
            if explanation.drive == .stop {
                #expect(explanation.watch == nil, "\(said.name)")
                continue
            }
            for part in said.advice.flatMap({ $0.split { ".;:".contains($0) } }) {
                let part = part.lowercased().drop { $0 == " " || $0 == "\n" }
                guard part.hasPrefix("stop ") || part.contains("do not drive") else { continue }
                let isConditional = [" if ", " when ", " unless "].contains { part.contains($0) }
                #expect(isConditional, "\(said.name): \(part)")
            }
        }
    }

    @Test func `a code that may stop the engine on the road says when not to drive on`() {
        for said in codes + typed + trucks {
            let reason = said.explanation.driveReason
            guard said.explanation.drive == .soon || said.explanation.drive == .weeks,
                ["stall", "lose power", "stop and not start"].contains(where: reason.contains)
            else { continue }
            let condition = [" if ", " unless ", " when "].contains { word in
                reason.split(separator: ";").dropFirst().contains { (" " + $0).contains(word) }
            }
            #expect(condition, "\(said.name): \(reason)")
        }
    }

    // Low pressure in the fuel rail is a leak in some cases: reference of causes, family P0087 to P0094.
    @Test(arguments: [
        ("P0087", "fuel, which can catch fire"), ("U0100", "do not drive on if it has stalled"),
        ("P0335", "do not drive on if it has stalled"),
    ])
    func `the condition to stop is part of the answer`(code: String, words: String) throws {
        let said = try said(of: code).explanation
        #expect(said.drive == .soon && said.driveReason.contains(words))
    }

    // SAE J1939-73: the failure mode is the meaning.
    @Test(
        arguments: [
            (0, .quantityHigh), (1, .quantityLow), (2, .intermittent),
            (3, .signalHigh), (4, .signalLow), (5, .open), (6, .shortToGround), (7, .stuck),
            (8, .implausible), (9, .communication), (10, .implausible), (11, .other), (12, .other),
            (13, .implausible), (14, .other), (15, .quantityHigh), (16, .quantityHigh),
            (17, .quantityLow), (18, .quantityLow), (19, .dataWrong), (20, .implausible),
            (21, .implausible), (22, .none), (31, .other),
        ] as [(UInt8, CodeMeaning)])
    func `failure modes are explained`(fmi: UInt8, meaning: CodeMeaning) {
        #expect(explanations.meaning(ofFailureMode: fmi) == meaning)
    }

    // ISO 15031-6: a failure type is more exact than a text that only names the part.
    @Test(arguments: [
        ("P0110-11", "Intake air temperature sensor", CodeMeaning.shortToGround),
        ("P0110-12", "Intake air temperature sensor", .shortToSupply),
        ("P0110-13", "Sensor: circuit fault", .open),
        ("P0110-16", "Sensor: circuit fault", .signalLow),
        ("P0110-00", "Sensor: signal too low", .signalLow),
        ("P0110-12", "Sensor: signal too low", CodeMeaning.none),
        ("P0110-13", "Sensor: signal too low", .open),
        ("P0110-02", "Sensor: signal too low", .signalLow),
        ("P0110-54", "Sensor", .software), ("P0110-87", "Sensor", .communication),
        ("P0110-98", "Sensor: temperature too low", CodeMeaning.none),
    ])
    func `failure types are explained`(code: String, text: String, meaning: CodeMeaning) throws {
        #expect(explanations.meaning(of: try #require(DTC(code)), text: text) == meaning)
    }

    @Test func `every failure type with a text has a meaning`() {
        for type in UInt8(1)...0xFF where texts.text(ofFailureType: type) != nil {
            let meaning = explanations.meaning(
                of: DTC(0x0110, failureType: type), text: "A part: fault")
            // Some name a kind of signal, but not its fault.
            let isVague =
                explanations.meaning(
                    of: DTC(0x0110, failureType: type), text: "A part: circuit fault") == .circuit
            #expect(meaning != .none || isVague, "\(type)")
        }
    }

    // Each of these was wrong once.
    @Test(arguments: [
        ("P242F", "regenerat"), ("P2002", "short trips"), ("P2002", "Drive 20 minutes"),
        ("P0524", "radiator"), ("P0524", "wiring"), ("P0562", "short to"), ("P0191", "Leak"),
        ("P0403", "soot"), ("P0868", "wiring"), ("P0A80", "fuse"), ("P0217", "engine is hot"),
        ("P0381", "relay"), ("P037A", "relay"), ("C0038", "bearing"), ("C05A3", "bearing"),
        ("B00A1", "buckle"), ("B0050", "under a seat"), ("P05DB", "bulbs"), ("P040B", "command"),
        ("P222A", "blocked exhaust"), ("P0237", "solenoid"), ("C0552", "pedal"),
        ("P0370", "no signal"), ("P0A01", "air inlet"), ("C0547", "pedal is soft"),
    ])
    func `untrue sentences about a code are not printed`(code: String, words: String) throws {
        let said = try said(of: code)
        let advice = said.advice.joined(separator: "\n")
        #expect(!advice.contains(words), "\(advice)")
    }

    @Test(arguments: [
        ("C0547", "brake pedal is hard"), ("C050E", "red brake light"), ("P2072", "does not drop"),
        ("P0217", "engine off and cold"), ("P0D2A", "do not charge"), ("P0EE8", "gets hot"),
        ("U0103", "set the park brake"), ("P2A6F", "safety valve"), ("P2CCA", "can overheat"),
        ("P0A85", "air inlet"), ("P0140", "exhaust is near"), ("P0140", "hardly changes"),
        ("P0133", "fuel use higher"), ("P015B", "fuel use higher"), ("P0381", "plug light"),
        ("P02A4", "too little fuel"), ("P3481", "oil light"), ("C0552", "stability control"),
        ("C0542", "pedal feels soft"), ("P01BD", "oil or temperature"), ("P0374", "wiring"),
        ("P040B", "full of soot"), ("P222A", "inside the engine controller"),
        ("P05DB", "pedal feels different"), ("P2584", "depends on that code"),
        ("C0035", "for another wheel"), ("B00C5", "children in the back"),
        ("P047A", "limit its power"), ("P05EE", "countdown"), ("P2498", "exhaust may be dirtier"),
        ("U024A", "comfort"),
    ])
    func `true sentences about a code are printed`(code: String, words: String) throws {
        let said = try said(of: code)
        let advice = said.advice.joined(separator: "\n")
        #expect(advice.contains(words), "\(advice)")
    }

    @Test func `a code has only the hazards of its part`() throws {
        let (pressure, gas, brakes) = try (
            sentence("fuel-pressure"), sentence("gas"), sentence("brakes")
        )
        for name in ["P01A9", "P2A6A"] {
            let hazards = try said(of: name).explanation.hazards
            #expect(hazards.contains(gas) && !hazards.contains(pressure), "\(name)")
        }
        #expect(try said(of: "P0087").explanation.hazards.contains(pressure))
        #expect(try said(of: "C0531").explanation.hazards.contains(brakes))
        let valve = J1939Code(spn: 799, fmi: 5, occurrenceCount: 1, conversionMethod: false)
        let text = texts.text(of: valve)
        let said = explanations.explanation(of: valve, text: text)
        #expect(said?.hazards.contains(brakes) == true)
    }

    @Test(arguments: [
        ("P2002", "filter cracked"), ("P0401", "valve or pipe full of soot"),
        ("P0217", "coolant missing"), ("P0524", "oil level"), ("P0403", "plug or wiring"),
    ])
    func `the first cause is the most frequent one`(code: String, cause: String) throws {
        let said = try said(of: code)
        #expect(said.explanation.causes.first?.what.hasPrefix(cause) == true)
    }

    @Test func `no monitor of the engine proves the repair of brakes or of the body`() {
        let others = codes.filter { "CB".contains($0.name.prefix(1)) }
        #expect(others.count > 500)
        for said in others {
            #expect(
                said.explanation.monitors.isEmpty && said.explanation.tests.isEmpty, "\(said.name)")
        }
        let engines = codes.filter { $0.name.hasPrefix("P") }
        #expect(engines.contains { !$0.explanation.monitors.isEmpty })
    }

    // The README states this share.
    @Test func `the explanation of most codes says whether driving on is allowed`() {
        let named = (UInt16.min...UInt16.max).filter { texts.text(of: DTC($0)) != nil }
        let answered = codes.count { !$0.text.isEmpty && $0.explanation.drive != nil }
        #expect(answered * 100 / named.count == 70)
    }
}
