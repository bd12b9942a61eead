import OBDCore
import VehicleLink

/// Monitors the bus and finds the next frame.
struct BusMonitor: Sendable {
    /// A sender of frames without a request.
    enum Speaker: Hashable, Sendable {
        /// A frame of a vehicle file's `broadcast`.
        case frame(Scenario.Broadcast)
        /// A parameter group of SAE J1939.
        case group(UInt32, source: UInt8, priority: UInt8)
    }

    /// Periodic traffic, with the time of the next frame of each sender.
    var traffic: [(speaker: Speaker, period: Duration, next: Instant)]
    /// The remaining packets of long messages.
    var packets: [(at: Instant, frame: LinkFrame)] = []
    /// The remaining frames, or messages of ``group``, to show; nil until a character stops it.
    var left: Int?
    /// The filters of STFPA; nil for all frames.
    var passing: [(pattern: [UInt8], mask: [UInt8])]?
    /// The only parameter group to show; nil for all frames.
    var group: UInt32?

    /// The time of the next frame on the bus; nil if there is none.
    var nextFrame: Instant? {
        [traffic.map(\.next).min(), packets.map(\.at).min()].compactMap(\.self).min()
    }
}

extension SimulatedAdapter {
    /// The number of characters that the adapter buffers before it stops with `BUFFER FULL`.
    private static let bufferCharacters = 512

    /// ATMA, STM, STMA: prints the bus traffic.
    mutating func startMonitoring(
        passing: [(pattern: [UInt8], mask: [UInt8])]?, frames: Int?, at now: Instant
    ) {
        guard let monitor = monitor(at: now, left: frames, passing: passing) else { return }
        activity = .monitoring(monitor)
        search = nil
    }

    /// ATDM1, ATMP: prints one parameter group, including its transport protocol.
    mutating func startMonitoring(group: UInt32, messages: Int?, at now: Instant) {
        guard (connected ?? settings.chosen)?.family == .j1939 else {
            reply(["?"], at: now)
            return
        }
        guard var monitor = monitor(at: now, left: messages, passing: nil) else { return }
        monitor.group = group
        // Removes the senders that never send this group.
        monitor.traffic.removeAll { speaker, _, _ in
            if case .group(group, source: _, priority: _) = speaker { return false }
            return true
        }
        activity = .monitoring(monitor)
        search = nil
    }

    private mutating func monitor(
        at now: Instant, left: Int?, passing: [(pattern: [UInt8], mask: [UInt8])]?
    ) -> BusMonitor? {
        guard let ready = open(at: now), let vehicleProtocol = connected else { return nil }
        var monitor = BusMonitor(traffic: [], left: left, passing: passing)
        guard vehicle.ignition, vehicleProtocol.hears(vehicle.vehicleProtocol) else {
            return monitor
        }
        switch vehicle.vehicleProtocol.family {
        case .can:
            for broadcast in vehicle.broadcasts {
                monitor.traffic.append(
                    (
                        .frame(broadcast), broadcast.period,
                        Self.next(broadcast.period, after: ready, begin)
                    ))
            }
        case .j1939:
            for spoken in vehicle.spokenGroups {
                monitor.traffic.append(
                    (
                        .group(spoken.group, source: spoken.source, priority: spoken.priority),
                        spoken.period, Self.next(spoken.period, after: ready, begin)
                    ))
            }
        case .iso9141, .iso14230, .j1850: break
        }
        return monitor
    }

    /// Prints every frame on the bus until `now`.
    mutating func listen(_ monitor: inout BusMonitor, until now: Instant) {
        while let at = monitor.nextFrame, at <= now {
            let frame = nextFrame(of: &monitor, at: at)
            guard let frame, let identifier = frame.header, shows(identifier.value, monitor) else {
                continue
            }
            let waiting = output.characterTime == .zero ? .zero : output.free - at
            if output.isFull || waiting > output.characterTime * Self.bufferCharacters {
                reply(["BUFFER FULL"], at: at, takes: .zero)
                return
            }
            let bytes = Array(frame.bytes)
            let isJ1939 = connected?.family == .j1939
            let shown = BusFrame(
                at: at, order: .zero, identifier: identifier, bytes: bytes,
                message: 0..<bytes.count, joined: !isJ1939)
            for line in frameText.lines(shown) { write(line, at: at) }
            guard let left = monitor.left else { continue }
            // A long message counts after its last packet was printed.
            let isUnderWay = monitor.packets.contains { $0.frame.header == identifier }
            let announces =
                J1939.Identifier(identifier.value).parameterGroup == J1939.connectionManagement
            if monitor.group != nil, isUnderWay || announces { continue }
            monitor.left = left - 1
            if left <= 1 {
                prompt(at: at)
                return
            }
        }
        activity = .monitoring(monitor)
    }

    /// The frame on the bus at `at`; the other packets of a long message are kept for later.
    private mutating func nextFrame(of monitor: inout BusMonitor, at: Instant) -> LinkFrame? {
        vehicle.advance(to: at - begin)
        if let index = monitor.packets.firstIndex(where: { $0.at == at }) {
            return monitor.packets.remove(at: index).frame
        }
        guard let index = monitor.traffic.firstIndex(where: { $0.next == at }) else { return nil }
        let (speaker, period, _) = monitor.traffic[index]
        monitor.traffic[index].next = Self.next(period, after: at, begin)
        switch speaker {
        case .frame(let broadcast):
            let form = connected?.addressForm ?? .can11
            return LinkFrame(
                header: ECUAddress(broadcast.record.id, form),
                bytes: InlineBytes(broadcast.record.bytes(vehicle.state(after: at - begin))))
        case .group(let group, let source, let priority):
            guard let data = vehicle.data(ofGroup: group, from: source, after: at - begin),
                let frames = try? J1939.frames(
                    for: data, parameterGroup: group, source: source, priority: priority)
            else { return nil }
            for (number, frame) in frames.enumerated().dropFirst() {
                monitor.packets.append((at + .milliseconds(50 * number), frame))
            }
            return frames.first
        }
    }

    private func shows(_ identifier: UInt32, _ monitor: BusMonitor) -> Bool {
        guard passesFilter(identifier) else { return false }
        guard let passing = monitor.passing else { return true }
        let long = connected?.addressForm == .can29
        let bytes = (long ? [24, 16, 8, 0] : [8, 0]).map {
            UInt8(truncatingIfNeeded: identifier >> $0)
        }
        return passing.contains { pattern, mask in
            pattern.count <= bytes.count
                && zip(bytes, zip(pattern, mask)).allSatisfy { $0 & $1.1 == $1.0 & $1.1 }
        }
    }

    /// The first multiple of a period after `instant`.
    private static func next(
        _ period: Duration, after instant: Instant, _ begin: Instant
    ) -> Instant {
        let step = max(1, period.nanoseconds)
        let count = max(0, (instant - begin).nanoseconds) / step + 1
        return begin + .nanoseconds(count * step)
    }
}

extension VehicleProtocol {
    /// Whether an adapter with this protocol hears the frames of a vehicle that speaks `other`.
    ///
    /// The frames of SAE J1939 have 29-bit identifiers at 250 kbit/s, as protocol 9 has.
    fileprivate func hears(_ other: VehicleProtocol) -> Bool {
        self == other || self == .can29At250 && other == .j1939
    }
}
