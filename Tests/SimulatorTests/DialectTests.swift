import Adapters
import OBDCore
import Testing

@testable import Simulator

/// The scan tool's own ELM327 dialect with the simulated adapters and a manual clock.
@Suite struct `The dialect and the simulated adapters` {
    /// A dialect connected to an adapter.
    ///
    /// The clock jumps from deadline to deadline.
    struct Joint {
        var dialect: ELM327Dialect
        var adapter: SimulatedAdapter
        var now = Instant.zero
        private var timers: [DialectTimer: Instant] = [:]
        private var heard: [DialectOutput] = []

        init(_ address: String, _ options: ELM327Dialect.Options = .init()) throws {
            adapter = try SimulatedAdapter(SimulatorOptions(address), at: .zero)
            dialect = ELM327Dialect(options)
        }

        /// Runs the set-up and returns the outputs until it ends.
        mutating func initialise() -> [DialectOutput] {
            heard = []
            var out: [DialectOutput] = []
            dialect.initialise(&out)
            perform(out)
            return run { output in
                if case .ready = output { return true }
                if case .initialisationFailed = output { return true }
                return false
            }
        }

        /// Sends a request and returns the outputs until the exchange ends.
        mutating func ask(_ payload: [UInt8], frames: Int? = nil) -> [DialectOutput] {
            heard = []
            var out: [DialectOutput] = []
            let request = VehicleRequest(
                id: RequestID(rawValue: 1), payload: payload, expectedFrames: frames)
            dialect.send(.vehicle(request), &out)
            perform(out)
            return run { output in
                if case .end = output { return true }
                return false
            }
        }

        private mutating func run(until isOver: (DialectOutput) -> Bool) -> [DialectOutput] {
            var steps = 0
            while !heard.contains(where: isOver), steps < 10_000 {
                steps += 1
                let bytes = adapter.due(at: now)
                var out: [DialectOutput] = []
                if bytes.isEmpty {
                    let timer = timers.min {
                        ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue)
                    }
                    let next = adapter.nextDeadline
                    if let timer, next.map({ timer.value < $0 }) ?? true {
                        now = max(now, timer.value)
                        timers[timer.key] = nil
                        dialect.expired(timer.key, &out)
                    } else if let next {
                        now = max(now, next)
                    } else {
                        break
                    }
                } else {
                    dialect.receive(bytes, &out)
                }
                perform(out)
            }
            return heard
        }

        private mutating func perform(_ out: [DialectOutput]) {
            heard += out
            for output in out {
                if case .write(let bytes) = output { adapter.receive(bytes, at: now) }
                if case .arm(let timer, let time) = output { timers[timer] = now + time }
                if case .disarm(let timer) = output { timers[timer] = nil }
                if case .disarmAll = output { timers = [:] }
            }
        }
    }

    private static let whole =
        ["elm327", "elm327-1.4b", "elm327-1.0", "stn", "clone-1.5", "clone-nospaces"]
        + ["clone-glued", "clone-nul", "clone-nodigit", "clone-twobytes", "clone-2.1"]

    private static func payloads(_ heard: [DialectOutput]) -> [String] {
        heard.compactMap { output in
            guard case .message(let message) = output else { return nil }
            return "\(message.ecu?.description ?? "-") \(Hex.string(message.payload))"
        }
    }

    /// The vehicle's answers arrive complete through every kind of adapter.
    @Test(arguments: whole, [1, 2, 3, 4, 5, 6, 7, 8, 9])
    func `answers arrive as the ECUs sent them`(personality: String, number: Int) throws {
        let address = "?latency=5ms&engine=off&personality=\(personality)&protocol=\(number)"
        var joint = try Joint(address)
        let start = joint.initialise()
        #expect(joint.dialect.identity.vehicleProtocol?.rawValue == UInt8(number), "\(start)")
        var vehicle = try SimulatedVehicle(SimulatorOptions(address))
        for request: [UInt8] in [[1, 0], [1, 0x0C], [3], [7], [9, 2], [9, 4], [6, 0]] {
            let heard = joint.ask(request)
            #expect(heard.last == .end(.complete), "\(request) \(heard)")
            let expected = vehicle.answers(to: request, for: .everybody, after: .zero).map {
                "\($0.ecu) \(Hex.string($0.payload))"
            }
            #expect(Self.payloads(heard).sorted() == expected.sorted(), "\(request)")
        }
    }

    /// A known number of frames saves the adapter's wait and loses no frame.
    @Test(arguments: ["elm327", "stn"])
    func `the count of frames saves time`(personality: String) throws {
        var joint = try Joint("?latency=20ms&engine=off&personality=\(personality)")
        _ = joint.initialise()
        var before = joint.now
        let slow = Self.payloads(joint.ask([1, 0x0D]))
        let without = joint.now - before
        before = joint.now
        let fast = Self.payloads(joint.ask([1, 0x0D], frames: 2))
        let with = joint.now - before
        #expect(slow == fast)
        #expect(with < without)
    }

    /// A vehicle with OBDonUDS only: the adapter's own search fails, but setting the protocol finds
    /// the vehicle.
    @Test func `a vehicle that supports only OBDonUDS is found`() throws {
        var joint = try Joint("onuds?latency=5ms&ecus=1")
        let heard = joint.initialise()
        #expect(joint.dialect.identity.vehicleProtocol == .can11At500, "\(heard)")
        #expect(Self.payloads(joint.ask([0x22, 0xF8, 0x10])) == ["7E8 62F81001"])
    }

    @Test func `without ignition the set-up reports the reason`() throws {
        var joint = try Joint("?latency=5ms&ignition=off")
        #expect(joint.initialise().last == .initialisationFailed(.noVehicle(.unableToConnect)))
    }

    @Test func `a hanging adapter ends in a time-out, and a restart is noticed`() throws {
        var hanging = try Joint("?latency=5ms&personality=clone-hang")
        _ = hanging.initialise()
        let ends = (0..<45).map { _ in hanging.ask([1, 0x0C]).last }
        #expect(ends.contains(.end(.timedOut)))
        var restarting = try Joint("?latency=5ms&personality=clone-restart")
        _ = restarting.initialise()
        let outcomes = (0..<45).map { _ in restarting.ask([1, 0x0C]).last }
        #expect(outcomes.contains(.end(.adapterRestarted)))
    }

    /// A request that writes reaches the vehicle once, even if other requests follow.
    @Test(arguments: whole)
    func `a request to clear is sent once`(personality: String) throws {
        var joint = try Joint("?latency=5ms&engine=off&personality=\(personality)")
        _ = joint.initialise()
        _ = joint.ask([4])
        for _ in 0..<5 { _ = joint.ask([1, 0x0C]) }
        _ = joint.initialise()
        _ = joint.ask([3])
        #expect(joint.adapter.requests.count { $0.payload == [4] } == 1)
    }
}
