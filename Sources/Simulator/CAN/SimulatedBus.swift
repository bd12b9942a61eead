import Adapters
import OBDCore
import VehicleLink

/// The simulated vehicle's ECUs on a CAN bus: frames of testers go in, and timed frames of ECUs come out.
///
/// Each ECU has its own transport layer. An ECU waits for flow control before it continues a long answer,
/// follows the received block size and separation time, and accepts long requests from a tester.
struct SimulatedBus: Sendable {
    private(set) var vehicle: SimulatedVehicle
    /// The latest requests that reached the vehicle, oldest first.
    private(set) var requests: [SimulatedAdapter.ReceivedRequest] = []
    /// The number of all requests that reached the vehicle.
    private(set) var requestCount = 0
    /// The latest frames of testers, oldest first, whether an ECU takes them or not.
    private(set) var heard: [CANFrame] = []

    private let options: SimulatorOptions
    private let begin: Instant

    /// A frame that an ECU sends at a given time.
    private struct Planned: Sendable {
        var at: Instant
        var frame: CANFrame
        /// The long answer that continues after this frame.
        var thenOpens: Outgoing?
    }

    /// The rest of a long answer.
    private struct Outgoing: Sendable {
        /// The ECU, with the address of its answers.
        var ecu: ECUAddress
        var identifier: ECUAddress
        var rest: [[UInt8]]
        /// SAE J1939: the frames after the announcement, for a tester that has to allow them.
        var isGroup = false
        /// The time limit for flow control (N_Bs).
        var until: Instant
    }

    /// The received part of a long request.
    private struct Incoming: Sendable {
        var target: SimulatedVehicle.Target
        var total: Int
        var payload: [UInt8]
        var next: UInt8 = 1
        var header: ECUAddress
        var first: [UInt8]
    }

    private var queue: [Planned] = []
    private var outgoing: [Outgoing] = []
    private var incoming: [ECUAddress: Incoming] = [:]
    /// Until when an ECU sends packets of a broadcast message; it sends one such message at a time.
    private var announcing: [UInt8: Instant] = [:]
    private var traffic: [(speaker: BusMonitor.Speaker, period: Duration, next: Instant)] = []

    /// The most frames in the queue.
    private static let capacity = 8_192
    /// The time that an ECU waits for flow control.
    private static let patience = Duration.seconds(1)

    init(_ options: SimulatorOptions, at now: Instant) throws(SimulatorError) {
        self.options = options
        vehicle = try SimulatedVehicle(options)
        begin = now
        let family = vehicle.vehicleProtocol.family
        guard family == .can || family == .j1939 else {
            throw .invalidValue(
                option: "protocol", value: vehicle.vehicleProtocol.digit,
                expected: "6 to A (the others are not on CAN)")
        }
        guard options.ignition else { return }
        if family == .can {
            for broadcast in vehicle.broadcasts {
                traffic.append((.frame(broadcast), broadcast.period, now + broadcast.period))
            }
        } else {
            for spoken in vehicle.spokenGroups {
                traffic.append(
                    (
                        .group(spoken.group, source: spoken.source, priority: spoken.priority),
                        spoken.period, now + spoken.period
                    ))
            }
        }
    }

    /// The rate of the bus; unit: bit/s.
    var rate: Int {
        switch vehicle.vehicleProtocol {
        case .can11At250, .can29At250, .j1939: 250_000
        default: 500_000
        }
    }

    // MARK: Time

    /// The time of the next frame on the bus; nil if there is none.
    var nextDeadline: Instant? {
        [queue.first?.at, traffic.map(\.next).min()].compactMap(\.self).min()
    }

