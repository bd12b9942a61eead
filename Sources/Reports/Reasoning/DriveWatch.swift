/// Finds operating points in the readings of a drive, and measures features there.
///
/// The readings come in the order of time. Nothing of the drive is kept but sums, so that a long drive needs
/// no more memory than a short one.
package struct DriveWatch: Sendable {
    /// The stretch of an operating point, with the seconds of data in it.
    package struct Point: Hashable, Sendable {
        package var name: String
        package var from, to: Int64
        package var seconds: Double
    }

    /// A mean over a stretch.
    private struct Sum: Sendable {
        var count = 0.0
        var mean = 0.0
        private var squares = 0.0
        var seconds = 0.0
        var from: Int64 = 0
        var to: Int64 = 0

        mutating func add(_ value: Double, at t: Int64) {
            if count == 0 {
                from = t
            } else {
                // A gap adds no more than a reading of each second would.
                seconds += min(Double(t - to) / 1e6, 1)
            }
            to = t
            count += 1
            let step = value - mean
            mean += step / count
            squares += step * (value - mean)
        }

        var deviation: Double { count > 1 ? (squares / (count - 1)).squareRoot() : 0 }

        /// The standard error of a mean whose values are correlated over `tau` seconds.
        func error(tau: Double) -> Double {
            seconds > 0 ? deviation * (2 * tau / max(seconds, 2 * tau)).squareRoot() : .infinity
        }
    }

    /// A level that was exceeded, or not reached, for 20 seconds.
    private struct Held: Sendable {
        private var pieces: [Double] = []
        private var start: Int64?
        private var least = Double.infinity
        var highest: Double?
        var from: Int64 = 0
        var to: Int64 = 0

        /// Takes a value; `breaks` begins again.
        mutating func add(_ value: Double, at t: Int64, breaks: Bool) {
            guard !breaks, let start else {
                self.start = t
                least = value
                return
            }
            least = min(least, value)
            guard t - start >= 20_000_000 else { return }
            if least > highest ?? -.infinity { (highest, from, to) = (least, start, t) }
            self.start = t
            least = value
        }
    }

    private var latest = [(t: Int64, value: Double)?](
        repeating: nil, count: DriveQuantity.allCases.count)
    /// The first value of each quantity, and whether another one came.
    private var first = [Double?](repeating: nil, count: DriveQuantity.allCases.count)
    private var moved = Set<DriveQuantity>()

    private var runningSince: Int64?
    private var stoppedSince: Int64?
    private var lastCut: Int64 = .min
    /// Since when the trim of each bank is exactly 0.
    private var zeroTrims: [Int64?] = [nil, nil]
    private var hasRun = false
    private var highestVoltage = 0.0
    private var ran = 0.0
    private var movedWhileRunning = 0.0
    private var movedWithoutEngine = 0.0
    private var startCoolant: Double?
    private var sinceIdle: Int64?
    private var sinceRaised: Int64?
    private var sinceCruise: (t: Int64, speed: Double)?

    private var idle = Sum()
    private var raised = Sum()
    private var cruise = Sum()
    private var cruise2 = Sum()
    private var coolant = Sum()
    private var coldest = Double.infinity
    private var off = Sum()
    private var heat = Held()
    private var charge = Held()
    private var voltage = Sum()
    /// Counts of voltages in steps of 0.05 V from 8 to 20 V.
    private var voltages = [Int](repeating: 0, count: 241)
    private var window: (start: Int64, low: Double, high: Double, sum: Sum)?
    private var deviations: [Double] = []
    private var idleWindows = (from: Int64(0), to: Int64(0))

    package init() {}

    /// A value that is at most `seconds` old.
    private func fresh(_ quantity: DriveQuantity, at t: Int64, within seconds: Int64 = 3) -> Double?
    {
        guard let found = latest[quantity.rawValue], t - found.t <= seconds * 1_000_000 else {
            return nil
        }
        return found.value
    }

    /// Takes a reading; `t` is in microseconds since the start of the trip.
    package mutating func take(_ value: Double, _ quantity: DriveQuantity, t: Int64) {
        guard value.isFinite else { return }
        let before = latest[quantity.rawValue]
        latest[quantity.rawValue] = (t, value)
        if let known = first[quantity.rawValue] {
            if value != known { moved.insert(quantity) }
        } else {
            first[quantity.rawValue] = value
        }
        switch quantity {
        case .engineSpeed: takeEngine(value, t, before)
        case .speed: takeSpeed(value, t, before)
        case .shortTrim1: takeTrim(value, .longTrim1, bank: 1, t)
        case .shortTrim2: takeTrim(value, .longTrim2, bank: 2, t)
        case .coolant: takeCoolant(value, t, before)
        case .voltage: takeVoltage(value, t, before)
        case .manifold: takeManifold(value, t)
        case .fuelStatus: if value != 2 && value != 16 { lastCut = t }
        case .longTrim1, .longTrim2, .fuelType, .ethanol, .barometric, .ambient, .intakeAir: break
        }
    }

    private mutating func takeEngine(
        _ rpm: Double, _ t: Int64, _ before: (t: Int64, value: Double)?
    ) {
        let gap = before.map { t - $0.t } ?? .max
        if rpm > 400 {
            // After a long gap the engine may have been off.
            if runningSince == nil || gap > 30_000_000 { runningSince = t }
            stoppedSince = nil
            hasRun = true
            if gap <= 3_000_000 {
                ran += Double(gap) / 1e6
                if fresh(.speed, at: t) ?? 0 > 10 { movedWhileRunning += Double(gap) / 1e6 }
            }
        } else if rpm == 0 {
            runningSince = nil
            if stoppedSince == nil || gap > 3_000_000 { stoppedSince = t }
            if gap <= 3_000_000, fresh(.speed, at: t) ?? 0 > 10 {
                movedWithoutEngine += Double(gap) / 1e6
            }
        } else {
            (runningSince, stoppedSince) = (nil, nil)
        }
        let stands = fresh(.speed, at: t) == 0
        let isWarm = fresh(.coolant, at: t, within: 30).map { $0 >= 70 } ?? false
        let isSettled = runningSince.map { t - $0 >= 120_000_000 } ?? false
        let continues = gap <= 3_000_000 && stands && isWarm && isSettled
        sinceIdle = continues && (400...1_200).contains(rpm) ? sinceIdle ?? t : nil
        sinceRaised = continues && (2_200...2_800).contains(rpm) ? sinceRaised ?? t : nil
        watchIdle(rpm, t)
    }

    /// Measures the unrest of the engine speed in windows of 10 seconds.
    private mutating func watchIdle(_ rpm: Double, _ t: Int64) {
        guard let sinceIdle, t - sinceIdle >= 5_000_000 else {
            window = nil
            return
        }
        guard var now = window else {
            var sum = Sum()
            sum.add(rpm, at: t)
            window = (t, rpm, rpm, sum)
            return
        }
        now.low = min(now.low, rpm)
        now.high = max(now.high, rpm)
        now.sum.add(rpm, at: t)
        window = now
        guard t - now.start >= 10_000_000 else { return }
        // The driver may press the pedal, and a load may be switched on.
        if now.high - now.low < 400, now.sum.count >= 8, deviations.count < 4_096 {
            if deviations.isEmpty { idleWindows.from = now.start }
            idleWindows.to = t
            deviations.append(now.sum.deviation)
        }
        window = nil
    }

    private mutating func takeSpeed(
        _ speed: Double, _ t: Int64, _ before: (t: Int64, value: Double)?
    ) {
        guard before.map({ t - $0.t <= 3_000_000 }) ?? false, (40...130).contains(speed),
            fresh(.engineSpeed, at: t).map({ $0 > 1_000 }) ?? false
        else {
            sinceCruise = nil
            return
        }
        // Steady: within 3 km/h of the speed at which the stretch began.
        guard let since = sinceCruise, abs(speed - since.speed) <= 3 else {
            sinceCruise = (t, speed)
            return
        }
    }

    /// The fuel system corrects by its oxygen sensor: PID 03 says so, or the trim has moved from 0.
    private mutating func isClosedLoop(_ short: Double, bank: Int, _ t: Int64) -> Bool {
        if let status = fresh(.fuelStatus, at: t, within: 10) {
            return (status == 2 || status == 16) && (lastCut == .min || t - lastCut > 3_000_000)
        }
        guard fresh(.coolant, at: t, within: 30).map({ $0 >= 75 }) ?? false else { return false }
        guard short == 0 else {
            zeroTrims[bank - 1] = nil
            return true
        }
        let since = zeroTrims[bank - 1] ?? t
        zeroTrims[bank - 1] = since
        return t - since <= 3_000_000
    }

    private mutating func takeTrim(_ short: Double, _ long: DriveQuantity, bank: Int, _ t: Int64) {
        guard isClosedLoop(short, bank: bank, t), let learnt = fresh(long, at: t, within: 15)
        else { return }
        let total = ((1 + short / 100) * (1 + learnt / 100) - 1) * 100
        func has(_ start: Int64?, _ seconds: Int64) -> Bool {
            start.map { t - $0 >= seconds * 1_000_000 } ?? false
        }
        let isFresh = fresh(.engineSpeed, at: t) != nil && fresh(.speed, at: t) != nil
        guard isFresh else { return }
        let isWarm = fresh(.coolant, at: t, within: 30).map { $0 >= 70 } ?? false
        let cruises = has(sinceCruise?.t, 8) && isWarm && has(runningSince, 120)
        if bank == 2 {
            if cruises { cruise2.add(total, at: t) }
            return
        }
        if has(sinceIdle, 10) { idle.add(total, at: t) }
        if has(sinceRaised, 5) { raised.add(total, at: t) }
        if cruises { cruise.add(total, at: t) }
    }

    private mutating func takeCoolant(
        _ celsius: Double, _ t: Int64, _ before: (t: Int64, value: Double)?
    ) {
        // The ends of its range mean a broken wire.
        guard celsius > -40, celsius < 150 else { return }
        if startCoolant == nil { startCoolant = celsius }
        let isGap = before.map { t - $0.t > 5_000_000 || abs($0.value - celsius) > 15 } ?? true
        // Coolant becomes hotter after the engine was switched off, and cold where a hybrid drives without it.
        let runs = fresh(.engineSpeed, at: t, within: 5).map { $0 > 400 } ?? false
        heat.add(celsius, at: t, breaks: isGap || !runs)
        guard runs, ran >= 900, movedWhileRunning >= ran / 2,
            let speed = fresh(.speed, at: t, within: 5),
            speed > 60, let air = fresh(.ambient, at: t, within: 300), air > 5
        else { return }
        coolant.add(celsius, at: t)
    }

    private mutating func takeVoltage(
        _ volts: Double, _ t: Int64, _ before: (t: Int64, value: Double)?
    ) {
        guard let rpm = fresh(.engineSpeed, at: t), rpm > 500,
            runningSince.map({ t - $0 >= 60_000_000 }) ?? false
        else { return }
        voltage.add(volts, at: t)
        highestVoltage = max(highestVoltage, volts)
        charge.add(volts, at: t, breaks: before.map { t - $0.t > 5_000_000 } ?? true)
        let step = Int(((min(max(volts, 8), 20) - 8) / 0.05).rounded())
        voltages[step] += 1
    }

    private mutating func takeManifold(_ pressure: Double, _ t: Int64) {
        // Many ECUs read the air pressure only before the engine starts, and the vehicle may have climbed since.
        guard !hasRun, let stoppedSince, t - stoppedSince >= 5_000_000,
            fresh(.engineSpeed, at: t) == 0,
            let air = fresh(.barometric, at: t, within: 600)
        else { return }
        // Some ECUs keep the value that the running engine had.
        guard abs(pressure - air) < 30 else { return }
        off.add(pressure - air, at: t)
    }

    /// The operating points that were found.
    package var points: [Point] {
        [("idle", idle), ("raised", raised), ("cruise", cruise), ("off", off)].compactMap {
            name, sum in
            sum.seconds > 0
                ? Point(name: name, from: sum.from, to: sum.to, seconds: sum.seconds) : nil
        }
    }

    /// Whether the vehicle is known to move without its engine, or says so by its fuel (PID 51).
    private var isHybrid: Bool {
        let fuel = latest[DriveQuantity.fuelType.rawValue]?.value ?? 0
        return movedWithoutEngine >= 10 || fuel == 8 || (16...23).contains(fuel)
    }

    /// Whether trims can be compared with limits: a flexible fuel, gas or a trim that never moves cannot.
    private var judgesTrims: Bool {
        let fuel = latest[DriveQuantity.fuelType.rawValue]?.value
        return latest[DriveQuantity.ethanol.rawValue] == nil
            && (fuel == nil || fuel == 1 || fuel == 17)
            && moved.contains(.shortTrim1)
    }

    /// The features with enough data.
    package var features: [DriveFeature] {
        var found: [DriveFeature] = []
        func add(_ id: DriveFeature.ID, _ value: Double, _ error: Double, _ sums: [Sum]) {
            let seconds = sums.map(\.seconds).min() ?? 0
            guard seconds >= id.limits.seconds, let from = sums.map(\.from).min(),
                let to = sums.map(\.to).max()
            else { return }
            found.append(
                DriveFeature(
                    id: id, value: value, error: error, seconds: seconds, from: from, to: to))
        }
        func mean(_ id: DriveFeature.ID, _ sum: Sum, tau: Double) {
            add(id, sum.mean, sum.error(tau: tau), [sum])
        }
        func difference(_ id: DriveFeature.ID, _ one: Sum, _ other: Sum) {
            let (a, b) = (one.error(tau: 2), other.error(tau: 2))
            add(id, one.mean - other.mean, (a * a + b * b).squareRoot(), [one, other])
        }
        if judgesTrims {
            mean(.trimIdle, idle, tau: 2)
            mean(.trimRaised, raised, tau: 2)
            mean(.trimCruise, cruise, tau: 2)
            difference(.trimIdleRaised, idle, raised)
            difference(.trimIdleCruise, idle, cruise)
            if moved.contains(.shortTrim2) { difference(.trimBanks, cruise, cruise2) }
        }
        if !isHybrid, moved.contains(.coolant) { mean(.coolantCruise, coolant, tau: 10) }
        if moved.contains(.coolant), let highest = heat.highest {
            found.append(
                DriveFeature(
                    id: .coolantHighest, value: highest, error: 0, seconds: 20, from: heat.from,
                    to: heat.to))
        }
        appendVoltage(to: &found)
        if moved.contains(.manifold) { mean(.manifoldOff, off, tau: 0.5) }
        let sorted = deviations.sorted()
        if sorted.count >= 6 {
            found.append(
                DriveFeature(
                    id: .idleUnsteady, value: sorted[sorted.count / 2], error: 0,
                    seconds: Double(sorted.count) * 10, from: idleWindows.from, to: idleWindows.to))
        }
        return found
    }

    private func appendVoltage(to found: inout [DriveFeature]) {
        let count = voltages.reduce(0, +)
        // Vehicles with 24 V have no limits here, and neither have hybrids, which charge by a converter.
        guard count > 0, !isHybrid, moved.contains(.voltage), voltage.mean < 18,
            voltage.seconds >= DriveFeature.ID.voltageRunning.limits.seconds
        else { return }
        var below = 0
        let middle = voltages.firstIndex { bin in
            below += bin
            return below * 2 >= count
        }
        // Smart regulation holds the voltage low and charges while the vehicle slows down.
        let isSmart = charge.highest.map { $0 >= 13.6 } ?? true
        if let middle, !isSmart || 8 + Double(middle) * 0.05 >= 13.2 {
            found.append(
                DriveFeature(
                    id: .voltageRunning, value: 8 + Double(middle) * 0.05, error: 0,
                    seconds: voltage.seconds, from: voltage.from, to: voltage.to))
        }
        // One short charge shows that the alternator works.
        if let highest = charge.highest, highest >= 13.4 || highestVoltage < 13.6 {
            found.append(
                DriveFeature(
                    id: .voltageHighest, value: highest, error: 0, seconds: voltage.seconds,
                    from: voltage.from, to: voltage.to))
        }
    }

    /// The quantities that have values.
    package var known: Set<DriveQuantity> {
        Set(DriveQuantity.allCases.filter { latest[$0.rawValue] != nil })
    }
}
