import OBDCore
import Testing

@testable import Adapters
@testable import Simulator

/// The simulated device gets and sends the frames of the protocol's document (`com.goPoint.p1`).
@Suite struct `A simulated GoLink` {
    private static let busRequest: [UInt8] = [0x07, 0x00, 0x01, 0x01]
    private static let speedRequest: [UInt8] = [0x07, 0xDF, 0x02, 0x01, 0x0D]

    /// All that the device has sent half a minute later.
    private func answers(
        _ device: inout some ServedDevice, to pieces: [UInt8]..., at start: Instant = .zero,
        apart: Duration = .zero
    ) -> [UInt8] {
        var now = start
        var said: [UInt8] = []
        for piece in pieces {
            device.receive(piece, at: now)
            now = now + apart
        }
        while let next = device.nextDeadline {
            now = max(now, next)
            said += device.due(at: now)
        }
        return said
    }

    /// The document's bus numbers, and the keywords of ISO 9141-2 (08 08) and ISO 14230 (8F E9).
    @Test(
        arguments: [
            ("6", [0x00, 0x00, 0x00]), ("7", [0x01, 0x00, 0x00]), ("8", [0x02, 0x00, 0x00]),
            ("9", [0x03, 0x00, 0x00]), ("2", [0x04, 0x00, 0x00]), ("1", [0x05, 0x00, 0x00]),
            ("5", [0x06, 0x8F, 0xE9]), ("4", [0x07, 0x8F, 0xE9]), ("3", [0x08, 0x08, 0x08]),
        ] as [(String, [UInt8])])
    func `the GoLink reports the bus that it found`(number: String, bus: [UInt8]) throws {
        var device = try SimulatedGoLink(SimulatorOptions("?protocol=\(number)"), at: .zero)
        #expect(answers(&device, to: Self.busRequest) == [0x07, 0x00, 0x04, 0x01] + bus)
        #expect(device.requestCount == 0)
    }