    /// The frames on the bus until `now`, in order.
    mutating func frames(until now: Instant) -> [CANFrame] {
        var frames: [CANFrame] = []
        for index in traffic.indices where traffic[index].next <= now {
            plan(traffic[index].speaker, at: traffic[index].next)
            // Traffic from before the connection is lost.
            let step = max(1, traffic[index].period.nanoseconds)
            let missed = (now - traffic[index].next).nanoseconds / step
            traffic[index].next = traffic[index].next + .nanoseconds((missed + 1) * step)
        }
        while let first = queue.first, first.at <= now {
            queue.removeFirst()
            frames.append(first.frame)
            if let opened = first.thenOpens {
                outgoing.removeAll { $0.ecu == opened.ecu || $0.until < now }
                outgoing.append(opened)
            }
        }
        return frames
    }

    private mutating func plan(
        _ frame: CANFrame, at time: Instant, thenOpens: Outgoing? = nil
    ) {
        guard queue.count < Self.capacity else { return }
        // The frame comes after frames with the same time, so that the order of the ECUs is kept.
        let place = queue.lastIndex { $0.at <= time }.map { $0 + 1 } ?? 0
        queue.insert(Planned(at: time, frame: frame, thenOpens: thenOpens), at: place)
    }

    private mutating func plan(_ speaker: BusMonitor.Speaker, at time: Instant) {
        vehicle.advance(to: time - begin)
        switch speaker {
        case .frame(let broadcast):
            plan(
                CANFrame(
                    ECUAddress(broadcast.record.id, vehicle.vehicleProtocol.addressForm),
                    InlineBytes(broadcast.record.bytes(vehicle.state(after: time - begin)))),
                at: time)
        case .group(let group, let source, let priority):
            guard let data = vehicle.data(ofGroup: group, from: source, after: time - begin),
                let frames = try? J1939.frames(
                    for: data, parameterGroup: group, source: source, priority: priority)
            else { return }
            let all = frames.compactMap { frame in
                frame.header.map { CANFrame($0, frame.bytes) }
            }
            broadcast(all, from: source, at: time)
        }
    }

    /// A broadcast message: one frame, or packets 50 ms apart.
    private mutating func broadcast(_ frames: [CANFrame], from source: UInt8, at time: Instant) {
        let begin = frames.count > 1 ? max(time, announcing[source] ?? time) : time
        for (number, frame) in frames.enumerated() {
            plan(frame, at: begin + .milliseconds(50 * number))
        }
        if frames.count > 1 { announcing[source] = begin + .milliseconds(50 * frames.count) }
    }

    // MARK: Frames from testers

    /// Takes a frame from a tester.
    mutating func receive(_ frame: CANFrame, at now: Instant) {
        if heard.count >= SimulatedAdapter.keptRequests { heard.removeFirst(heard.count / 2) }
        heard.append(frame)
        guard vehicle.ignition, !frame.isRemote, !frame.data.isEmpty else { return }
        if vehicle.vehicleProtocol.family == .j1939 {
            receiveGroup(frame, at: now)
            return
        }
        guard let (target, extended) = target(of: frame) else { return }
        let place = extended == nil ? 0 : 1
        guard frame.data.count > place else { return }
        var key = frame.id
        key.extended = extended
        let control = frame.data[place]
        let rest = Array(frame.data[(place + 1)...])
        switch control >> 4 {
        case 0:
            let length = Int(control & 0x0F)
            guard length > 0, length <= rest.count else { return }
            answer(Array(rest.prefix(length)), target, frame, at: now)
        case 1:
            guard case .one(let ecu) = target, rest.count == 7 - place else { return }
            let total = Int(control & 0x0F) << 8 | Int(rest[0])
            incoming[key] = Incoming(
                target: target, total: total, payload: Array(rest[1...]), header: frame.id,
                first: Array(frame.data))
            let address = ecu.extended.map { [$0] } ?? []
            let reply = address + ISO15765.flowControl
            plan(
                CANFrame(identifier(of: ecu, askedBy: frame.id), InlineBytes(filled(reply))),
                at: now)
        case 2:
            guard var message = incoming[key] else { return }
            guard control & 0x0F == message.next else {
                incoming[key] = nil
                return
            }
            message.payload += rest.prefix(message.total - message.payload.count)
            message.next = (message.next + 1) & 0x0F
            incoming[key] = message
            guard message.payload.count == message.total else { return }
            incoming[key] = nil
            answer(message.payload, message.target, frame, at: now)
        case 3: letFlow(control & 0x0F, rest, key, at: now)
        default: break
        }
    }

