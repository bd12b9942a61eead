import OBDCore

/// Listening to the bus: which frame comes next.
struct BusMonitor: Sendable {
    /// What is sent again and again, and when each is due next.
    var traffic: [(broadcast: Scenario.Broadcast, next: Instant)]
    /// Frames still to be shown; nil = until a character comes.
    var left: Int?
    /// Filters of STFPA; nil = everything.
    var passing: [(pattern: [UInt8], mask: [UInt8])]?

    /// When the next frame is on the bus; nil = never.
    var nextFrame: Instant? { traffic.map(\.next).min() }
}

extension SimulatedAdapter {
    /// Characters that wait in the adapter before it gives up with `BUFFER FULL`.
    private static let bufferCharacters = 512

    /// ATMA, STM, STMA: prints what is on the bus.
    mutating func startMonitoring(
        passing: [(pattern: [UInt8], mask: [UInt8])]?, frames: Int?, at now: Instant
    ) {
        guard let ready = open(at: now), let vehicleProtocol = connected else { return }
        var traffic: [(broadcast: Scenario.Broadcast, next: Instant)] = []
        if vehicle.ignition, vehicleProtocol == vehicle.vehicleProtocol,
            vehicleProtocol.family == .can
        {
            traffic = vehicle.broadcasts.map { ($0, Self.next($0, after: ready, begin)) }
        }
        activity = .monitoring(BusMonitor(traffic: traffic, left: frames, passing: passing))
        search = nil
    }

    /// Prints every frame that was on the bus by `now`.
    mutating func listen(_ monitor: inout BusMonitor, until now: Instant) {
        let text = FrameText(
            settings: settings,
            headers: settings.headers && !personality.faults.contains(.noHeaders),
            spaces: settings.spaces && !personality.faults.contains(.noSpaces))
        while let at = monitor.nextFrame, at <= now {
            guard let index = monitor.traffic.firstIndex(where: { $0.next == at }) else { break }
            let broadcast = monitor.traffic[index].broadcast
            monitor.traffic[index].next = Self.next(broadcast, after: at, begin)
            guard shows(broadcast.id, monitor) else { continue }
            let bytes = broadcast.bytes(vehicle.state(after: at - begin))
            let waiting = output.characterTime == .zero ? .zero : output.free - at
            if output.isFull || waiting > output.characterTime * Self.bufferCharacters {
                reply(["BUFFER FULL"], at: at, takes: .zero)
                return
            }
            let form = connected?.addressForm ?? .can11
            let frame = BusFrame(
                at: at, order: .zero, identifier: ECUAddress(broadcast.id, form), bytes: bytes,
                message: 0..<bytes.count, joined: true)
            for line in text.lines(frame) { write(line, at: at) }
            if let left = monitor.left {
                monitor.left = left - 1
                if left <= 1 {
                    prompt(at: at)
                    return
                }
            }
        }
        activity = .monitoring(monitor)
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

    /// The first multiple of a broadcast's period after `instant`.
    private static func next(
        _ broadcast: Scenario.Broadcast, after instant: Instant, _ begin: Instant
    ) -> Instant {
        let period = broadcast.period * 1_000_000
        let count = max(0, (instant - begin).nanoseconds) / period + 1
        return begin + .nanoseconds(count * period)
    }
}
