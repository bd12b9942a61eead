import OBDCore
import Testing
import VehicleLink

@testable import Adapters

/// The DoIP dialect in every state with every event: each result is delivered once, and the dialect never
/// waits without a timer.
@Suite struct `Every state of DoIP takes every event` {
    private static let tester: UInt16 = 0x0E80
    private static let engine: UInt16 = 0x1010
    private static let all: UInt16 = 0xE400

    /// A dialect, its running timers, and its last output.
    struct Link: Sendable {
        var dialect = DoIPDialect()
        var armed: Set<DialectTimer> = []
        var out: [DialectOutput] = []

        mutating func take(_ event: Happening) {
            out = []
            switch event {
            case .hear(let message): dialect.receive(message.bytes(version: 0x02), &out)
            case .bytes(let bytes): dialect.receive(bytes, &out)
            case .expire(let timer):
                // Only a timer that runs expires.
                guard armed.remove(timer) != nil else { return }
                dialect.expired(timer, &out)
            case .send(let request): dialect.send(request, &out)
            case .interrupt: dialect.interrupt(&out)
            case .initialise: dialect.initialise(&out)
            }
            for output in out {
                switch output {
                case .arm(let timer, _): armed.insert(timer)
                case .disarm(let timer): armed.remove(timer)
                case .disarmAll: armed = []
                default: break
                }
            }
        }

        func count(_ isMeant: (DialectOutput) -> Bool) -> Int { out.count(where: isMeant) }

        var isSettingUp: Bool {
            switch dialect.phase {
            case .activating, .confirming, .findingVehicle, .settling: true
            case .outOfStep, .ready, .exchanging: false
            }
        }
    }

    enum Happening: Hashable, Sendable {
        case hear(DoIPMessage)
        case bytes([UInt8])
        case expire(DialectTimer)
        case send(AdapterRequest)
        case interrupt
        case initialise
    }

    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        var way: [Happening]
        var testDescription: String { name }

