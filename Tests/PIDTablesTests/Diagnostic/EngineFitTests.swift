import Diagnostics
import OBDCore
import PIDTables
import Testing

/// No code is explained by parts that the vehicle is known to lack.
@Suite struct `Explanations for a known engine` {
    /// The sentences of the standard powertrain codes for a vehicle with this fuel (PID 51 of SAE J1979-DA).
    private func sentences(fuel: UInt64) throws -> [(code: String, texts: [String])] {
        let explanations = try PIDTables.codeExplanations()
        let texts = PIDTables.codeTexts()
        var state = CodeExplanations.State()
        state.engine = EngineParts(fuel: fuel, monitors: [])
        return (UInt16(0x0000)...0x0FFF).compactMap { number in
            let code = DTC(number)
            guard let text = texts.text(of: code),
                let said = explanations.explanation(of: code, text: text, state: state)
            else { return nil }
            let causes = said.causes.flatMap { [$0.what, $0.check] }
            return (
                code.text,
                [said.driveReason, said.notice, said.clears, said.watch?.meaning ?? ""] + said.notes
                    + causes
            )
        }
    }

    private static let vehicles: [(fuel: UInt64, words: [String])] = [
        (0x04, ["spark plug", "ignition coil", "purge valve", "petrol engine:"]),
        (0x01, ["diesel", "glow plug"]), (0x11, ["alternator", "diesel"]),
        (0x08, ["alternator", "exhaust", "catalyst", "spark plug", "idle speed"]),
    ]

    @Test(arguments: vehicles)
    func `no sentence names a part that the vehicle lacks`(
        _ fuel: UInt64, _ words: [String]
    ) throws {
        let all = try sentences(fuel: fuel)
        #expect(all.count > 1000)
        for (code, texts) in all {
            for text in texts {
                let small = text.lowercased()
                #expect(!words.contains { small.contains($0) }, "\(code): \(text)")
            }
        }
    }

    @Test func `without a known fuel a cause names the engine that has it`() throws {
        let explanations = try PIDTables.codeExplanations()
        func causes(_ name: String) throws -> [String] {
            let code = try #require(DTC(name))
            let text = PIDTables.codeTexts().text(of: code)
            return explanations.explanation(of: code, text: text)?.causes.map(\.what) ?? []
        }
        #expect(
            try causes("P0301").prefix(2) == [
                "petrol engine: spark plug worn", "petrol engine: ignition coil",
            ])
        // The text of this code names the coil itself.
        #expect(try causes("P0351").contains("ignition coil"))
    }

    @Test func `monitors of both kinds of ignition decide nothing`() {
        #expect(
            EngineParts(fuel: nil, monitors: [.catalyst, .pmFilter])
                == EngineParts(fuel: nil, monitors: []))
        #expect(
            EngineParts(fuel: nil, monitors: [.pmFilter]) == EngineParts(fuel: 4, monitors: []))
        #expect(
            EngineParts(fuel: nil, monitors: [.evaporative]) == EngineParts(fuel: 1, monitors: []))
    }

    @Test func `a part that is not known is refused`() {
        #expect(throws: CodeExplanationError.self) { try CodeExplanations("part wings : A plane") }
    }
}
