/// The moment of the latest reading, for judging the 12 V side: what the vehicle does, and how far each source of the
/// voltage may be off.
struct VoltageMoment: Sendable {
    /// What the ECU has said.
    private(set) var drive = DriveMoment()
    /// Microseconds since the start of the trip, of an ECU or of the adapter.
    private(set) var t: Int64 = 0
    /// Outside, before the engine ran; unit: °C.
    private(set) var temperature: Double?
    /// Whether PID 51 has named an electric or hybrid vehicle.
    private(set) var isDeclared = false
    private(set) var sources = VoltageSources(Source())
    /// ECU less adapter, while the engine runs.
    private var differences = DriveHistogram(-3...3, step: 0.02)

    struct Source: Sendable {
        fileprivate(set) var latest: (t: Int64, value: Double)?
        /// The level that was held for five seconds while something may charge.
        fileprivate(set) var held = DriveHeld(seconds: 5)
    }

    mutating func advance(to t: Int64) { self.t = max(self.t, t) }

    mutating func take(_ value: Double, _ quantity: DriveQuantity, t: Int64) {
        advance(to: t)
        drive.take(value, quantity, t: self.t)
        if quantity == .ambient, !drive.hasRun { temperature = value }
        if quantity == .fuelType {
            isDeclared = isDeclared || value == 8 || (16...22).contains(value)
        }
    }

    /// Takes a voltage; the engine is judged by what the ECU said before.
    mutating func take(_ volts: Double, isAdapter: Bool) {
        sources[isAdapter].latest = (t, volts)
        if runsSteadily || drive.latest(.engineSpeed) == nil || isHighVoltage {
            sources[isAdapter].held.add(volts, at: t, breaks: false)
        }
        if isAdapter, runsSteadily, let ecu = sources.ecu.latest, t - ecu.t <= 1_500_000 {
            differences.add(ecu.value - volts)
        }
    }

    func fresh(_ quantity: DriveQuantity) -> Double? {
        drive.latest(quantity).flatMap { t - $0.t <= 3_000_000 ? $0.value : nil }
    }

    var runs: Bool { fresh(.engineSpeed) ?? 0 > 400 }

    var runsSteadily: Bool { runs && drive.has(drive.runningSince, 5) }

    /// Whether the engine has never run: ECUs are silent while the starter turns, so its last speed may be old.
    var isOff: Bool { !drive.hasRun && drive.latest(.engineSpeed)?.value ?? 0 == 0 }

    /// Whether it moved without its engine, as hybrids do, but also a car that is towed or rolls with its engine off.
    var rolls: Bool {
        // 23 is a diesel engine that takes two fuels.
        !isDeclared && drive.isHybrid && drive.latest(.fuelType)?.value != 23
    }

    var isHighVoltage: Bool { isDeclared || rolls }

    /// Whether no better source has said something at the same time.
    func isBest(isAdapter: Bool) -> Bool {
        !isAdapter || sources.ecu.latest.map { t - $0.t > 3_000_000 } ?? true
    }

    /// How far a voltage may be off.
    func error(isAdapter: Bool) -> Double {
        guard isAdapter else { return 0.05 }
        return differences.count >= 5 ? 0.1 : 0.6
    }

    /// The voltage of the adapter, corrected by what the ECU said while the engine ran.
    func corrected(_ volts: Double, isAdapter: Bool) -> Double {
        guard isAdapter, differences.count >= 5, let difference = differences.quantile(0.5) else {
            return volts
        }
        return volts + difference
    }
}

/// The same about each source of the voltage.
struct VoltageSources<Course: Sendable>: Sendable {
    var ecu, adapter: Course

    init(_ course: Course) { (ecu, adapter) = (course, course) }

    subscript(isAdapter: Bool) -> Course {
        get { isAdapter ? adapter : ecu }
        _modify {
            if isAdapter { yield &adapter } else { yield &ecu }
        }
    }
}
