import OBDCore
import Testing

@testable import Adapters

/// The frames of `com.goPoint.p1`: the example in its document, cut at each byte.
@Suite struct `GoLink frames` {
    /// Three ECUs answer `01 00` in one read of 27 bytes (the example in the protocol's document).
    static let example: [UInt8] = [
        0x00, 0xEB, 0x06, 0x41, 0x00, 0x80, 0x40, 0x00, 0x01,
        0x00, 0xE8, 0x06, 0x41, 0x00, 0xBF, 0xFF, 0xB9, 0x93,
        0x00, 0xEA, 0x06, 0x41, 0x00, 0x80, 0x00, 0x00, 0x01,
    ]

    static let frames: [GoLinkFrame] = [
        .data(ecu: 0xEB, payload: [0x41, 0x00, 0x80, 0x40, 0x00, 0x01]),
        .data(ecu: 0xE8, payload: [0x41, 0x00, 0xBF, 0xFF, 0xB9, 0x93]),
        .data(ecu: 0xEA, payload: [0x41, 0x00, 0x80, 0x00, 0x00, 0x01]),
    ]

    @Test func `any split of the bytes gives the same frames`() {
        for first in 0...Self.example.count {
            for second in first...Self.example.count {
                var lexer = GoLinkLexer()
                var found: [GoLinkLexer.Token] = []
                for piece in [
                    Self.example[..<first], Self.example[first..<second], Self.example[second...],
                ] { lexer.receive(Array(piece).span, &found) }
                #expect(found == Self.frames.map { .frame($0) })
            }
        }
    }

    @Test func `bytes that cannot be a frame are skipped until a pause`() {
        var lexer = GoLinkLexer()
        var found: [GoLinkLexer.Token] = []
        lexer.receive([0x55, 0xE8, 0x06, 0x41].span, &found)
        #expect(found == [.damage])
        #expect(lexer.isSkipping)
        lexer.receive(Self.example.span, &found)
        #expect(found == [.damage])
        lexer.pause()
        lexer.receive(Self.example.span, &found)
        #expect(found == [.damage] + Self.frames.map { .frame($0) })
    }

    @Test func `a frame without a body, or with a body that is not an answer, is ignored`() {
        for bytes: [UInt8] in [[0x00, 0xE8, 0x00], [0x00, 0xE8, 0x02, 0x01, 0x00]] {
            var lexer = GoLinkLexer()
            var found: [GoLinkLexer.Token] = []
            lexer.receive(bytes.span, &found)
            #expect(found == [.damage])
        }
    }

    @Test func `requests are written as the document describes`() {
        #expect(GoLinkFrame.request([0x01, 0x0C]).bytes == [0x07, 0xDF, 0x02, 0x01, 0x0C])
        #expect(GoLinkFrame.busTypeRequest.bytes == [0x07, 0x00, 0x01, 0x01])
        #expect(GoLinkFrame.request([]).bytes == nil)
        #expect(GoLinkFrame.request([UInt8](repeating: 1, count: 9)).bytes == nil)
    }

    @Test func `error and system frames are read`() {
        var lexer = GoLinkLexer()
        var found: [GoLinkLexer.Token] = []
        lexer.receive([0x01, 0x00, 0x06, 0x02, 0x07, 0xDF, 0x02, 0x01, 0x0C].span, &found)
        lexer.receive([0x07, 0x00, 0x04, 0x01, 0x08, 0x08, 0x08].span, &found)
        #expect(
            found == [
                .frame(.failure(.noResponse, request: [0x01, 0x0C])),
                .frame(.busType(8, keywords: [0x08, 0x08])),
            ])
    }

    @Test func `the bus comes from its number, and from keywords where the number is ambiguous`() {
        #expect(VehicleProtocol(goLinkBus: 0, keywords: [0, 0]) == .can11At500)
        #expect(VehicleProtocol(goLinkBus: 4, keywords: [0, 0]) == .j1850VPW)
        #expect(VehicleProtocol(goLinkBus: 5, keywords: [0, 0]) == .j1850PWM)
        #expect(VehicleProtocol(goLinkBus: 8, keywords: [8, 8]) == .iso9141)
        #expect(VehicleProtocol(goLinkBus: 9, keywords: [0x94, 0x94]) == .iso9141)
        #expect(VehicleProtocol(goLinkBus: 9, keywords: [0, 0]) == nil)
        #expect(VehicleProtocol(goLinkBus: 200, keywords: [0, 0]) == nil)
    }
}

