import Adapters
public import OBDCore

/// A simulated GoLink with a simulated vehicle.
public struct SimulatedGoLink: ServedDevice {
    /// The vehicle.
    public private(set) var vehicle: SimulatedVehicle
    /// The latest requests that reached the vehicle, oldest first.
    public private(set) var requests: [SimulatedAdapter.ReceivedRequest] = []
    /// The number of all requests that reached the vehicle.
    public private(set) var requestCount = 0

    private let options: SimulatorOptions
    private let begin: Instant
    private var output = OutputQueue()
    private var input: [UInt8] = []
    /// The arrival time of the last byte of an incomplete frame.
    private var lastByte: Instant

    /// A device that is plugged in and switched on at `now`.
    public init(_ options: SimulatorOptions, at now: Instant) throws(SimulatorError) {
        self.options = options
        vehicle = try SimulatedVehicle(options)
        guard vehicle.vehicleProtocol.goLinkBus != nil else {
            throw .invalidValue(
                option: "protocol", value: vehicle.vehicleProtocol.digit,
                expected: "1 to 9 (a GoLink knows no other bus)")
        }
        begin = now
        lastByte = now
    }

    /// The name of the device in lists.
    public var title: String { "GoLink adapter, binary frames (\(GoLinkDialect.protocolString))" }

    /// Takes bytes from the host that all arrive at `now`.
    public mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        // An incomplete frame without further bytes is not a frame.
        if now - lastByte > .milliseconds(200) { input = [] }
        lastByte = now
        for byte in bytes {
            input.append(byte)
            if input.count <= 3 || input.count < 3 + Int(input[2]) {
                // No request has another identifier or is longer.
                let isWrong =
                    input[0] != 0x07 || input.count > 2 && !(1...8).contains(input[2])
                if isWrong { input.removeFirst() }
                continue
            }
            take(address: input[1], Array(input[3...]), at: now)
            input = []
        }
    }

    /// The output that is due at `now`.
    public mutating func due(at now: Instant) -> [UInt8] {
        var bytes: [UInt8] = []
        output.take(until: now, into: &bytes)
        return bytes
    }

    /// The next time to call ``due(at:)`` if no byte arrives before; nil for never.
    public var nextDeadline: Instant? { output.nextDue }

    private mutating func take(address: UInt8, _ body: [UInt8], at now: Instant) {
        if address == 0x00, body == [0x01] {
            guard let bus = vehicle.vehicleProtocol.goLinkBus else { return }
            send(.busType(bus.type, keywords: bus.keywords), at: now + .milliseconds(5))
            return
        }
        guard address == 0xDF else { return }
        note(body, at: now)
        let answers = vehicle.answers(to: body, for: .everybody, after: now - begin)
        let first = now + options.latency + vehicle.jitter(request: requestCount)
        if answers.isEmpty {
            // The device waits as long as an ECU may take.
            send(
                .failure(.noResponse, request: body),
                at: now + max(.milliseconds(100), options.latency))
        }
        for answer in answers {
            let order = options.latency == .zero ? .zero : answer.stagger
            send(
                .data(ecu: UInt8(truncatingIfNeeded: answer.ecu.value), payload: answer.payload),
                at: first + answer.delay + order)
        }
    }

    private mutating func note(_ payload: [UInt8], at now: Instant) {
        requestCount += 1
        requests.append(.init(at: now, header: "DF", payload: payload))
        if requests.count > SimulatedAdapter.keptRequests { requests.removeFirst() }
    }

    private mutating func send(_ frame: GoLinkFrame, at time: Instant) {
        // An answer that does not fit into a frame is not sent.
        if let bytes = frame.bytes, !output.isFull { output.append(bytes, at: time) }
    }
}
