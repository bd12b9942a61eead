import Testing

@testable import Adapters

@Suite struct `The claims of an adapter against its answers` {
    private let all = Set(AdapterProbe.all.map(\.command))

    private func verdict(
        _ banner: String?, without missing: Set<String> = [], stn: String? = nil
    ) -> AdapterVerdict {
        AdapterVerdict(banner: banner, stnFirmware: stn, answered: all.subtracting(missing))
    }

    @Test func `an adapter that answers every command of its version is genuine`() {
        #expect(verdict("ELM327 v2.2").kind == .genuine)
        let old = verdict("ELM327 v1.3a", without: ["AT IGN", "AT RD", "AT AMC", "AT CTM1"])
        #expect(old.kind == .genuine)
        #expect(old.claimed == 13)
        #expect(old.behavesLike == 13)
        #expect(old.missing.isEmpty)
    }

    /// After v1.4b, Elm Electronics released v2.0.
    ///
    /// Elm never released v1.5.
    @Test func `an adapter that reports v1,5 is a clone whatever it answers`() {
        #expect(verdict("ELM327 v1.5").kind == .clone)
    }

    @Test func `an adapter that lacks a command of its claimed version is a clone`() {
        let clone = verdict("OBDII  v2.1", without: ["AT PPS", "AT IGN"])
        #expect(clone.kind == .clone)
        #expect(clone.missing == ["AT PPS", "AT IGN"])
        #expect(clone.behavesLike == 10)
    }

    @Test func `an STN identifies itself`() {
        #expect(verdict("ELM327 v1.4b", stn: "STN1110 v4.2.0").kind == .stn)
    }

    @Test func `without a claimed version there is no judgement`() {
        #expect(verdict(nil).kind == .unknown)
        #expect(verdict("hello").claimed == nil)
        #expect(verdict("").claimed == nil)
    }

    @Test func `probes change nothing that lasts`() {
        for probe in AdapterProbe.all {
            #expect(AdapterRequest.isReadOnlyCommand(probe.command), "\(probe.command)")
        }
    }

    @Test func `only text in the form of a probe's answer counts as its answer`() throws {
        let voltage = try #require(AdapterProbe.all.first { $0.command == "AT RV" })
        #expect(voltage.isAnswered(by: ["12.4V"]))
        #expect(!voltage.isAnswered(by: ["?"]))
        #expect(!voltage.isAnswered(by: []))
        let setting = try #require(AdapterProbe.all.first { $0.command == "AT S0" })
        #expect(setting.isAnswered(by: ["OK"]))
        #expect(!setting.isAnswered(by: ["12.4V"]))
    }
}
