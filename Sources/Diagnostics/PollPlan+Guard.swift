public import OBDCore

// Leaves a parked vehicle alone.
extension PollPlan {
    /// The signals that show whether wheels and engine turn, and the records to request for them.
    public struct Motion: Sendable {
        /// Engine speed signals; unit: rpm.
        public var engineSpeed: [SignalIndex]
        /// Vehicle speed signals; unit: km/h.
        public var speed: [SignalIndex]
        /// The records with these signals.
        public var wants: [Want]

        /// Signals and records; without any, only silence shows that a vehicle is off.
        public init(
            engineSpeed: [SignalIndex] = [], speed: [SignalIndex] = [], wants: [Want] = []
        ) {
            self.engineSpeed = engineSpeed
            self.speed = speed
            self.wants = wants
        }

        /// The signals and records in `table` for a vehicle with these profiles; the first profile counts.
        ///
        /// - Parameter ecu: the only ECU to ask; nil for all ECUs.
        public init(_ table: PIDTable, _ profiles: [DiagnosticProfile], ecu: ECUAddress? = nil) {
            self.init()
            guard let profile = profiles.first else { return }
            engineSpeed = take(profile.engineSpeed, "rpm", table, profiles, ecu)
            speed = take(profile.vehicleSpeed, "km/h", table, profiles, ecu)
        }

        /// The signal of a record with this unit; also adds the record to the wanted ones.
        private mutating func take(
            _ dataID: DataID, _ unit: String, _ table: PIDTable, _ profiles: [DiagnosticProfile],
            _ ecu: ECUAddress?
        ) -> [SignalIndex] {
            guard let record = table.record(dataID) else { return [] }
            if let place = profiles.lazy.compactMap({ $0.place(of: dataID) }).first {
                wants.append(Want(record, as: place, period: nil, ecu: ecu))
            }
            let signals = record.signals.map { SignalIndex(rawValue: $0) }
            return Array(signals.filter { table[$0].unit == unit }.prefix(1))
        }
    }

    /// Lets the guard reduce requests while the vehicle is off.
    ///
    /// The signals for this purpose are requested rarely, and only if the user does not want them anyway.
    public mutating func protectBattery(by guardian: BatteryGuard, _ motion: Motion) {
        battery = guardian
        watchesMotion = true
        self.motion = motion
        for want in motion.wants
        where !items.contains(where: {
            $0.want.dataID == want.dataID && $0.want.target == want.target
        }) {
            var item = Item(
                want: want, due: Instant(nanoseconds: .min), mayBatch: false,
                payload: want.dataID.requestPayload)
            item.isWatched = true
            items.append(item)
        }
    }

    /// Whether the vehicle is left alone; then only the ECUs' answers decide when to continue.
    public var isResting: Bool { battery.rest != nil }

    /// Evaluates the content of an answer.
    public mutating func take(_ answered: [DiagnosticItem], at now: Instant) {
        guard watchesMotion else { return }
        for case .reading(let reading) in answered {
            if motion.engineSpeed.contains(reading.signal) {
                guard case .number(let value) = reading.value else { continue }
                battery.take(engineSpeed: value, at: now)
            } else if motion.speed.contains(reading.signal) {
                guard case .number(let value) = reading.value else { continue }
                battery.take(speed: value, at: now)
            }
        }
    }

    /// Records the voltage at the adapter, unit: V; nil if it was requested but not reported.
    public mutating func take(voltage: Double?, at now: Instant) {
        guard watchesMotion else { return }
        battery.take(voltage: voltage, at: now)
    }

    /// Records that the link was lost.
    public mutating func noteLoss(at now: Instant) {
        if watchesMotion { battery.takeLoss(at: now) }
    }

    /// The changes of whether the vehicle is left alone.
    public mutating func takeBatteryNews(at now: Instant) -> [BatteryGuard.News] {
        let news = battery.takeNews()
        for case .goesOn(let rest, let end) in news {
            for index in items.indices {
                items[index].fare.restedSince = items[index].fare.restedSince + (end - rest.since)
            }
            probes = []
            beginAnew(at: now)
        }
        return news
    }

    /// The guard's next step; nil to continue with the plan.
    mutating func guardedStep(at now: Instant, link: LinkCapabilities) -> Step? {
        if !probes.isEmpty {
            return .ask(request(for: [probes.removeFirst()], at: now, link: link))
        }
        switch battery.next(at: now) {
        case .goOn: return nil
        case .readVoltage: return .readVoltage(nextID())
        case .wait(let until): return .wait(until: until)
        case .probe:
            probes = items.indices.filter { index in
                motion.wants.contains { $0.dataID == items[index].want.dataID }
            }
            if probes.isEmpty { probes = items.indices.prefix(1).map { $0 } }
            guard !probes.isEmpty else { return nil }
            return .ask(request(for: [probes.removeFirst()], at: now, link: link))
        }
    }

    mutating func tellGuard(_ outcome: Outcome, at now: Instant) {
        switch outcome {
        case .answered(let messages, _, _) where !messages.isEmpty: battery.takeAnswer(at: now)
        case .answered, .silent, .refused, .notSent, .failed: battery.takeSilence(at: now)
        }
    }
}
