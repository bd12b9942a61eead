import Adapters
import OBDCore
import Simulator
import Testing

/// Our own dialect with simulated ECUs on raw frames: it must read the values that they sent.
@Suite struct `ECUs on raw frames` {
    private struct Run {
        var messages: [ECUMessage] = []
        var errors = 0
        var statuses: [AdapterStatus] = []
        var failure: InitialisationFailure?
        var spoken: VehicleProtocol?
        var banner: String?
        var asked: [[UInt8]] = []
        /// The time from the last request to the end.
        var time = Duration.zero
    }

    private static func run(
        _ text: String, _ requests: [VehicleRequest], vehicle: VehicleNeed = .needed
    ) throws -> Run {
        let options = try SimulatorOptions(text)
        return try run(
            try options.device(at: .zero), requests,
            CANDialect.Options(
                options.protocols == [CANDialect.recordProtocol]
                    ? .interface(name: "sim", rate: nil) : .slcan, vehicle: vehicle))
    }

    private static func run(
        _ device: some SimulatedDevice, _ requests: [VehicleRequest], _ options: CANDialect.Options
    ) throws -> Run {
        var device = device
        var dialect = CANDialect(options)
        var timers: [DialectTimer: Instant] = [:]
        var run = Run()
        var now = Instant.zero
        var begun = Instant.zero
        var out: [DialectOutput] = []
        var left = requests[...]
        var isDone = false
        dialect.initialise(&out)
        for _ in 0..<200_000 where !isDone {
            while !out.isEmpty {
                switch out.removeFirst() {
                case .write(let bytes): device.receive(bytes, at: now)
                case .arm(let timer, let patience): timers[timer] = now + patience
                case .disarm(let timer): timers[timer] = nil
                case .disarmAll: timers = [:]
                case .message(let message): run.messages.append(message)
                case .linkError: run.errors += 1
                case .status(let status): run.statuses.append(status)
                case .initialisationFailed(let failure):
                    run.failure = failure
                    isDone = true
                case .ready, .end:
                    run.time = now - begun
                    guard let next = left.popFirst() else {
                        isDone = true
                        break
                    }
                    begun = now
                    dialect.send(.vehicle(next), &out)
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
        run.spoken = dialect.capabilities.vehicleProtocol
        run.banner = dialect.identity.banner
        run.asked = device.requests.map(\.payload)
        return run
    }

    private static func request(
        _ payload: [UInt8], to target: ECUAddress? = nil, expecting frames: Int? = nil
    ) -> VehicleRequest {
        VehicleRequest(
            id: RequestID(rawValue: 1), target: target, payload: payload, expectedFrames: frames)
    }

    static let kinds = ["slcan", "slcan-silent", "slcan-z", "can"]

    @Test(arguments: kinds, ["6", "7", "8", "9"])
    func `the vehicle is found on every CAN protocol, by every kind of link`(
        _ kind: String, _ number: String
    ) throws {
        let run = try Self.run(
            "?personality=\(kind)&protocol=\(number)&latency=5ms", [Self.request([0x01, 0x0D])])
        #expect(run.failure == nil)
        let wanted = try #require(VehicleProtocol(number))
        // An interface ("can") does not report its rate.
        #expect(run.spoken?.addressForm == wanted.addressForm)
        if kind != "can" { #expect(run.spoken == wanted) }
        #expect(run.messages.contains { $0.payload.prefix(2) == [0x41, 0x0D] })
        #expect(run.errors == 0)
    }

    @Test(arguments: kinds)
    func `long answers of several ECUs arrive whole`(_ kind: String) throws {
        let run = try Self.run(
            "?personality=\(kind)&latency=3ms&ecus=8", [Self.request([0x09, 0x0A])])
        #expect(run.errors == 0)
        let names = run.messages.filter { $0.payload.prefix(3) == [0x49, 0x0A, 0x01] }
        #expect(names.count == 8)
        #expect(Set(names.map(\.ecu)).count == 8)
        #expect(names.allSatisfy { $0.payload.count == 23 })
    }

    @Test func `the known number of frames ends the exchange`() throws {
        let run = try Self.run(
            "?personality=slcan&latency=5ms&ecus=1&jitter=0",
            [Self.request([0x01, 0x0C], expecting: 1)])
        #expect(run.time == .milliseconds(5))
    }

    @Test func `a long request to one ECU is accepted and answered`() throws {
        // A request for two identifiers fits in one frame, one for six needs two.
        let six: [UInt8] =
            [0x22] + [0xF1, 0x90, 0xF1, 0x8C, 0xF1, 0x95, 0xF1, 0x87, 0xF1, 0x89, 0xF1, 0x90]
        let run = try Self.run(
            "?personality=slcan&latency=2ms",
            [Self.request(six, to: ECUAddress(0x7E0, .can11))])
        #expect(run.asked.last == six)
        #expect(run.statuses.isEmpty && run.errors == 0)
        #expect(run.messages.count == 1)
    }

    @Test func `response pending is waited for`() throws {
        let run = try Self.run(
            "?personality=can&latency=2ms&slow=900ms", [Self.request([0x09, 0x06])])
        let pending: [UInt8] = [0x7F, 0x09, 0x78]
        #expect(run.messages.contains { $0.payload == pending })
        #expect(run.messages.contains { $0.payload.prefix(2) == [0x49, 0x06] })
    }

    @Test(arguments: ["slcan", "can"]) func `a truck is found and reports its VIN`(kind: String)
        throws
    {
        let run = try Self.run(
            "truck?personality=\(kind)&latency=5ms",
            [Self.request([0x00, 0xFE, 0xEC]), Self.request([0x00, 0xFE, 0xCA])])
        #expect(run.spoken == .j1939)
        #expect(run.messages.contains { $0.parameterGroup == 0xFEEC && $0.payload.count > 8 })
        #expect(run.messages.contains { $0.parameterGroup == 0xFECA })
        #expect(run.errors == 0)
    }

    @Test func `a sleeping vehicle is missing, and its bus is not disturbed`() throws {
        let run = try Self.run("?personality=slcan&ignition=off", [])
        #expect(run.failure == .noVehicle(.noData))
    }

    @Test(arguments: ["6", "8"]) func `nothing is sent at a rate that is not the bus's rate`(
        number: String
    ) throws {
        let options = try SimulatorOptions("?personality=slcan&protocol=\(number)&latency=2ms")
        let device = try SimulatedCANDevice(.slcan, options, at: .zero)
        let watched = DisturbanceWatch(device)
        let run = try Self.run(watched, [], CANDialect.Options(.slcan))
        #expect(run.failure == nil)
        #expect(watched.count.value == 0)
    }

    @Test func `another tester's requests and answers change nothing`() throws {
        var device = try SimulatorOptions("?personality=can&latency=1ms").device(at: .zero)
        // The other tester asks for the VIN and sends flow control. We see all of the frames.
        var other = CANExchange()
        var out: [CANExchange.Output] = []
        let hasBegun = other.begin(Self.request([0x09, 0x02]), on: .can11At500, &out)
        var ours = CANExchange()
        var said: [CANExchange.Output] = []
        let haveWe = ours.begin(Self.request([0x01, 0x0C]), on: .can11At500, &said)
        #expect(hasBegun && haveWe)
        let wire = CANWire.records(CANRecordLexer())
        var now = Instant.zero
        for _ in 0..<100 {
            for step in [out, said].joined() {
                if case .send(let frame) = step {
                    device.receive(wire.bytes(of: frame), at: now)
                }
            }
            out.removeAll { if case .send = $0 { true } else { false } }
            let sends = said.count { if case .send = $0 { true } else { false } }
            #expect(sends <= 1)
            said.removeAll { if case .send = $0 { true } else { false } }
            guard let next = device.nextDeadline else { break }
            now = max(now, next)
            var lexer = CANRecordLexer()
            var events: [CANEvent] = []
            lexer.receive(device.due(at: now).span, &events)
            for case .frame(let frame) in events {
                other.receive(frame, &out)
                ours.receive(frame, &said)
            }
        }
        let told = { (outputs: [CANExchange.Output]) in
            outputs.compactMap {
                if case .tell(.message(let message)) = $0 { message.payload.first } else { nil }
            }
        }
        #expect(Set(told(out)) == [0x49])
        #expect(Set(told(said)) == [0x41])
    }
}

/// Counts the frames that were sent at a wrong rate.
private struct DisturbanceWatch: SimulatedDevice {
    final class Count: @unchecked Sendable { var value = 0 }

    var device: SimulatedCANDevice
    let count = Count()

    init(_ device: SimulatedCANDevice) { self.device = device }

    var summary: String { device.summary }
    var requests: [SimulatedAdapter.ReceivedRequest] { device.requests }
    var requestCount: Int { device.requestCount }
    var nextDeadline: Instant? { device.nextDeadline }

    mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        device.receive(bytes, at: now)
        count.value = device.disturbances
    }

    mutating func due(at now: Instant) -> [UInt8] { device.due(at: now) }
}