    /// The target of a frame, and the address byte with extended addressing; nil if no ECU is addressed.
    private func target(
        of frame: CANFrame
    ) -> (target: SimulatedVehicle.Target, extended: UInt8?)? {
        guard frame.id.form == vehicle.vehicleProtocol.addressForm else { return nil }
        let everybody: UInt32 = frame.id.form == .can11 ? 0x7DF : 0x18DB_3300
        let mask: UInt32 = frame.id.form == .can11 ? 0x7FF : 0x1FFF_FF00
        if frame.id.value & mask == everybody { return (.everybody, nil) }
        var asked = frame.id
        // The tester's own address does not matter to an ECU.
        if asked.form == .can29, asked.value >> 16 == 0x18DA {
            asked.value = asked.value & 0xFFFF_FF00 | 0xF1
        }
        if let ecu = vehicle.answerer(at: asked) { return (.one(ecu), nil) }
        asked.extended = frame.data[0]
        return vehicle.answerer(at: asked).map { (.one($0), frame.data[0]) }
    }

    private mutating func answer(
        _ payload: [UInt8], _ target: SimulatedVehicle.Target, _ frame: CANFrame, at now: Instant
    ) {
        guard !payload.isEmpty else { return }
        let first = now + options.latency + vehicle.jitter(request: requestCount)
        let answers = vehicle.answers(to: payload, for: target, after: first - begin)
        note(payload, frame, answers, at: now)
        for answer in answers {
            guard
                let parts = try? ISO15765.frames(
                    for: answer.payload, extendedAddress: answer.ecu.extended,
                    padding: answer.padding), let head = parts.first
            else { continue }
            let order = options.latency == .zero ? .zero : answer.stagger
            let time = first + answer.delay + order
            let identifier = identifier(of: answer.ecu, askedBy: frame.id)
            var opened: Outgoing?
            if parts.count > 1 {
                opened = Outgoing(
                    ecu: answer.ecu, identifier: identifier, rest: Array(parts.dropFirst()),
                    until: time + Self.patience)
            }
            plan(CANFrame(identifier, InlineBytes(head)), at: time, thenOpens: opened)
        }
    }

    /// The identifier of an ECU's answers to a request with this identifier.
    private func identifier(of ecu: ECUAddress, askedBy request: ECUAddress) -> ECUAddress {
        var identifier = ECUAddress(ecu.value, ecu.form)
        if ecu.form == .can29, ecu.value >> 16 == 0x18DA {
            identifier.value = ecu.value & 0xFFFF_00FF | (request.value & 0xFF) << 8
        }
        return identifier
    }

    private func filled(_ data: [UInt8]) -> [UInt8] {
        data + [UInt8](repeating: 0, count: max(0, ISO15765.frameLength - data.count))
    }

    /// Handles a tester's flow control: the ECU with request address `key` continues.
    private mutating func letFlow(
        _ state: UInt8, _ rest: [UInt8], _ key: ECUAddress, at now: Instant
    ) {
        outgoing.removeAll { $0.until < now }
        let place = outgoing.firstIndex { waiting in
            var asked = vehicle.requestAddress(of: waiting.ecu) ?? waiting.ecu.physicalRequest
            if asked.form == .can29, asked.value >> 16 == 0x18DA {
                asked.value = asked.value & 0xFFFF_FF00 | key.value & 0xFF
            }
            return !waiting.isGroup && asked == key
        }
        guard let place, rest.count >= 2 else { return }
        switch state {
        case 0: break
        case 1:
            outgoing[place].until = now + Self.patience
            return
        default:
            outgoing.remove(at: place)
            return
        }
        var waiting = outgoing.remove(at: place)
        let block = rest[0] == 0 ? waiting.rest.count : Int(rest[0])
        let pause: Duration =
            switch rest[1] {
            case 0...0x7F: .milliseconds(Int(rest[1]))
            case 0xF1...0xF9: .microseconds(Int(rest[1] - 0xF0) * 100)
            default: .milliseconds(127)
            }
        // A frame takes a quarter of a millisecond on the bus.
        let gap = options.latency == .zero ? pause : max(pause, .microseconds(250))
        var time = now
        let sent = waiting.rest.prefix(block)
        waiting.rest.removeFirst(sent.count)
        for (number, data) in sent.enumerated() {
            time = time + gap
            let isLast = number == sent.count - 1
            waiting.until = time + Self.patience
            plan(
                CANFrame(waiting.identifier, InlineBytes(data)), at: time,
                thenOpens: isLast && !waiting.rest.isEmpty ? waiting : nil)
        }
    }