/// The dialect of GoLink devices.
///
/// The tests play the device step by step.
@Suite struct `GoLink dialect` {
    private static let bus: [UInt8] = [0x07, 0x00, 0x04, 0x01, 0x00, 0x00, 0x00]
    private static let map: [UInt8] = [0x00, 0xE8, 0x06, 0x41, 0x00, 0xBF, 0xFF, 0xB9, 0x93]
    private static let speed: [UInt8] = [0x00, 0xE8, 0x03, 0x41, 0x0D, 0x32]
    private static let speedMessage = ECUMessage(
        ecu: ECUAddress(0x7E8, .can11), payload: [0x41, 0x0D, 0x32])

    private func ready() -> GoLinkDialect {
        var dialect = GoLinkDialect()
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        dialect.receive(Self.bus, &out)
        dialect.receive(Self.map, &out)
        dialect.expired(.pause, &out)
        return dialect
    }

    private func request(_ payload: [UInt8], frames: Int? = nil) -> AdapterRequest {
        .vehicle(
            VehicleRequest(id: RequestID(rawValue: 1), payload: payload, expectedFrames: frames))
    }

    private func news(_ out: [DialectOutput]) -> [DialectOutput] {
        out.filter { output in
            switch output {
            case .arm, .disarm, .disarmAll: false
            default: true
            }
        }
    }

