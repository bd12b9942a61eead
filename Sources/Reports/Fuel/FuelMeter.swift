/// A method of calculating an amount of fuel; the raw value is its name in output.
///
/// The cases are in order of preference: the first is the best.
package enum FuelMethod: String, Hashable, Sendable, CaseIterable {
    /// PID 5E, or SPN 183 of SAE J1939: the fuel that the ECU injects, by volume.
    case fuelRate
    /// PID 9D: the fuel that the ECU injects, by mass.
    case fuelMassRate
    /// PID 10 or 66 and lambda: the intake air.
    case airFlow
    /// PIDs 0B, 0C and 0F and lambda: the air that the cylinders hold.
    case speedDensity

    /// The name for people, without lambda.
    fileprivate var name: String {
        switch self {
        case .fuelRate: "fuel rate of the ECU"
        case .fuelMassRate: "fuel mass rate of the ECU"
        case .airFlow: "air flow"
        case .speedDensity: "manifold pressure and engine speed"
        }
    }
}

/// The source of lambda, by which an amount of air becomes one of fuel.
package enum LambdaSource: Hashable, Sendable {
    /// PID 44: the ECU commands it.
    case commanded
    /// PID 24 or 34: a sensor measures it.
    case measured
    /// No value is known, so that it is assumed to be 1.
    case assumed
}

extension FuelUse.Estimate {
    /// The name of the method for people, with the lambda that was really used.
    package var title: String {
        switch lambda {
        case []: method.name
        case [.commanded]: method.name + ", commanded lambda"
        case [.measured]: method.name + ", measured lambda"
        case [.assumed]: method.name + ", lambda assumed to be 1"
        default:
            method.name + ", lambda"
                + (lambda.contains(.assumed) ? " partly assumed to be 1" : "")
        }
    }
}

/// A quantity that the calculation of fuel uses.
package enum FuelQuantity: Hashable, Sendable {
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
    /// PID 44: the lambda that the ECU commands.
    case commandedLambda
    /// PID 24 or 34: the lambda that a wide-range sensor before the catalyst measures.
    case measuredLambda
    /// The code of PID 51.
    case fuelType
    /// PID 0D; only the times of its values count.
    case speed
}

/// Facts about an engine that its ECU does not report.
package struct FuelSettings: Hashable, Sendable {
    /// The fuel; nil means the fuel of PID 51, else ``usualKind``.
    package var kind: FuelKind?
    /// The fuel to assume if it is unknown.
    package var usualKind = FuelKind.gasoline
    /// Unit: L; nil if unknown, which excludes ``FuelMethod/speedDensity``.
    package var displacement: Double?
    /// Volumetric efficiency of the cylinders, 0 to 1.5.
    package var efficiency = 0.85
    /// Factor for calculated amounts, derived from fill-ups.
    package var calibration = 1.0

    /// Settings without any facts.
    package init() {}
}

/// Adds up the fuel of a drive with every method that its data allows.
///
/// The meter takes readings in the order of time and has no side effects. The meter integrates rates by the
/// trapezoidal rule and assumes nothing about gaps.
package struct FuelMeter: Sendable {
    /// Two values further apart than this have a gap between them; unit: µs.
    package static let longestGap: Int64 = 10_000_000
    /// Older values of lambda are not used; unit: µs.
    static let lambdaLife: Int64 = 10_000_000
    /// Older air temperatures are not used; it changes slowly and is polled rarely; unit: µs.
    static let temperatureLife: Int64 = 300_000_000
    /// Gas constant of dry air; unit: J/(kg·K).
    static let gasConstant = 287.05

    /// Codes of PID 51 for bi-fuel and hybrid vehicles that drive on battery, or on both at once.
    static let hybrids: Set<UInt64> = [0x0F, 0x10, 0x14, 0x15, 0x16]

    struct Sample: Sendable {
        var t: Int64
        var value: Double
    }

    struct Sum: Sendable {
        /// L for 5E, g of fuel for 9D, g of air divided by lambda for the others; nil = fuel not
        /// known yet.
        var base: [FuelKind?: Double] = [:]
        /// Time with data; unit: µs.
        var covered: Int64 = 0
        /// The largest rate; unit: that of `base` per second.
        var peak = 0.0
        var last: Sample?
        /// The sources of lambda; empty for the methods without it.
        var lambda: Set<LambdaSource> = []
    }

    let settings: FuelSettings
    private(set) var sums: [FuelMethod: Sum] = [:]
    /// Time with a running engine; unit: µs, nil without any engine speed.
    private(set) var running: Int64?
    /// The last fuel that PID 51 reported.
    private(set) var announced: FuelKind?
    /// Whether PID 51 reported an engine without a single fuel, such as an electric one.
    private(set) var wasWithoutFuel = false
    /// Whether PID 51 reported a hybrid on battery, which does not show the fuel of its engine.
    private(set) var isHybrid = false
    /// Time with a known vehicle speed; unit: µs, nil without any speed.
    private(set) var speedCovered: Int64?
    private var lastSpeed: Int64?
    private var engine: Sample?
    private var temperature: Sample?
    private var commanded: Sample?
    private var measured: Sample?

    /// A meter without data.
    package init(_ settings: FuelSettings = FuelSettings()) { self.settings = settings }

    private var kind: FuelKind? { settings.kind ?? announced }

    /// Adds one value; `t` is in microseconds.
    package mutating func take(_ value: Double, _ quantity: FuelQuantity, t: Int64) {
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
            // A hybrid on battery keeps its last known fuel, since it will use that fuel later.
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

    /// The current lambda; nil if the air flow alone does not give the fuel.
    private func lambda(at t: Int64) -> (value: Double, source: LambdaSource)? {
        let fresh = { (sample: Sample?) -> Double? in
            guard let sample, t &- sample.t <= Self.lambdaLife, (0.5..<1.99).contains(sample.value)
            else { return nil }
            return sample.value
        }
        // The commanded lambda of a lean engine is only a limit. A sensor shows the actual one,
        // except at the end of its range.
        if kind?.isLean == true { return fresh(measured).map { ($0, .measured) } }
        return fresh(commanded).map { ($0, .commanded) } ?? (1, .assumed)
    }

    private mutating func addAir(_ method: FuelMethod, _ air: Double, t: Int64) {
        guard air >= 0, let lambda = lambda(at: t) else { return }
        add(method, air / lambda.value, t: t)
        sums[method]?.lambda.insert(lambda.source)
    }

    /// Adds the intake air of a four-stroke engine: p·V·η/(R·T) every second revolution.
    private mutating func addSpeedDensity(pressure: Double, t: Int64) {
        guard let displacement = settings.displacement, let engine, let temperature,
            t &- engine.t <= Self.longestGap, t &- temperature.t <= Self.temperatureLife
        else { return }
        let kelvin = temperature.value + 273.15
        guard kelvin > 200 else { return }
        // kPa · L = J; the last factors convert kg to g and minutes to seconds.
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