    @Test func `the GoLink has no name for SAE J1939`() {
        #expect(throws: SimulatorError.self) {
            _ = try SimulatedGoLink(SimulatorOptions("truck"), at: .zero)
        }
    }

    /// The document's example with 01 00: an ECU's identifier ends in E8 or higher, and the body is
    /// the payload.
    @Test func `the GoLink forwards each ECU's answer`() throws {
        var device = try SimulatedGoLink(SimulatorOptions("?ecus=3&latency=10ms"), at: .zero)
        var lexer = GoLinkLexer()
        var tokens: [GoLinkLexer.Token] = []
        lexer.receive(answers(&device, to: [0x07, 0xDF, 0x02, 0x01, 0x00]).span, &tokens)
        var ecus: [UInt8] = []
        for case .frame(.data(let ecu, let payload)) in tokens {
            ecus.append(ecu)
            #expect(payload.count == 6 && payload.starts(with: [0x41, 0x00]))
        }
        #expect(tokens.count == 3 && Set(ecus) == [0xE8, 0xE9, 0xEA])
        #expect(device.requests.map(\.payload) == [[0x01, 0x00]])
    }

    @Test func `the GoLink reports the request that no ECU answered`() throws {
        var device = try SimulatedGoLink(SimulatorOptions("?latency=10ms"), at: .zero)
        #expect(
            answers(&device, to: [0x07, 0xDF, 0x02, 0x01, 0xC5])
                == [0x01, 0x00, 0x06, 0x02, 0x07, 0xDF, 0x02, 0x01, 0xC5])
    }

    @Test func `an incomplete frame waits a moment for its rest`() throws {
        let options = try SimulatorOptions("?latency=0")
        var device = try SimulatedGoLink(options, at: .zero)
        let whole = answers(&device, to: Self.speedRequest)
        #expect(whole.starts(with: [0x00, 0xE8, 0x03, 0x41, 0x0D]))
        for cut in 1..<Self.speedRequest.count {
            let halves = (
                Array(Self.speedRequest[..<cut]), Array(Self.speedRequest[cut...])
            )
            var quick = try SimulatedGoLink(options, at: .zero)
            let late = answers(&quick, to: halves.0, halves.1, apart: .milliseconds(100))
            #expect(late.prefix(5) == whole.prefix(5))
            var slow = try SimulatedGoLink(options, at: .zero)
            #expect(answers(&slow, to: halves.0, halves.1, apart: .milliseconds(201)).isEmpty)
            #expect(slow.requestCount == 0)
        }
    }

    /// A request has identifier 07 and one to eight bytes.
    @Test func `bytes that are not a request are skipped`() throws {
        for junk: [UInt8] in [
            [0x00], [0x08, 0xDF], [0x07, 0xDF, 0x00], [0x07, 0xDF, 0x09], [0xFF, 0xFF, 0xFF],
            [0x07, 0x01, 0x01, 0x01], [0x07, 0x00, 0x01, 0x02],
        ] {
            var device = try SimulatedGoLink(SimulatorOptions("?latency=0"), at: .zero)
            let said = answers(&device, to: junk + Self.busRequest)
            #expect(said == [0x07, 0x00, 0x04, 0x01, 0x00, 0x00, 0x00], "\(junk)")
            #expect(device.requestCount == 0)
        }
    }

    @Test func `the latest requests are kept and all are counted`() throws {
        var device = try SimulatedGoLink(SimulatorOptions("?latency=0"), at: .zero)
        let most = SimulatedAdapter.keptRequests
        for _ in 0..<most + 5 {
            _ = answers(&device, to: Self.speedRequest, at: Instant(nanoseconds: 1))
        }
        #expect(device.requests.count == most && device.requestCount == most + 5)
    }

    /// Our own dialect must read the values that the simulated vehicle sent.
    @Test(arguments: ["6", "7", "3", "5", "1", "2"])
    func `the simulated GoLink and the dialect understand each other`(number: String) throws {
        let device = try SimulatorOptions("?protocol=\(number)&personality=golink&latency=5ms")
            .device(at: .zero)
        #expect(device.summary.contains("com.goPoint.p1"))
        let run = try Self.run(device, [0x01, 0x0D])
        #expect(run.messages.map(\.payload.count) == [3])
        #expect(run.messages.first?.payload.prefix(2) == [0x41, 0x0D])
        #expect(run.asked.last == [0x01, 0x0D])
        let ecu = try #require(run.messages.first?.ecu)
        #expect(ecu.form == VehicleProtocol(number)?.addressForm)
    }

    private static func run(
        _ device: some SimulatedDevice, _ payload: [UInt8]
    ) throws -> (messages: [ECUMessage], asked: [[UInt8]]) {
        var device = device
        var dialect = GoLinkDialect()
        var timers: [DialectTimer: Instant] = [:]
        var messages: [ECUMessage] = []
        var now = Instant.zero
        var out: [DialectOutput] = []
        var hasAsked = false
        var isDone = false
        dialect.initialise(&out)
        for _ in 0..<1000 where !isDone {
            while !out.isEmpty {
                switch out.removeFirst() {
                case .write(let bytes): device.receive(bytes, at: now)
                case .arm(let timer, let patience): timers[timer] = now + patience
                case .disarm(let timer): timers[timer] = nil
                case .disarmAll: timers = [:]
                case .message(let message): messages.append(message)
                case .end: isDone = true
                case .ready where !hasAsked:
                    hasAsked = true
                    dialect.send(
                        .vehicle(
                            VehicleRequest(
                                id: RequestID(rawValue: 1), payload: payload, expectedFrames: 1)),
                        &out)
                default: break
                }
            }
            let next = [device.nextDeadline, timers.values.min()].compactMap(\.self).min()
            guard let next, !isDone else { break }
            now = max(now, next)
            let bytes = device.due(at: now)
            if !bytes.isEmpty { dialect.receive(bytes, &out) }
            for (timer, due) in timers where due <= now && timers[timer] == due {
                timers[timer] = nil
                dialect.expired(timer, &out)
            }
        }
        try #require(isDone)
        return (messages, device.requests.map(\.payload))
    }
}
