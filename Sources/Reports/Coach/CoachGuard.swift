/// Notices what must end the guided test.
struct CoachGuard: Sendable {
    /// Whether the battery has twice the usual voltage, as in trucks.
    private(set) var isFor24Volts = false
    /// Whether the boost was more than 20 kPa above the commanded one for two seconds.
    private(set) var hasOverboost = false

    /// The first voltages, and how many of them are of 24 V.
    private var voltages = 0
    private var high = 0
    /// Readings in a row that are beyond a limit; a single one may be a damaged answer.
    private var hot = 0
    private var moving = 0
    private var standing = 0
    private var overcharged = 0
    private var overboostSince: Int64?
    private var lowSince: Int64?
    private var isEmpty = false
    private var isHeating = false
    /// The oil pressure before the engine ran, and readings in a row that are too low while it runs.
    private var oilAtRest: Double?
    private var oilLow: (since: Int64, readings: Int)?
    private var hasNoOil = false
    private var engineSpeed = 0.0
    /// Whether the vehicle stood still when the engine speed was read.
    private var stands = false
    /// The coolant every five seconds, for 90 seconds.
    private var heat: [(t: Int64, celsius: Double)] = []

    /// Takes a reading of the adapter, or one that `moment` has taken.
    mutating func take(
        _ value: Double, _ quantity: DriveQuantity, _ moment: DriveMoment, t: Int64,
        isOfAdapter: Bool = false
    ) {
        switch quantity {
        case .engineSpeed:
            engineSpeed = value
            stands = standing >= 2 && moment.fresh(.speed) == 0
        case .speed:
            moving = value > 0 ? moving + 1 : 0
            standing = value == 0 ? standing + 1 : 0
        case .coolant: takeCoolant(value, t)
        case .oilPressure: takeOil(value, moment, t)
        case .boost: takeBoost(value, moment, t)
        case .voltage: takeVoltage(value, moment, t, isOfAdapter)
        default: break
        }
    }

    private mutating func takeCoolant(_ celsius: Double, _ t: Int64) {
        hot = celsius > 115 ? hot + 1 : 0
        heat.removeAll { t - $0.t > 90_000_000 }
        // More than 3 °C in a minute.
        isHeating = false
        if celsius > 108, let first = heat.first, t - first.t >= 60_000_000 {
            isHeating = (celsius - first.celsius) * 60e6 / Double(t - first.t) > 3
        }
        if heat.last.map({ t - $0.t >= 5_000_000 }) ?? true { heat.append((t, celsius)) }
    }

    /// Less than a warning light allows at idle; unit: kPa.
    ///
    /// The switch of the light closes at 29 kPa in a Toyota (workshop manual, 1MZ-FE) and at 30 kPa in a Volkswagen (A2).
    private static let leastOil = 29.0

    /// Some sensors include the pressure of the air, which they show before the engine has run.
    private mutating func takeOil(_ kilopascals: Double, _ moment: DriveMoment, _ t: Int64) {
        if !moment.hasRun, moment.fresh(.engineSpeed) == 0 {
            oilAtRest = min(oilAtRest ?? kilopascals, kilopascals)
        }
        // The pump fills the filter first.
        let runs = moment.fresh(.engineSpeed) ?? 0 > 400 && moment.has(moment.runningSince, 5)
        guard runs, kilopascals - (oilAtRest ?? 0) < Self.leastOil else {
            oilLow = nil
            return
        }
        let low = (since: oilLow?.since ?? t, readings: (oilLow?.readings ?? 0) + 1)
        oilLow = low
        hasNoOil = low.readings >= 3 && t - low.since >= 3_000_000
    }

    private mutating func takeBoost(_ kilopascals: Double, _ moment: DriveMoment, _ t: Int64) {
        guard let commanded = moment.fresh(.commandedBoost), kilopascals - commanded > 20 else {
            overboostSince = nil
            return
        }
        let since = overboostSince ?? t
        overboostSince = since
        if t - since >= 2_000_000 { hasOverboost = true }
    }

    private mutating func takeVoltage(
        _ volts: Double, _ moment: DriveMoment, _ t: Int64, _ isOfAdapter: Bool
    ) {
        // One of the first readings may be wrong, be it high or low.
        if voltages < 10 {
            voltages += 1
            if volts >= 18 { high += 1 }
            isFor24Volts = high >= 2
        }
        let scale = isFor24Volts ? 2.0 : 1
        overcharged = volts > 16.5 * scale ? overcharged + 1 : 0
        // Glow plugs take a healthy battery down to about 11.2 V, and an adapter may show 0.6 V less than there is.
        let isLow =
            volts < (isOfAdapter ? 10.4 : 11) * scale && moment.latest(.engineSpeed)?.value == 0
        lowSince = isLow ? lowSince ?? t : nil
        isEmpty = lowSince.map { t - $0 >= 10_000_000 } ?? false
    }

    /// Why the test must end; nil = it may go on.
    func reason(in step: CoachStep) -> Coach.Break? {
        if hot >= 2 || isHeating { return .heat }
        if hasNoOil { return .oil }
        if overcharged >= 2 { return .voltage }
        if engineSpeed > 5_500, step.isParked || stands { return .overspeed }
        guard step.isParked || step == .park else { return nil }
        if step.isParked, moving >= 2 { return .moves }
        return isEmpty ? .battery : nil
    }
}

/// Says when the starter is about to turn, so that nothing but the voltage is asked meanwhile.
struct CrankAlert: Sendable {
    private var since: Int64?
    private var rest: Double?
    private var hasDipped = false
    private var isOver = false

    /// The driver was asked to start the engine.
    mutating func await(at t: Int64) {
        since = t
        rest = nil
        hasDipped = false
        isOver = false
    }

    mutating func take(_ volts: Double) {
        guard since != nil, !isOver else { return }
        guard let rest else {
            self.rest = volts
            return
        }
        if volts < rest - CrankCourse.depth { hasDipped = true }
        // A slow adapter may miss the dip, but not the alternator.
        if hasDipped ? volts > rest - 0.3 : volts > rest + 0.5 { isOver = true }
    }

    /// Whether the starter may turn now; from time to time the engine speed is asked, too, because an adapter may
    /// miss the start.
    func isAwaited(at t: Int64) -> Bool {
        guard let since, !isOver else { return false }
        return (t - since) % 10_000_000 < 8_000_000 || hasDipped && t - since < 8_000_000
    }
}
