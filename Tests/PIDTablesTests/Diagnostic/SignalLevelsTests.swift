import Diagnostics
import PIDTables
import Testing

@Suite struct `The embedded levels` {
    @Test func `each level belongs to an existing signal and has its unit`() throws {
        let levels = try PIDTables.signalLevels()
        let table = try PIDTables.standard()
        let judged = table.signals.filter { !levels.rules(of: $0).isEmpty }
        for id in ["ECT", "ECT1", "ECT2", "VPWR", "ADAPTER_VOLTAGE", "SPN110"] {
            #expect(judged.contains { $0.id == id }, "\(id)")
        }
        for signal in judged {
            for rule in levels.rules(of: signal) {
                #expect(!rule.word.isEmpty && rule.reason.hasSuffix("."), "\(signal.id)")
                // A limit outside of the signal's range would have no effect.
                if let range = signal.valueRange { #expect(range.contains(rule.limit)) }
            }
        }
    }

    /// The values of a warm idling engine are usual: 90 °C, 800 rpm, 14.1 V.
    @Test(arguments: [("ECT", 90.0), ("RPM", 800), ("VPWR", 14.1), ("EOT", 95), ("IAT", 25)])
    func `usual values reach no level`(_ id: String, _ value: Double) throws {
        let signal = try #require(try PIDTables.standard().signals.first { $0.id == id })
        #expect(try PIDTables.signalLevels().rules(of: signal).rule(for: value) == nil)
    }
}
