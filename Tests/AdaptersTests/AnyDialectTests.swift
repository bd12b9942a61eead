import Adapters
import OBDCore
import Testing

/// One link on which the dialect of the adapter is found.
@Suite struct `Any dialect` {
    private static let bus: [UInt8] = [0x07, 0x00, 0x04, 0x01, 0x00, 0x00, 0x00]
    private static let map: [UInt8] = [0x00, 0xE8, 0x06, 0x41, 0x00, 0xBF, 0xFF, 0xB9, 0x93]
    private static let busQuestion: [UInt8] = [0x07, 0x00, 0x01, 0x01]

    private func dialect(
        _ choice: AnyDialect.Choice, _ vehicle: VehicleNeed = .needed
    ) -> AnyDialect {
        AnyDialect(choice, elm327: .init(vehicle: vehicle), goLink: .init(vehicle: vehicle))
    }

    /// The outputs other than timers.
    private func news(_ out: [DialectOutput]) -> [DialectOutput] {
        out.filter { output in
            switch output {
            case .arm, .disarm, .disarmAll: false
            default: true
            }
        }
    }

    /// Lets replies time out until the dialect has nothing more to send.
    private func stayingSilent(_ dialect: inout AnyDialect) -> [DialectOutput] {
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        for _ in 0..<20 { dialect.expired(.reply, &out) }
        return news(out)
    }

    @Test func `an adapter that is silent as an ELM327 is tried as a GoLink`() {
        var dialect = dialect(.automatic)
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        #expect(news(out).first == .write(Array("ATD\r".utf8)))
        while !out.contains(.write(Self.busQuestion)) { dialect.expired(.reply, &out) }
        #expect(
            news(out).suffix(2) == [
                .notice(.setupGoesOn(after: .silent)), .write(Self.busQuestion),
            ])
        dialect.receive(Self.bus, &out)
        dialect.receive(Self.map, &out)
        dialect.expired(.pause, &out)
        #expect(news(out).last == .ready(dialect.identity))
        #expect(dialect.protocolString == GoLinkDialect.protocolString)
        #expect(dialect.capabilities.vehicleProtocol == .can11At500)
        // After that, only the GoLink dialect is used.
        out = []
        dialect.initialise(&out)
        #expect(news(out) == [.write(Self.busQuestion)])
    }

    @Test func `an adapter whose answers make no sense is tried as a GoLink`() {
        var dialect = dialect(.automatic)
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        dialect.receive([0x07, 0x05, 0x04, 0x01], &out)
        while !out.contains(.write(Self.busQuestion)) { dialect.expired(.reply, &out) }
        #expect(news(out).contains(.notice(.setupGoesOn(after: .notUnderstood(received: 4)))))
    }

    @Test func `if no dialect gets an answer, the error is that of the usual dialect`() {
        var automatic = dialect(.automatic)
        // Run it twice: the second set-up must begin with the first dialect again.
        for _ in 0..<2 {
            let out = stayingSilent(&automatic)
            #expect(out.first == .write(Array("ATD\r".utf8)))
            #expect(out.last == .initialisationFailed(.silent))
            #expect(out.count { if case .initialisationFailed = $0 { true } else { false } } == 1)
        }
    }

    @Test func `a dialect that the user chose is the only one that is tried`() {
        var elm327 = dialect(.elm327)
        #expect(!stayingSilent(&elm327).contains(.write(Self.busQuestion)))
        var goLink = dialect(.goLink)
        #expect(
            stayingSilent(&goLink) == [
                .write(Self.busQuestion), .write(Self.busQuestion), .write(Self.busQuestion),
                .initialisationFailed(.silent),
            ])
    }

    @Test func `an ELM327 that falls silent later stays an ELM327`() {
        var dialect = dialect(.automatic, .unused)
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        var prompts = 0
        while news(out).last != .ready(dialect.identity), prompts < 20 {
            dialect.receive(Array("OK\r\r>".utf8), &out)
            prompts += 1
        }
        #expect(news(out).last == .ready(dialect.identity))
        #expect(dialect.protocolString == ELM327Dialect.protocolString)
        #expect(!stayingSilent(&dialect).contains(.write(Self.busQuestion)))
    }

    @Test func `an interrupted set-up tries no other dialect`() {
        var dialect = dialect(.automatic)
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        dialect.interrupt(&out)
        dialect.expired(.prompt, &out)
        #expect(news(out).last == .initialisationFailed(.interrupted))
    }
}
