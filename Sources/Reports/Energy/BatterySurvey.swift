/// Finds what the sign of a battery's current means, and the offset of its sensor.
///
/// Vehicles differ in both. The survey reads a trip once before ``BatteryMeter`` adds it up.
package struct BatterySurvey: Sendable {
    /// The meaning of a positive current.
    package enum Direction: String, Hashable, Sendable {
        case discharge
        case charge
    }

    /// How the meaning of a positive current is known.
    package enum Evidence: String, Hashable, Sendable {
        /// The voltage falls when the current rises, or rises with it.
        case voltage
        /// The state of charge falls or rises with the sum of the current.
        case charge
        /// The name of the signal says it.
        case name
    }

    /// A stand without a current that changes; unit: A, µs.
    private struct Rest {
        var from: Int64
        var to: Int64
        var count = 1.0
        var mean: Double
        var squares = 0.0
    }

    /// A larger current at rest is a load; unit: A.
    private static let largestOffset = 0.5
    /// A vehicle that stands must rest for this time before its current counts as the offset; unit: µs.
    private static let shortestRest: Int64 = 60_000_000
    /// Older values of the speed do not say whether the vehicle stands; unit: µs.
    static let speedLife: Int64 = 60_000_000

    private let hasCurrent: Bool
    private let named: Direction?
    private var moments: BatteryMoments
    private var last: BatteryMoment?
    // Sums of the products of successive changes of current and voltage.
    private var changes = 0.0
    private var currentSquares = 0.0
    private var voltageSquares = 0.0
    private var products = 0.0
    /// The sum of the current, or of the power; unit: A·s or kW·s.
    private var sum = 0.0
    private var firstCharge: (value: Double, sum: Double)?
    private var lastCharge: (value: Double, sum: Double)?
    private var speed: (t: Int64, value: Double)?
    private var isPluggedIn = false
    /// Whether PID 51 says that the vehicle has no engine.
    private(set) var isElectric = false
    /// Battery/electric, in PID 51 of SAE J1979-DA.
    private static let electricity = 8.0
    private var rest: Rest?
    private var offsets: [Double] = []

    /// - Parameters:
    ///   - hasCurrent: whether the trip has current and voltage, not only power.
    ///   - named: what the name of the signal says about a positive current.
    package init(hasCurrent: Bool, named: Direction? = nil) {
        self.hasCurrent = hasCurrent
        self.named = named
        moments = BatteryMoments(hasCurrent: hasCurrent)
    }

    /// Takes a reading; `t` is in microseconds.
    package mutating func take(_ value: Double, _ quantity: BatteryQuantity, t: Int64) {
        guard value.isFinite else { return }
        switch quantity {
        case .charge where (0...100).contains(value):
            if firstCharge == nil { firstCharge = (value, sum) }
            lastCharge = (value, sum)
        case .speed: speed = (t, value)
        case .charging: isPluggedIn = value > 0
        case .fuelType: isElectric = value == Self.electricity
        default: moments.take(value, quantity, t: t)
        }
        drain()
    }

    /// Takes the readings into account that still wait.
    package mutating func finish() {
        moments.finish()
        drain()
        endRest()
    }

    private mutating func drain() {
        guard !moments.ready.isEmpty else { return }
        for moment in moments.ready { add(moment) }
        moments.removeReady()
    }

    private mutating func add(_ moment: BatteryMoment) {
        defer { last = moment }
        let flow = moment.current ?? moment.power
        takeRest(moment)
        guard let last, moment.t > last.t, moment.t &- last.t <= BatteryMoments.longestGap else {
            return
        }
        let before = last.current ?? last.power
        sum += (before + flow) / 2 * Double(moment.t - last.t) / 1e6
        guard let volts = moment.voltage, let voltsBefore = last.voltage else { return }
        let (current, voltage) = (flow - before, volts - voltsBefore)
        guard current != 0 || voltage != 0 else { return }
        changes += 1
        currentSquares += current * current
        voltageSquares += voltage * voltage
        products += current * voltage
    }

    // MARK: Offset

    private mutating func takeRest(_ moment: BatteryMoment) {
        guard let current = moment.current else { return }
        var isMoving = false
        if let speed, moment.t &- speed.t <= Self.speedLife { isMoving = speed.value >= 1 }
        guard !isMoving, !isPluggedIn, abs(current) <= 3 * Self.largestOffset else {
            endRest()
            return
        }
        if var rest, moment.t &- rest.to <= BatteryMoments.longestGap {
            rest.count += 1
            let distance = current - rest.mean
            rest.mean += distance / rest.count
            rest.squares += distance * (current - rest.mean)
            rest.to = moment.t
            self.rest = rest
        } else {
            endRest()
            rest = Rest(from: moment.t, to: moment.t, mean: current)
        }
    }

    private mutating func endRest() {
        guard let rest else { return }
        self.rest = nil
        guard rest.to &- rest.from >= Self.shortestRest, rest.count >= 10 else { return }
        let deviation = (rest.squares / rest.count).squareRoot()
        if abs(rest.mean) <= Self.largestOffset, deviation <= Self.largestOffset {
            offsets.append(rest.mean)
        }
    }

    /// The current that the sensor reports while none flows, with the sign of the vehicle; unit: A.
    ///
    /// A load can only add to the offset, so the smallest current at rest is the nearest to it. Without a rest the
    /// offset is not known: its deviation is what such sensors have.
    package var offset: Estimated {
        guard let least = offsets.min(by: { abs($0) < abs($1) }) else { return Estimated(0, 0.3) }
        let spread = (offsets.max() ?? least) - (offsets.min() ?? least)
        return Estimated(least, max(0.1, spread / 2))
    }

    /// Whether the vehicle rested, so that ``offset`` is measured.
    package var hasRest: Bool { !offsets.isEmpty }

    // MARK: Sign

    private var byVoltage: Direction? {
        guard changes >= 20, currentSquares > 0, voltageSquares > 0 else { return nil }
        let correlation = products / (currentSquares * voltageSquares).squareRoot()
        let rest = max(1 - correlation * correlation, 1e-9)
        let strength = abs(correlation) * ((changes - 2) / rest).squareRoot()
        guard abs(correlation) >= 0.2, strength >= 5 else { return nil }
        return correlation < 0 ? .discharge : .charge
    }

    private var byCharge: Direction? {
        guard let firstCharge, let lastCharge else { return nil }
        let points = lastCharge.value - firstCharge.value
        let flow = (lastCharge.sum - firstCharge.sum) / 3600
        guard abs(points) >= 3 else { return nil }
        // Ah or kWh of a whole battery; other sums do not belong to this change.
        let whole = abs(flow) / (abs(points) / 100)
        guard (hasCurrent ? 2...1000 : 0.5...500).contains(whole) else { return nil }
        return (points < 0) == (flow > 0) ? .discharge : .charge
    }

    /// The meaning of a positive current, and how it is known; nil if nothing shows it or two measurements disagree.
    package var direction: (meaning: Direction, evidence: Evidence)? {
        switch (byVoltage, byCharge) {
        case (let voltage?, let charge?): voltage == charge ? (voltage, .voltage) : nil
        case (let voltage?, nil): (voltage, .voltage)
        case (nil, let charge?): (charge, .charge)
        case (nil, nil): named.map { ($0, .name) }
        }
    }

    /// Whether voltage and state of charge show different meanings of a positive current.
    package var isContradictory: Bool {
        guard let byVoltage, let byCharge else { return false }
        return byVoltage != byCharge
    }
}
