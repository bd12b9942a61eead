import Adapters
import OBDCore
import ScanTool
import TestSupport
import Testing

@testable import ScanSession

@Suite struct `The deadlines of a session` {
    @Test func `the nearest deadline is awaited first, whoever set it`() {
        var deadlines = Deadlines()
        #expect(deadlines.nearest == nil)
        deadlines.arm(.reply, at: at(5))
        #expect(deadlines.nearest == at(5))
        deadlines.plan = at(4)
        #expect(deadlines.nearest == at(4))
        deadlines.limitDrain(to: at(3))
        #expect(deadlines.nearest == at(3))
        deadlines.arm(.pause, at: at(2))
        #expect(deadlines.nearest == at(2))
        // The same deadline again, but later.
        deadlines.arm(.pause, at: at(9))
        #expect(deadlines.nearest == at(3))
    }

    @Test func `a deadline passes once, and a disarmed deadline never passes`() {
        var deadlines = Deadlines()
        deadlines.arm(.reply, at: at(5))
        deadlines.arm(.pause, at: at(6))
        var isArmed = deadlines.disarm(.pause)
        #expect(isArmed)
        isArmed = deadlines.disarm(.pause)
        #expect(!isArmed)
        let early = deadlines.takeExpired(at: at(4))
        let due = deadlines.takeExpired(at: at(6))
        let twice = deadlines.takeExpired(at: at(6))
        #expect(early == nil && due == .reply && twice == nil)
    }

    @Test func `a long search ends a wait and is reported once`() {
        var deadlines = Deadlines()
        deadlines.arm(.reply, at: at(40))
        deadlines.longSearch = at(4)
        #expect(deadlines.nearest == at(4))
        let early = deadlines.takeLongSearch(at: at(3))
        let due = deadlines.takeLongSearch(at: at(4))
        let twice = deadlines.takeLongSearch(at: at(5))
        #expect(!early && due && !twice)
        #expect(deadlines.nearest == at(40))
    }

    @Test func `of several time limits for storing at the end, the first counts`() {
        var deadlines = Deadlines()
        deadlines.limitDrain(to: at(3))
        deadlines.limitDrain(to: at(8))
        #expect(!deadlines.isDrainOver(at: at(2)) && deadlines.isDrainOver(at: at(3)))
        deadlines.endDrain()
        #expect(!deadlines.isDrainOver(at: at(9)))
    }
}

@Suite struct `A connect plan` {
    @Test func `a line without a rate or with a given rate stays unchanged`() {
        var plan = ConnectPlan(remembered: 115_200)
        #expect(plan.next(lineHasRate: false, isGiven: false) == .asItIs)
        #expect(plan.next(lineHasRate: true, isGiven: true) == .asItIs)
    }

    @Test func `a remembered rate is trusted once, then tried first`() {
        var plan = ConnectPlan(remembered: 115_200)
        #expect(plan.next(lineHasRate: true, isGiven: false) == .trust(115_200))
        #expect(plan.isOnTrust)
        let rest = ConnectPlan.usualRates.filter { $0 != 115_200 }
        #expect(plan.next(lineHasRate: true, isGiven: false) == .search([115_200] + rest))
        #expect(!plan.isOnTrust)
    }

    @Test func `a rate is trusted again after a set-up at this rate`() {
        var plan = ConnectPlan(remembered: nil)
        #expect(plan.next(lineHasRate: true, isGiven: false) == .search(ConnectPlan.usualRates))
        plan.succeeded(at: 38_400)
        #expect(plan.next(lineHasRate: true, isGiven: false) == .trust(38_400))
    }
}

@Suite struct `A line probe` {
    @Test func `the probe sends a command that no adapter knows, never a lone carriage return`() {
        // ELM327 data sheet: a single carriage return repeats the last command, and hexadecimal
        // digits go to the vehicle.
        #expect(LineProbe.question.first != 0x0D)
        #expect(LineProbe.question.last == 0x0D)
        let digits = Set("0123456789ABCDEFabcdef".utf8)
        #expect(digits.isDisjoint(with: LineProbe.question))
    }

    @Test(arguments: [
        ("?\r\r>", true), ("7F7F\r?\r\n\r\n>", true), ("\0?\r>", true),
        // A prompt alone may be noise: 3E.
        (">", false), ("\0>", false),
        ("?\r\r", false), ("", false), ("\u{1}\u{7F}>", false),
    ])
    func `a prompt after plain text is an answer`(_ text: String, _ isAnswer: Bool) {
        #expect(verdicts([text]) == [isAnswer])
    }

    @Test func `a prompt after noise is not an answer, a later prompt is`() {
        #expect(verdicts(["\u{80}>", "?\r>"]) == [false, true])
    }

    @Test func `an answer in pieces is recognised`() {
        #expect(verdicts(["?", "\r\r", ">"]) == [false, false, true])
    }

