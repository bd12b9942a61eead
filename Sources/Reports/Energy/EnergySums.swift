/// Sums of power over time.
struct EnergySums: Hashable, Sendable {
    /// Energy out of the battery and into it; unit: kWh.
    private(set) var out = 0.0
    private(set) var into = 0.0
    /// Charge into the battery less charge out of it; unit: Ah.
    private(set) var charge = 0.0
    /// Time with data, and the gaps between them; unit: s.
    private(set) var seconds = 0.0
    private(set) var gaps = 0.0
    /// What the energies out and into would gain if the power had jumped at every change of its sign; unit: kWh.
    private(set) var crossings = 0.0
    /// Voltage over time, for the error of an offset; unit: V·s.
    private var voltage = 0.0
    // Power and its square over time, and the squares of the steps of time.
    private var power = 0.0
    private var powerSquares = 0.0
    private var steps = 0.0

    /// The gain of sensors of current and voltage together: one standard deviation.
    static let gain = 0.01
    /// The gain of a sensor of current: one standard deviation.
    static let currentGain = 0.007
    /// The time after which the power of a drive is another; unit: s.
    private static let correlation = 4.0

    /// Adds the time between two moments; positive is out of the battery.
    mutating func add(
        power one: Double, _ other: Double, current: Double, voltage volts: Double,
        seconds dt: Double
    ) {
        // A straight line between two powers of different signs is two triangles.
        if one * other < 0 {
            let share = one / (one - other)
            take(one / 2 * share * dt)
            take(other / 2 * (1 - share) * dt)
            // A jump at any moment of the step has one · other / (one + other) / 2 more of both.
            crossings += abs(one * other) / (abs(one) + abs(other)) / 2 * dt / 3600
        } else {
            take((one + other) / 2 * dt)
        }
        charge -= current * dt / 3600
        seconds += dt
        voltage += volts * dt
        let mean = (one + other) / 2
        power += mean * dt
        powerSquares += mean * mean * dt
        steps += dt * dt
    }

    private mutating func take(_ kilowattSeconds: Double) {
        if kilowattSeconds > 0 {
            out += kilowattSeconds / 3600
        } else {
            into -= kilowattSeconds / 3600
        }
    }

    mutating func addGap(seconds: Double) { gaps += seconds }

    mutating func add(_ other: EnergySums) {
        out += other.out
        into += other.into
        charge += other.charge
        seconds += other.seconds
        gaps += other.gaps
        crossings += other.crossings
        voltage += other.voltage
        power += other.power
        powerSquares += other.powerSquares
        steps += other.steps
    }

    /// One standard deviation of an energy of these sums by all causes but the gain of the sensors; unit: kWh.
    func deviation(offset: Double) -> Double {
        guard seconds > 0 else { return 0 }
        let mean = power / seconds
        let spread = max(0, powerSquares / seconds - mean * mean).squareRoot()
        // The steps are mostly alike, and each misses what the power did within it.
        let step = steps / seconds
        let sampling = spread * step * (seconds / (6 * Self.correlation)).squareRoot() / 3600
        let drift = offset * voltage / 3_600_000
        return (sampling * sampling + drift * drift).squareRoot()
    }
}
