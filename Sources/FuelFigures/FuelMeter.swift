/// How an amount of fuel was found; the raw value is how output calls it.
///
/// The first is the best.
public enum FuelMethod: String, Hashable, Sendable, CaseIterable {
    /// PID 5E, or SPN 183 of SAE J1939: what the ECU injects, by volume.
    case fuelRate
    /// PID 9D: what the ECU injects, by mass.
    case fuelMassRate
    /// PID 10 or 66: the air that went in, and lambda.
    case airFlow
    /// PIDs 0B, 0C and 0F: the air that the cylinders hold, and lambda.
    case speedDensity

    /// For people.
    public var title: String {
        switch self {
        case .fuelRate: "fuel rate of the ECU"
        case .fuelMassRate: "fuel mass rate of the ECU"
        case .airFlow: "air flow and lambda (PIDs 10, 44)"
        case .speedDensity: "manifold pressure and engine speed (PIDs 0B, 0C, 0F)"
        }
    }
}

/// A quantity that fuel is worked out from.
public enum FuelQuantity: Hashable, Sendable {
    /// PID 5E; unit: L/h.
    case fuelRate
    /// PID 9D, engine fuel rate; unit: g/s.
    case fuelMassRate
    /// PID 10 or 66, sensor A; unit: g/s.
    case airFlow
    /// PID 0B, absolute; unit: kPa.
    case manifoldPressure
    /// PID 0F; unit: °C.
    case intakeTemperature
    /// PID 0C; unit: rpm.
    case engineSpeed
    /// PID 44: what the ECU aims at.
    case commandedLambda
    /// PID 24 or 34: what a wide-range sensor before the catalyst measures.
    case measuredLambda
    /// PID 51; its code.
    case fuelType
    /// PID 0D; its value does not matter, only when it was known.
    case speed
}

/// What of an engine its ECU does not tell.
public struct FuelSettings: Hashable, Sendable {
    /// What it burns; nil = what PID 51 says, else ``usualKind``.
    public var kind: FuelKind?
    /// What it is taken to burn where it is not known.
    public var usualKind = FuelKind.gasoline
    /// Unit: L; nil = not known, so that there is no ``FuelMethod/speedDensity``.
    public var displacement: Double?
    /// How much of their displacement the cylinders fill, 0 to 1.5.
    public var efficiency = 0.85
    /// What calculated amounts are multiplied by, from fill-ups.
    public var calibration = 1.0

    /// Nothing is known.
    public init() {}
}

/// Adds up the fuel of a drive by every method that its data allows.
///
/// Pure: readings in the order of time in, amounts out. Between two values of a rate the trapezoid
/// counts; nothing is assumed about a gap.
public struct FuelMeter: Sendable {
    /// Between two values further apart than this nothing is known; unit: µs.
    public static let longestGap: Int64 = 10_000_000
    /// Lambda goes stale; unit: µs.
    static let lambdaLife: Int64 = 10_000_000
    /// Air temperature changes slowly and is asked rarely; unit: µs.
    static let temperatureLife: Int64 = 300_000_000
    /// Gas constant of dry air; unit: J/(kg·K).
    static let gasConstant = 287.05

    /// Codes of PID 51 for bi-fuel and hybrid vehicles that drive by battery, or by both at once.
    static let hybrids: Set<UInt64> = [0x0F, 0x10, 0x14, 0x15, 0x16]

    struct Sample: Sendable {
        var t: Int64
        var value: Double
    }

    /// What a method has added up.
    struct Sum: Sendable {
        /// L of 5E, g of fuel of 9D, g of air over lambda of the others; nil = kind not known yet.
        var base: [FuelKind?: Double] = [:]
        /// Time for which there was data; unit: µs.
        var covered: Int64 = 0
        /// The largest rate; unit: that of `base` a second.
        var peak = 0.0
        var last: Sample?
    }