        var link: Link {
            var link = Link()
            for event in way { link.take(event) }
            return link
        }
    }

    private static func request(
        _ payload: [UInt8], at target: UInt16? = nil, frames: Int? = nil
    ) -> AdapterRequest {
        .vehicle(
            VehicleRequest(
                id: RequestID(rawValue: 1), target: target.map { ECUAddress(UInt32($0), .logical) },
                payload: payload, expectedFrames: frames))
    }

    private static func answer(_ payload: [UInt8], from ecu: UInt16 = engine) -> Happening {
        .hear(.diagnostic(source: ecu, target: tester, payload: payload))
    }

    private static func acknowledgement(of target: UInt16) -> Happening {
        .hear(.acknowledged(source: target, target: tester, code: 0))
    }

    private static let activated = Happening.hear(
        .activationAnswer(tester: tester, entity: 0x1000, code: 0x10))
    private static let map: [UInt8] = [0x41, 0x00, 0xBE, 0x3F, 0xA8, 0x13]
    private static let rpm: [UInt8] = [0x41, 0x0C, 0x1A, 0xF8]
    private static let found = [.initialise, activated, acknowledgement(of: all), answer(map)]
    private static let ready = found + [.expire(.pause)]
    private static let alone = ready + [.send(request([0x22, 0xF4, 0x0C], at: engine))]
    private static let group = ready + [.send(request([0x01, 0x0C]))]

    static let states: [Sample] = [
        Sample(name: "new", way: []),
        Sample(name: "activating", way: [.initialise]),
        Sample(
            name: "confirming",
            way: [
                .initialise, .hear(.activationAnswer(tester: tester, entity: 0x1000, code: 0x11)),
            ]),
        Sample(name: "first question", way: [.initialise, activated]),
        Sample(
            name: "first question acknowledged",
            way: [.initialise, activated, acknowledgement(of: all)]),
        Sample(name: "second question", way: [.initialise, activated, .expire(.reply)]),
        Sample(name: "settling", way: found),
        Sample(name: "ready", way: ready),
        Sample(name: "one ECU asked", way: alone),
        Sample(name: "one ECU asked, acknowledged", way: alone + [acknowledgement(of: engine)]),
        Sample(
            name: "one ECU needs time",
            way: alone + [acknowledgement(of: engine), answer([0x7F, 0x22, 0x78])]),
        Sample(name: "all asked", way: group),
        Sample(
            name: "one of all has answered", way: group + [acknowledgement(of: all), answer(rpm)]),
        Sample(
            name: "lost", way: alone + [.expire(.reply)]),
    ]

    private static let messages: [DoIPMessage] = [
        .headerRefused(code: 0x00), .headerRefused(code: 0x02),
        .headerRefused(code: 0x03), .identificationRequest,
        .identificationRequestByEID([1, 2, 3, 4, 5, 6]),
        .identificationRequestByVIN([UInt8](repeating: 0x31, count: 17)),
        .announcement(
            DoIPEntity(
                vin: [UInt8](repeating: 0x31, count: 17), address: 0x1000,
                eid: [1, 2, 3, 4, 5, 6], gid: [1, 2, 3, 4, 5, 6])),
        .activationRequest(source: tester, type: 0), .aliveCheck, .aliveAnswer(source: 0x1000),
        .entityStatusRequest, .entityStatus(type: 0, sockets: 1, open: 1, longest: 64),
        .powerModeRequest, .powerMode(0x01), .other(type: 0x8000, content: [1]),
        .acknowledged(source: engine, target: tester, code: 0),
        .acknowledged(source: all, target: tester, code: 0),
        .acknowledged(source: engine, target: 0x0E81, code: 0),
    ]
    private static let activations: [Happening] = [0x00, 0x04, 0x07, 0x10, 0x11].map {
        .hear(.activationAnswer(tester: tester, entity: 0x1000, code: $0))
    }
    private static let refusals: [Happening] = [0x02, 0x03, 0x04, 0x06].flatMap { code in
        [engine, all].map { .hear(.refused(source: $0, target: tester, code: code)) }
    }
    private static let payloads: [[UInt8]] = [
        map, rpm, [0x62, 0xF4, 0x0C, 0x1A, 0xF8], [0x62, 0xF8, 0x10, 0x01], [0x7F, 0x01, 0x11],
        [0x7F, 0x22, 0x78], [0x7F, 0x01, 0x78], [], [0x00],
    ]
    private static let others: [Happening] = [
        .bytes([]), .bytes([0x02]), .bytes(Array("HTTP/1.1 400".utf8)),
        // A routing activation without content, and a header of 4 GB.
        .bytes([0x02, 0xFD, 0x00, 0x06, 0, 0, 0, 0]),
        .bytes([0x02, 0xFD, 0x80, 0x01, 0xFF, 0xFF, 0xFF, 0xFF]),
        .bytes([UInt8](repeating: 0x02, count: DoIPDialect.longestReply + 1)),
        .interrupt, .initialise,
    ]
    private static let requests: [AdapterRequest] = [
        request([0x22, 0xF1, 0x90], at: engine), request([0x01, 0x0C], frames: 1), request([]),
        request([UInt8](repeating: 0x22, count: 5_000)),
        .action(id: RequestID(rawValue: 2), .identify),
        .action(id: RequestID(rawValue: 2), .readVoltage),
        .command(id: RequestID(rawValue: 2), text: "AT RV", mayRepeat: true),
        .monitor(id: RequestID(rawValue: 2), text: "AT MA", atMost: .seconds(1)),
    ]

    static let events: [Happening] = [
        messages.map(Happening.hear), activations, refusals,
        payloads.flatMap { payload in [engine, 0x1011].map { answer(payload, from: $0) } }, others,
        DialectTimer.allCases.map(Happening.expire), requests.map(Happening.send),
    ].flatMap(\.self)

    @Test func `the sample states cover every phase`() {
        let phases = Self.states.map { sample in
            String("\(sample.link.dialect.phase)".prefix { $0 != "(" })
        }
        #expect(
            Set(phases) == [
                "outOfStep", "activating", "confirming", "findingVehicle", "settling", "ready",
                "exchanging",
            ])
    }

    @Test(arguments: states) func `no exchange is lost or doubled, and no wait is endless`(
        state: Sample
    ) {
        for event in Self.events {
            var link = state.link
            let before = link
            link.take(event)
            let about = "\(state.name), \(event), \(link.out)"
            let ends = link.count { if case .end = $0 { true } else { false } }
            let setUps = link.count {
                switch $0 {
                case .ready, .initialisationFailed: true
                default: false
                }
            }
            let wasExchanging = before.dialect.phase == .exchanging
            let isExchanging = link.dialect.phase == .exchanging
            switch event {
            case .send where before.dialect.phase == .ready:
                #expect(ends == (isExchanging ? 0 : 1), "\(about)")
            case .send:
                #expect(link.out == [.end(.refused)], "\(about)")
                #expect(link.dialect == before.dialect, "\(about)")
            case .initialise:
                #expect(ends == 0 && setUps == 0 && link.dialect.phase == .activating, "\(about)")
            default:
                #expect(ends == (wasExchanging && !isExchanging ? 1 : 0), "\(about)")
                #expect(setUps == (before.isSettingUp && !link.isSettingUp ? 1 : 0), "\(about)")
            }
            let messages = link.count { if case .message = $0 { true } else { false } }
            #expect(messages == 0 || wasExchanging, "\(about)")
            if link.isSettingUp || isExchanging {
                #expect(!link.armed.isDisjoint(with: [.reply, .pause]), "\(about)")
            } else {
                #expect(link.armed.isEmpty, "\(about)")
            }
            // An alive check has its answer in each state.
            if event == .hear(.aliveCheck) {
                let alive = DoIPMessage.aliveAnswer(source: Self.tester).bytes(version: 0x02)
                #expect(link.out.contains(.write(alive)), "\(about)")
            }
        }
    }

    /// From each state and event, silence leads to rest: the timers alone end every activity.
    @Test(arguments: states) func `every state of an exchange ends after its time limit`(
        state: Sample
    ) {
        for event in Self.events {
            var link = state.link
            link.take(event)
            var steps = 0
            while let timer = link.armed.sorted(by: { "\($0)" < "\($1)" }).first, steps < 100 {
                link.take(.expire(timer))
                steps += 1
            }
            #expect(steps < 100, "\(state.name), \(event)")
            #expect(
                !link.isSettingUp && link.dialect.phase != .exchanging, "\(state.name), \(event)")
        }
    }

    @Test func `a request longer than the gateway's limit is refused`() {
        var link = Link()
        link.dialect.limitRequests(to: 20)
        for event in Self.ready { link.take(event) }
        #expect(link.dialect.capabilities.longestRequest == 16)
        link.take(.send(Self.request([UInt8](repeating: 0x22, count: 17), at: Self.engine)))
        #expect(link.out == [.status(.requestTooLong), .end(.complete)])
        link.take(.send(Self.request([UInt8](repeating: 0x22, count: 16), at: Self.engine)))
        #expect(link.dialect.phase == .exchanging)
        // Every ECU takes seven bytes, and ISO 15765-2 ends at 4,095.
        link.dialect.limitRequests(to: 0)
        #expect(link.dialect.capabilities.longestRequest == 7)
        link.dialect.limitRequests(to: Int(UInt32.max))
        #expect(link.dialect.capabilities.longestRequestToAll == 4_095)
    }
}