    private mutating func note(
        _ payload: [UInt8], _ frame: CANFrame, _ answers: [SimulatedVehicle.Answer], at now: Instant
    ) {
        requestCount += 1
        requests.append(
            .init(
                at: now, header: frame.id.digits, payload: payload, frames: [Array(frame.data)],
                answers: answers))
        if requests.count > SimulatedAdapter.keptRequests { requests.removeFirst() }
    }

    // MARK: SAE J1939

    private mutating func receiveGroup(_ frame: CANFrame, at now: Instant) {
        guard frame.id.form == .can29 else { return }
        let id = J1939.Identifier(frame.id.value)
        if id.parameterGroup == J1939.connectionManagement {
            letPacketsFlow(frame, id, at: now)
            return
        }
        guard id.parameterGroup == 0xEA00, frame.data.count == 3, let destination = id.destination
        else { return }
        let payload = Array(frame.data)
        let target: SimulatedVehicle.Target =
            destination == J1939.everyone
            ? .everybody : .one(ECUAddress(UInt32(destination), .byte))
        let first = now + options.latency + vehicle.jitter(request: requestCount)
        let answers = vehicle.answers(to: payload, for: target, after: first - begin)
        note(payload, frame, answers, at: now)
        for answer in answers {
            let source = UInt8(truncatingIfNeeded: answer.ecu.value)
            guard
                let parts = try? J1939.frames(
                    for: answer.payload, parameterGroup: answer.parameterGroup ?? 0,
                    source: source, destination: answer.isBroadcast ? nil : id.source)
            else { continue }
            let time = first + answer.delay + answer.stagger
            let frames = parts.compactMap { part in
                part.header.map { CANFrame($0, part.bytes) }
            }
            guard let head = frames.first else { continue }
            if answer.isBroadcast || frames.count == 1 {
                broadcast(frames, from: source, at: time)
            } else {
                let rest = frames.dropFirst().map { Array($0.data) }
                plan(
                    head, at: time,
                    thenOpens: Outgoing(
                        ecu: answer.ecu, identifier: frames[1].id, rest: rest, isGroup: true,
                        until: time + Self.patience))
            }
        }
    }

    /// Handles a tester's CTS, which requests packets, or its acknowledgement of all packets.
    private mutating func letPacketsFlow(
        _ frame: CANFrame, _ id: J1939.Identifier, at now: Instant
    ) {
        guard frame.data.count == 8, frame.data[0] == 0x11, let destination = id.destination,
            let place = outgoing.firstIndex(where: {
                $0.isGroup && $0.ecu.value == UInt32(destination)
            })
        else { return }
        let first = Int(frame.data[2]) - 1
        let count = Int(frame.data[1])
        let waiting = outgoing[place]
        guard first >= 0, first < waiting.rest.count else { return }
        for (number, data) in waiting.rest[first...].prefix(count).enumerated() {
            plan(
                CANFrame(waiting.identifier, InlineBytes(data)),
                at: now + .milliseconds(5 * (number + 1)))
        }
        if first + count >= waiting.rest.count { outgoing.remove(at: place) }
    }
}
