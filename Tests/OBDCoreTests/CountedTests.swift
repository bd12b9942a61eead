import OBDCore
import Testing

@Suite struct `Texts about numbers and refusals` {
    @Test func `the singular is used for one code, the plural for two`() {
        #expect([0, 1, 2].map { counted($0, "code") } == ["0 codes", "1 code", "2 codes"])
        #expect(counted(1, "reading waits", "readings wait") == "1 reading waits")
        #expect(counted(3, "reading waits", "readings wait") == "3 readings wait")
    }

    /// ISO 14229-1: 78 means that the answer comes later.
    @Test func `an ECU that asks for more time does not refuse`() {
        let pending = NegativeResponse(service: Service(0x03), nrc: .responsePending)
        #expect(
            pending.outcome(of: "stored codes")
                == "asked for time for stored codes, then did not answer")
        #expect(pending.outcome == "asked for time for service 03, then did not answer")
        let refusal = NegativeResponse(service: Service(0x0A), nrc: NRC(0x11))
        #expect(
            refusal.outcome(of: "permanent codes")
                == "refused permanent codes: service not supported")
    }
}
