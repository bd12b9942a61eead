@testable import Reports

/// A battery by arithmetic of its own, apart from the code under test: an open-circuit voltage that is a straight line
/// of the charge, a resistance, and currents that a seed draws.
struct SimulatedBattery {
    enum Phase {
        case drive(seconds: Double)
        case stand(seconds: Double)
        case alternating(kilowatts: Double, until: Double)
        case direct(until: Double)
        case silence(seconds: Double)
        /// A hybrid's engine that charges while it drives.
        case engine(seconds: Double, amperes: Double)
    }

    struct Readings {
        var values: [(t: Int64, quantity: BatteryQuantity, value: Double)] = []
        /// True energy outside of charging and in it, and distance.
        var out = 0.0, into = 0.0, charged: [Double] = [], kilometres = 0.0
        var chargedAh: [Double] = []
    }

    var capacity = 100.0  // Ah
    var charge = 80.0  // %
    var resistance = 0.08
    var cells = 96.0
    /// The sensor.
    var sign = 1.0, offset = 0.0, gain = 1.0, noise = 0.05, currentStep = 0.1, voltageStep = 0.1
    var chargeStep = 0.5
    /// Seconds between readings of current and voltage, and how much later the voltage is read.
    var interval = 1.0, lag = 0.4
    var counters = false
    var hasSpeed = true
    var hasCharge = true
    var powerOnly = false
    var random: Random

    struct Random {
        var state: UInt64
        init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }
        mutating func unit() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var x = state
            x ^= x >> 33
            x = x &* 0xFF51_AFD7_ED55_8CCD
            x ^= x >> 33
            return Double(x >> 11) / 9_007_199_254_740_992
        }
        mutating func normal() -> Double {
            var sum = -6.0
            for _ in 0..<12 { sum += unit() }
            return sum
        }
    }

    init(seed: UInt64) { random = Random(seed) }

    var open: Double { cells * (3.3 + 0.008 * charge) }

    /// A value as a sensor with this step reports it.
    static func cut(_ value: Double, _ step: Double) -> Double {
        step > 0 ? (value / step).rounded() * step : value
    }

    mutating func run(_ phases: [Phase]) -> Readings {
        var found = Readings()
        var now = 0.0
        let tick = 0.05
        var current = 0.0  // out of the battery
        var wanted = 0.0
        var speed = 0.0
        var energyIn = 1234.56, energyOut = 2345.67, ahIn = 3456.7, ahOut = 4567.8
        var nextCurrent = 0.0, nextVoltage = lag, nextCharge = 0.2, nextSpeed = 0.1
        for phase in phases {
            var left = 0.0
            var target: Double?
            var isSilent = false
            var kind = 0
            var kilowatts = 0.0
            switch phase {
            case .drive(let s): (left, kind) = (s, 1)
            case .stand(let s): left = s
            case .alternating(let kw, let until): (target, kilowatts, kind) = (until, kw, 2)
            case .direct(let until): (target, kind) = (until, 3)
            case .silence(let s): (left, isSilent, kind) = (s, true, 1)
            case .engine(let s, let a): (left, kind, wanted) = (s, 4, -a)
            }
            if target != nil { found.charged.append(0); found.chargedAh.append(0) }
            while target.map({ charge < $0 }) ?? (left > 0) {
                left -= tick
                switch kind {
                case 1:
                    // Changes of the pedal about every four seconds.
                    if random.unit() < tick / 4 { wanted = 45 + 75 * random.normal() }
                    current += (wanted - current) * tick / 0.5
                    speed = max(5, min(120, speed + (current - 40) * tick * 0.02))
                case 2:
                    speed = 0
                    current = -kilowatts * 1000 / open
                case 3:
                    speed = 0
                    current = -max(20, (charge < 50 ? 100 : 100 - 2 * (charge - 50)) * 1000 / open)
                case 4:
                    if random.unit() < tick / 10 { wanted *= -1 }
                    current += (wanted - current) * tick / 0.5
                    speed = 60
                default:
                    speed = 0
                    current = 0
                }
                let volts = open - current * resistance
                let energy = volts * current * tick / 3_600_000
                if isSilent {
                } else if target != nil {
                    found.charged[found.charged.count - 1] -= energy
                    found.chargedAh[found.chargedAh.count - 1] -= current * tick / 3600
                } else if energy > 0 {
                    found.out += energy
                } else {
                    found.into -= energy
                }
                if energy > 0 {
                    energyOut += energy; ahOut += current * tick / 3600
                } else {
                    energyIn -= energy; ahIn -= current * tick / 3600
                }
                charge -= current * tick / 3600 / capacity * 100
                if !isSilent { found.kilometres += speed * tick / 3600 }
                now += tick
                let t = Int64(now * 1e6)
                func add(_ quantity: BatteryQuantity, _ value: Double) {
                    if !isSilent { found.values.append((t, quantity, value)) }
                }
                if now >= nextCurrent {
                    nextCurrent = now + interval * (0.8 + 0.4 * random.unit())
                    let read = (current * gain + offset + noise * random.normal()) * sign
                    if powerOnly {
                        add(.power, volts * read / 1000)
                    } else {
                        add(.current, Self.cut(read, currentStep))
                    }
                }
                if now >= nextVoltage, !powerOnly {
                    nextVoltage = max(nextCurrent + lag, now + tick)
                    add(.voltage, Self.cut(volts, voltageStep))
                    // The records of Hyundai and Kia have their counters after current and voltage.
                    if counters {
                        add(.energyIn, (energyIn * 10).rounded(.down) / 10)
                        add(.energyOut, (energyOut * 10).rounded(.down) / 10)
                        add(.chargeIn, (ahIn * 10).rounded(.down) / 10)
                        add(.chargeOut, (ahOut * 10).rounded(.down) / 10)
                    }
                }
                if hasCharge, now >= nextCharge {
                    nextCharge = now + 5
                    add(.charge, Self.cut(charge, chargeStep))
                }
                if hasSpeed, now >= nextSpeed {
                    nextSpeed = now + 1
                    add(.speed, speed.rounded(.down))
                }
            }
        }
        return found
    }
}

/// What the code under test makes of readings.
func batteryUse(
    _ readings: SimulatedBattery.Readings, hasCurrent: Bool = true,
    named: BatterySurvey.Direction? = nil
) -> BatteryUse {
    batteryUse(
        readings.values.map { ($0.t, $0.quantity, $0.value) }, hasCurrent: hasCurrent, named: named,
        distance: readings.kilometres > 0 ? readings.kilometres : nil)
}

func batteryUse(
    _ values: [(t: Int64, quantity: BatteryQuantity, value: Double)], hasCurrent: Bool = true,
    named: BatterySurvey.Direction? = nil, distance: Double? = nil, isOdometer: Bool = false
) -> BatteryUse {
    var survey = BatterySurvey(hasCurrent: hasCurrent, named: named)
    for (t, quantity, value) in values { survey.take(value, quantity, t: t) }
    survey.finish()
    var meter = BatteryMeter(survey, hasCurrent: hasCurrent)
    for (t, quantity, value) in values { meter.take(value, quantity, t: t) }
    meter.finish()
    return meter.use(distance: distance, isOdometer: isOdometer)
}