    private func verdicts(_ pieces: [String]) -> [Bool] {
        var probe = LineProbe()
        return pieces.map { probe.receive(Array($0.utf8)) }
    }
}

@Suite struct `Round trips` {
    @Test func `there are no percentiles before the first round trip`() {
        #expect(RoundTrips().percentile(0.5) == nil)
    }

    @Test(arguments: [1, 63, 64, 65, 1_000, 999_999, 16_100_000, 5_000_000_000, Int64.max])
    func `percentiles are exact to 1.6 %`(_ nanoseconds: Int64) throws {
        let place = RoundTrips.place(of: UInt64(nanoseconds))
        let bound = RoundTrips.upperBound(of: place)
        #expect(bound >= nanoseconds)
        #expect(Double(bound) <= Double(nanoseconds) * (1 + 1.0 / 64))
    }

    @Test func `round trips of one to a hundred milliseconds have these percentiles`() throws {
        var trips = RoundTrips()
        for milliseconds in (1...100).reversed() { trips.record(.milliseconds(milliseconds)) }
        // Nearest rank: the 50th, 95th and 99th of a hundred values.
        for (share, expected) in [(0.50, 0.050), (0.95, 0.095), (0.99, 0.099), (1.0, 0.100)] {
            let found = try #require(trips.percentile(share)).seconds
            #expect(found >= expected && found <= expected * (1 + 1.0 / 64))
        }
    }

    @Test func `impossible round trip times do not crash`() {
        var trips = RoundTrips()
        trips.record(.seconds(-5))
        trips.record(.nanoseconds(Int64.max))
        #expect(trips.total == 2)
        #expect(trips.percentile(0) == .zero)
    }
}

@Suite struct `The dialect for an adapter` {
    private static let gateway = [DoIPDialect.protocolString]
    private static let goLink = [GoLinkDialect.protocolString]

    /// The chosen dialect, the adapter's protocols, the vehicle protocol, and the resulting dialect.
    @Test(
        arguments: [
            (.automatic, [], nil, .automatic), (.stn, [], nil, .stn),
            (.automatic, gateway, nil, .doip), (.automatic, gateway, .doip, .doip),
            (.doip, gateway, .doip, .doip), (.automatic, goLink, nil, .goLink),
            (.elm327, goLink, .can11At500, .elm327),
        ] as [(DialectChoice, [String], VehicleProtocol?, DialectChoice)])
    func `the dialect is the user's choice, else the adapter's known dialect`(
        chosen: DialectChoice, protocols: [String], vehicleProtocol: VehicleProtocol?,
        dialect: DialectChoice
    ) throws {
        #expect(try chosen.settled(for: protocols, vehicleProtocol) == dialect)
    }

    @Test(
        arguments: [
            (.automatic, [], .doip, .noGateway), (.doip, goLink, .doip, .noGateway),
            (.elm327, gateway, nil, .isGateway), (.stn, gateway, .doip, .isGateway),
        ] as [(DialectChoice, [String], VehicleProtocol?, DialectChoice.Mismatch)])
    func `a gateway has no other dialect than DoIP, and no other link has DoIP`(
        chosen: DialectChoice, protocols: [String], vehicleProtocol: VehicleProtocol?,
        mismatch: DialectChoice.Mismatch
    ) {
        #expect(throws: mismatch) { try chosen.settled(for: protocols, vehicleProtocol) }
    }
}

@Suite struct `The events of a session` {
    /// A reader that is too slow for a bus: frames and earlier losses are one number, other events another.
    @Test func `frames in events that were dropped are counted one by one`() throws {
        let core = try SessionCore(memory: AdapterMemory())
        let frame = BusFrame(id: ECUAddress(0x123, .can11), data: [1])
        let frames = 2 * SessionCore.eventLimit + 100
        for number in 0..<frames {
            core.publish(.didProgress(.heardFrame(frame)), at: at(1))
            if number % 1_000 == 0 { core.publish(.didLoseFrames(7), at: at(1)) }
            if number % 10_000 == 0 { core.publish(.didProgress(.longSearch), at: at(1)) }
        }
        var events: [(time: Instant, event: ScanEvent)] = []
        core.takeEvents(&events)
        #expect(events.count <= SessionCore.eventLimit)
        var (heard, lost, other, dropped) = (0, 0, 0, 0)
        for (_, event) in events {
            switch event {
            case .didProgress(.heardFrame): heard += 1
            case .didLoseFrames(let count): lost += count
            case .didLoseEvents(let count): dropped += count
            default: other += 1
            }
        }
        #expect(heard + lost == frames + 7 * ((frames + 999) / 1_000))
        #expect(other + dropped == (frames + 9_999) / 10_000 && dropped > 0)
    }
}