    let settings: FuelSettings
    private(set) var sums: [FuelMethod: Sum] = [:]
    /// Time with a running engine; unit: µs, nil without any engine speed.
    private(set) var running: Int64?
    /// The last fuel that PID 51 told of.
    private(set) var announced: FuelKind?
    /// Whether PID 51 told of an engine without one fuel, electricity among them.
    private(set) var wasWithoutFuel = false
    /// Whether PID 51 told of a hybrid, without saying what it burns: it drove by battery.
    private(set) var isHybrid = false
    /// Time for which the vehicle's speed was known; unit: µs, nil without any speed.
    private(set) var speedCovered: Int64?
    private var lastSpeed: Int64?
    private var engine: Sample?
    private var temperature: Sample?
    private var commanded: Sample?
    private var measured: Sample?

    /// A meter that has seen nothing.
    public init(_ settings: FuelSettings = FuelSettings()) { self.settings = settings }

    private var kind: FuelKind? { settings.kind ?? announced }

    /// Takes one value; `t` in microseconds.
    public mutating func take(_ value: Double, _ quantity: FuelQuantity, t: Int64) {
        guard value.isFinite else { return }
        switch quantity {
        case .fuelRate: if value >= 0 { add(.fuelRate, value / 3600, t: t) }
        case .fuelMassRate: if value >= 0 { add(.fuelMassRate, value, t: t) }
        case .airFlow: addAir(.airFlow, value, t: t)
        case .manifoldPressure: addSpeedDensity(pressure: value, t: t)
        case .intakeTemperature: temperature = Sample(t: t, value: value)
        case .commandedLambda: commanded = Sample(t: t, value: value)
        case .measuredLambda: measured = Sample(t: t, value: value)
        case .fuelType:
            guard let code = UInt64(exactly: value), code != 0 else { return }
            // What burns nothing now takes no fuel back: what is burnt later is still that.
            if let kind = FuelKind(code: code) {
                announced = kind
            } else if Self.hybrids.contains(code) {
                isHybrid = true
            } else {
                wasWithoutFuel = true
            }
        case .speed:
            if let last = lastSpeed, t > last, t &- last <= Self.longestGap {
                speedCovered = (speedCovered ?? 0) + (t - last)
            }
            speedCovered = speedCovered ?? 0
            lastSpeed = t
        case .engineSpeed:
            if let engine, t > engine.t, t &- engine.t <= Self.longestGap,
                engine.value > 0 || value > 0
            {
                running = (running ?? 0) + (t - engine.t)
            }
            running = running ?? 0
            engine = Sample(t: t, value: value)
        }
    }

    /// Lambda of what is burnt now; nil where air alone says nothing about fuel.
    private func lambda(at t: Int64) -> Double? {
        let fresh = { (sample: Sample?) -> Double? in
            guard let sample, t &- sample.t <= Self.lambdaLife, (0.5..<1.99).contains(sample.value)
            else { return nil }
            return sample.value
        }
        // What a lean engine is commanded is a limit and not what it does: only a sensor shows; at
        // the end of its range it does not.
        if kind?.isLean == true { return fresh(measured) }
        return fresh(commanded) ?? 1
    }

    private mutating func addAir(_ method: FuelMethod, _ air: Double, t: Int64) {
        guard air >= 0, let lambda = lambda(at: t) else { return }
        add(method, air / lambda, t: t)
    }

    /// The air that a four-stroke engine draws in: p·V·η/(R·T) every other turn.
    private mutating func addSpeedDensity(pressure: Double, t: Int64) {
        guard let displacement = settings.displacement, let engine, let temperature,
            t &- engine.t <= Self.longestGap, t &- temperature.t <= Self.temperatureLife
        else { return }
        let kelvin = temperature.value + 273.15
        guard kelvin > 200 else { return }
        // kPa · L = J; kg to g and minutes to seconds at the end.
        let air =
            pressure * displacement * settings.efficiency / (Self.gasConstant * kelvin)
            * engine.value / 120 * 1000
        addAir(.speedDensity, air, t: t)
    }

    private mutating func add(_ method: FuelMethod, _ rate: Double, t: Int64) {
        var sum = sums[method] ?? Sum()
        if let last = sum.last, t > last.t, t &- last.t <= Self.longestGap {
            sum.base[kind, default: 0] += (last.value + rate) / 2 * Double(t - last.t) / 1e6
            sum.covered += t - last.t
        }
        sum.peak = max(sum.peak, rate)
        sum.last = Sample(t: t, value: rate)
        sums[method] = sum
    }
}