    @Test func `the set-up asks for the bus, then for the support map`() {
        var dialect = GoLinkDialect()
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        #expect(news(out) == [.write([0x07, 0x00, 0x01, 0x01])])
        out = []
        dialect.receive(Self.bus, &out)
        #expect(
            news(out) == [
                .notice(.protocolFound(.can11At500)), .write([0x07, 0xDF, 0x02, 0x01, 0x00]),
            ])
        out = []
        dialect.receive(Self.map, &out)
        #expect(news(out) == [])
        dialect.expired(.pause, &out)
        #expect(news(out) == [.ready(dialect.identity)])
        #expect(dialect.identity.vehicleProtocol == .can11At500)
    }

    @Test func `silence, noise and a missing vehicle have different errors`() {
        var dialect = GoLinkDialect()
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        for _ in 0..<GoLinkDialect.tries { dialect.expired(.reply, &out) }
        #expect(news(out).last == .initialisationFailed(.silent))

        out = []
        dialect.initialise(&out)
        dialect.receive(Array("ELM327 v1.5\r\r>".utf8), &out)
        for _ in 0..<GoLinkDialect.tries { dialect.expired(.reply, &out) }
        #expect(news(out).last == .initialisationFailed(.notUnderstood(received: 14)))

        out = []
        dialect.initialise(&out)
        dialect.receive(Self.bus, &out)
        for _ in 0...GoLinkDialect.tries { dialect.expired(.reply, &out) }
        #expect(news(out).last == .initialisationFailed(.noVehicle(.noData)))
    }

    @Test func `the device is set up without its vehicle if the vehicle may be missing`() {
        var dialect = GoLinkDialect(.init(vehicle: .optional))
        var out: [DialectOutput] = []
        dialect.initialise(&out)
        dialect.receive(Self.bus, &out)
        for _ in 0...GoLinkDialect.tries { dialect.expired(.reply, &out) }
        #expect(
            news(out).suffix(2) == [
                .notice(.setupGoesOn(after: .noVehicle(.noData))), .ready(dialect.identity),
            ])
        #expect(dialect.capabilities.vehicleProtocol == .can11At500)
        // Another set-up in the same session does not wait for the vehicle again.
        out = []
        dialect.initialise(&out)
        dialect.receive(Self.bus, &out)
        #expect(news(out).last == .ready(dialect.identity))
    }

    @Test func `the known number of answers ends an exchange; without a number, a pause does`() {
        var dialect = ready()
        var out: [DialectOutput] = []
        dialect.send(request([0x01, 0x0D], frames: 1), &out)
        dialect.receive(Self.speed, &out)
        #expect(
            news(out) == [
                .write([0x07, 0xDF, 0x02, 0x01, 0x0D]), .message(Self.speedMessage),
                .end(.complete),
            ])
        out = []
        dialect.send(request([0x01, 0x0D]), &out)
        dialect.receive(Self.speed, &out)
        #expect(!news(out).contains(.end(.complete)))
        dialect.expired(.pause, &out)
        #expect(news(out).last == .end(.complete))
    }

    /// The rest of a frame would come before the next answer.
    @Test func `an exchange does not end in the middle of a frame`() {
        var dialect = ready()
        var out: [DialectOutput] = []
        dialect.send(request([0x01, 0x0D], frames: 1), &out)
        dialect.receive(Self.speed + Self.speed.prefix(4), &out)
        #expect(dialect.phase == .exchanging)
        #expect(out.last == .arm(.pause, after: .milliseconds(100)))
        out = []
        dialect.receive(Array(Self.speed.dropFirst(4)), &out)
        #expect(news(out) == [.message(Self.speedMessage), .end(.complete)])
        // The exchange has ended, so no timer is armed after it.
        #expect(out.last == .end(.complete))
        // An error frame of the device ends the exchange anyway. The rest of a frame is dropped at
        // the next request.
        dialect.send(request([0x01, 0x0D], frames: 1), &out)
        out = []
        dialect.receive(
            [0x01, 0x00, 0x06, 0x02, 0x07, 0xDF, 0x02, 0x01, 0x0D] + Self.speed.prefix(4), &out)
        #expect(out.last == .end(.complete))
        dialect.send(request([0x01, 0x0D], frames: 1), &out)
        out = []
        dialect.receive(Self.speed, &out)
        #expect(news(out) == [.message(Self.speedMessage), .end(.complete)])
    }

    @Test func `a late answer to another request does not count`() {
        var dialect = ready()
        var out: [DialectOutput] = []
        dialect.send(request([0x01, 0x0C], frames: 1), &out)
        dialect.receive(Self.speed, &out)
        #expect(news(out).last == .message(Self.speedMessage))
        #expect(dialect.phase == .exchanging)
    }

    @Test func `an answer to another identifier with the same high byte does not count`() {
        var dialect = ready()
        var out: [DialectOutput] = []
        dialect.send(request([0x22, 0xF4, 0x0C], frames: 1), &out)
        dialect.receive([0x00, 0xE8, 0x04, 0x62, 0xF4, 0x0D, 0x32], &out)
        #expect(dialect.phase == .exchanging)
        dialect.receive([0x00, 0xE8, 0x05, 0x62, 0xF4, 0x0C, 0x1A, 0xF8], &out)
        #expect(news(out).last == .end(.complete))
        // An ECU leaves out the identifiers that it does not support (ISO 14229-1).
        dialect.send(request([0x22, 0xF4, 0x0C, 0xF4, 0x0D], frames: 1), &out)
        dialect.receive([0x00, 0xE8, 0x04, 0x62, 0x0C, 0xF4, 0x32], &out)
        #expect(dialect.phase == .exchanging)
        dialect.receive([0x00, 0xE8, 0x04, 0x62, 0xF4, 0x0D, 0x32], &out)
        #expect(news(out).last == .end(.complete))
    }

    @Test func `the device's report that no ECU answered is a status`() {
        var dialect = ready()
        var out: [DialectOutput] = []
        dialect.send(request([0x01, 0x0C]), &out)
        dialect.receive([0x01, 0x00, 0x06, 0x02, 0x07, 0xDF, 0x02, 0x01, 0x0C], &out)
        #expect(news(out).suffix(2) == [.status(.noData), .end(.complete)])
        out = []
        dialect.send(request([0x01, 0x0D]), &out)
        // This error frame belongs to the request before.
        dialect.receive([0x01, 0x00, 0x06, 0x02, 0x07, 0xDF, 0x02, 0x01, 0x0C], &out)
        #expect(dialect.phase == .exchanging)
    }

    @Test func `after response pending the dialect waits for the answer`() {
        var dialect = ready()
        var out: [DialectOutput] = []
        dialect.send(request([0x09, 0x06], frames: 1), &out)
        dialect.receive([0x00, 0xE8, 0x03, 0x7F, 0x09, 0x78], &out)
        dialect.expired(.pause, &out)
        #expect(dialect.phase == .exchanging)
        dialect.receive([0x00, 0xE8, 0x07, 0x49, 0x06, 0x01, 1, 2, 3, 4], &out)
        #expect(news(out).last == .end(.complete))
    }

    /// If one byte of an answer is lost or flipped, no message is invented, and the next exchange
    /// works.
    @Test func `after a lost or flipped byte the next exchange is correct`() {
        for index in Self.speed.indices {
            var lost = Self.speed
            lost.remove(at: index)
            var breaks = [lost]
            for bit in 0..<8 {
                var flipped = Self.speed
                flipped[index] ^= 1 << bit
                breaks.append(flipped)
            }
            for broken in breaks {
                var dialect = ready()
                var out: [DialectOutput] = []
                dialect.send(request([0x01, 0x0D], frames: 1), &out)
                dialect.receive(broken, &out)
                dialect.expired(.pause, &out)
                if dialect.phase == .exchanging { dialect.expired(.reply, &out) }
                #expect(news(out).contains { if case .end = $0 { true } else { false } })
                if dialect.phase == .outOfStep {
                    dialect.initialise(&out)
                    dialect.receive(Self.bus, &out)
                    dialect.receive(Self.map, &out)
                    dialect.expired(.pause, &out)
                }
                out = []
                dialect.send(request([0x01, 0x0D], frames: 1), &out)
                dialect.receive(Self.speed, &out)
                #expect(
                    news(out).suffix(2) == [.message(Self.speedMessage), .end(.complete)],
                    "broken: \(broken)")
            }
        }
    }

    @Test func `requests that the device cannot send are refused`() {
        var dialect = ready()
        for request in [
            AdapterRequest.command(id: RequestID(rawValue: 1), text: "AT RV", mayRepeat: true),
            .vehicle(
                VehicleRequest(
                    id: RequestID(rawValue: 1), target: ECUAddress(0x7E0, .can11),
                    payload: [0x01, 0x0C])),
            request([UInt8](repeating: 0x22, count: 9)),
        ] {
            var out: [DialectOutput] = []
            dialect.send(request, &out)
            #expect(out == [.end(.refused)])
        }
    }

    @Test func `sleep is reported, and an interruption ends the exchange at once`() {
        var dialect = ready()
        var out: [DialectOutput] = []
        dialect.receive([0x01, 0x00, 0x06, 0x00, 0, 0, 0, 0, 0], &out)
        #expect(news(out) == [.notice(.aboutToSleep)])
        out = []
        dialect.send(request([0x01, 0x0C]), &out)
        dialect.interrupt(&out)
        #expect(news(out).last == .end(.interrupted))
        #expect(dialect.phase == .ready)
    }

    @Test func `endless bytes end the exchange`() {
        var dialect = ready()
        var out: [DialectOutput] = []
        dialect.send(request([0x01, 0x0C]), &out)
        dialect.receive([UInt8](repeating: 0xAA, count: GoLinkDialect.longestReply + 1), &out)
        #expect(news(out).last == .end(.flooded))
    }
}
