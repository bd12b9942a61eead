@testable import PIDTables
@testable import Reports

/// A drive of a vehicle whose faults are planted by the formulas of physics.
///
/// It is no test of an engine, only of the arithmetic. Filling, tolerances and noise are others than those of the
/// causes.
struct PlantedDrive {
    enum Fault: Hashable, Sendable {
        case none
        /// g/s through a hole.
        case leak(Double)
        /// What the air meter shows of the air.
        case meter(Double)
        /// The flow of all injectors over that of healthy ones.
        case pressure(Double)
        /// The most fuel that arrives, in shares of what a pull needs.
        case pump(Double)
        /// g/s of fuel that drops into the engine.
        case drip(Double)
        /// The correction that a sensor asks for without a need, in %.
        case front(Double)
        case exhaustLeak(Double)
        /// kPa of exhaust gas in the manifold at idle.
        case exhaustGas(Double)
        case bank(Double)
        case catalyst, rearDead
        case manifold(Double)
        case thermostat(Double)
        case hot(Double)
        case volts(Double)
        /// g/s through the purge valve, of air (above 0) or vapour.
        case purge(Double)
        /// A filling of the cylinders over that of healthy ones: late valves.
        case valves(Double)
    }

    var fault = Fault.none
    var seed: UInt64 = 1
    var litres = 1.6
    var hasMeter = true
    var isWide = true
    var knowsLitres = true
    /// Tolerances of the meter, the injectors, the filling and the fuel, as shares.
    var meter = 1.0, injectors = 1.0, filling = 1.0, fuel = 1.0
    /// The rise of the filling with speed, by which engines differ.
    var hump = 0.06
    var air = 101.0
    var ambient = 18.0
    var start = 18.0
    var thermostat = 88.0
    var volts = 14.1
    var manifoldOffset = 0.0
    var idlePressure = 31.0
    var idleUnrest = 6.0
    var step: Int64 = 1
    var without: Set<DriveQuantity> = []
    var hasPulls = true
    var hasRaised = true

    private mutating func random() -> Double {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(seed >> 33) / Double(1 << 31)
    }

    /// About normal, with this standard deviation.
    private mutating func spread(_ deviation: Double) -> Double {
        ((0..<6).reduce(0) { sum, _ in sum + random() } - 3) * deviation * 1.414
    }

    private mutating func within(_ bound: Double) -> Double { (2 * random() - 1) * bound }

    /// Any vehicle of the road: meter 3 %, injectors 4 %, filling 5 %, E0 to E10, sensors, height, weather.
    static func healthy(_ seed: UInt64) -> Self {
        var drive = Self()
        drive.seed = seed &* 7_919 &+ 13
        drive.litres = 1 + drive.random() * 2.5
        drive.hasMeter = drive.random() < 0.6
        drive.isWide = drive.random() < 0.6
        drive.knowsLitres = drive.random() < 0.6
        drive.meter = 1 + drive.within(0.03)
        drive.injectors = 1 + drive.within(0.04)
        drive.filling = 1 + drive.within(0.05)
        drive.fuel = 0.98 + drive.random() * 0.04
        drive.hump = drive.random() * 0.14
        drive.air = 79 + drive.random() * 24
        drive.ambient = -15 + drive.random() * 55
        drive.start = drive.ambient + drive.random() * 30
        drive.thermostat = 82 + drive.random() * 20
        drive.volts = 13.5 + drive.random() * 1.2
        drive.manifoldOffset = drive.within(1.5)
        drive.idlePressure = 26 + drive.random() * 14
        drive.idleUnrest = 4 + drive.random() * 10
        drive.step = drive.random() < 0.3 ? 2 : 1
        drive.hasPulls = drive.random() < 0.7
        drive.hasRaised = drive.random() < 0.5
        return drive
    }

    private struct Moment {
        var speed = 0.0, rpm = 0.0, pressure = 101.0, load = 0.0, pedal = 15.0
        var isPull = false, isCut = false
    }

    private mutating func moment(_ second: Int64) -> Moment {
        var now = Moment()
        now.pressure = air
        switch second {
        case ..<15: return now
        case 15..<60, 900..<1_020:
            now.rpm = 780 + spread(idleUnrest)
            now.pressure = idlePressure + spread(0.4)
            now.load = 25
        case 1_020..<1_065 where hasRaised:
            now.rpm = 2_500 + spread(20)
            now.pressure = idlePressure - 2 + spread(0.4)
            now.load = 22
        case 1_300...:
            let phase = second % 200
            now.speed = 90
            now.rpm = 2_300 + spread(5)
            now.pressure = 0.55 * air + 4 * Double(second / 200 % 3) + spread(0.8)
            now.load = 50
            if phase < 8, hasPulls {
                now.isPull = true
                (now.speed, now.rpm) = (90 + 2 * Double(phase), 3_000 + 150 * Double(phase))
                (now.pressure, now.load, now.pedal) = (air - 2, 96, 92)
            } else if phase >= 100, phase < 108 {
                now.isCut = true
                (now.speed, now.rpm) = (80 - Double(phase - 100), 2_000)
                (now.pressure, now.load) = (20, 8)
            }
        default:
            now.speed = (20 + Double(second % 40)).rounded()
            now.rpm = 1_700 + spread(150)
            now.pressure = 45 + spread(8)
            now.load = 40
        }
        return now
    }

    private func choke(_ pressure: Double) -> Double {
        pressure < 0.53 * air ? 1 : (max(0, air - pressure) / (0.47 * air)).squareRoot()
    }

    /// g/s of the cylinders: the filling falls with residual gas and rises with speed.
    private func cylinders(_ now: Moment, kelvin: Double) -> Double {
        var share = (1 - 9 / now.pressure) * (0.86 + hump * min(now.rpm, 4_000) / 4_000) * filling
        if case .valves(let part) = fault { share *= part }
        return now.pressure * litres * share * now.rpm / (120 * 0.28705 * kelvin)
    }

    mutating func watch() -> DriveWatch {
        var watch = DriveWatch()
        var coolant = start
        var short = 0.0
        var front = 0.0
        var rear = 0.7
        var plateau = thermostat
        if case .thermostat(let celsius) = fault { plateau = celsius }
        if case .hot(let celsius) = fault { plateau = celsius }
        var charge = volts
        if case .volts(let now) = fault { charge = now }
        for second in stride(from: Int64(0), to: 2_000, by: Int(step)) {
            let now = moment(second)
            let intake = ambient + 12
            let kelvin = intake + 273.15
            let runs = now.rpm > 0
            if runs { coolant += (plateau - coolant) * 0.006 * Double(step) }
            var pressure = now.pressure
            let total = runs ? cylinders(now, kelvin: kelvin) : 0
            var metered = total * meter
            var correction = 0.0
            var other = 0.0
            switch fault {
            case .leak(let flow): metered = max(0, total - flow * choke(pressure)) * meter
            case .meter(let gain): metered *= gain
            case .pressure(let gain): other = 100 / gain - 100
            case .drip(let flow): other = -100 * flow / (total / 14.7 + 1e-9)
            case .front(let percent): other = percent
            case .exhaustLeak(let percent): other = now.rpm < 1_000 ? percent : percent * 0.1
            case .exhaustGas(let gas) where runs:
                pressure += now.rpm < 1_000 ? gas : now.isPull ? 0 : gas / 6
            case .purge(let flow):
                if flow > 0 {
                    metered = max(0, total - flow * choke(pressure)) * meter
                } else {
                    other = 100 * flow / (total / 14.7 + 1e-9)
                }
            default: break
            }
            // Without a meter the pressure shows all air, and the engine's map holds its filling.
            let known = hasMeter ? metered / total : 1 / filling
            correction =
                runs ? 100 * fuel / (known * injectors) - 100 + other : 0
            correction = min(max(correction, -40), 40)
            short += (spread(3) - short) * 0.5
            let wanted = now.isPull ? 0.88 : 1
            var lambda = 1 + spread(0.006)
            if now.isPull {
                lambda = 0.88 + spread(0.008)
                if case .pump(let share) = fault { lambda = 0.88 / share }
            }
            if now.isCut { lambda = 1.99 }
            front = now.isPull ? (lambda > 0.97 ? 0.12 : 0.86) : now.isCut ? 0.05 : random()
            rear += ((now.isPull ? 0.85 : now.isCut ? 0.1 : 0.68 + spread(0.02)) - rear) * 0.4
            var shownRear = rear
            switch fault {
            case .catalyst where !now.isPull && !now.isCut: shownRear = 0.2 + 0.6 * random()
            case .rearDead: shownRear = 0.44
            case .front(let percent): shownRear = (percent > 0 ? 0.86 : 0.1) + spread(0.015)
            default: break
            }
            var offset = manifoldOffset
            if case .manifold(let more) = fault { offset += more }
            var second1 = correction
            if case .bank(let percent) = fault { second1 -= percent }
            var unrest = 0.0
            if case .exhaustGas = fault, now.rpm > 0, now.rpm < 1_000 { unrest = spread(45) }
            var tank = -100 + spread(30)
            if case .purge = fault, runs { tank = -2_600 }
            let isClosed = runs && coolant >= 50 && !now.isPull && !now.isCut
            let all: [(DriveQuantity, Double)] = [
                (.speed, now.speed.rounded()), (.engineSpeed, now.rpm + unrest),
                (.coolant, coolant.rounded()),
                (.fuelStatus, !runs || coolant < 50 ? 1 : now.isPull || now.isCut ? 4 : 2),
                (.longTrim1, runs ? correction : 0), (.longTrim2, runs ? second1 : 0),
                (.shortTrim1, isClosed ? short : 0), (.shortTrim2, isClosed ? -short : 0),
                (.voltage, (runs ? charge : 12.5) + spread(0.03)), (.barometric, air.rounded()),
                (.intakeAir, intake.rounded()), (.ambient, ambient.rounded()),
                (.manifold, (pressure + offset).rounded()), (.load, now.load),
                (.pedal, now.pedal), (.throttle, now.pedal), (.purge, second % 30 < 20 ? 0 : 20),
                (.tankPressure, tank), (.commandedLambda, wanted),
                (.rearVoltage, shownRear),
            ]
            var readings = all
            if hasMeter { readings.append((.airFlow, runs ? metered * (1 + spread(0.01)) : 0)) }
            if hasMeter, knowsLitres, runs {
                readings.append(
                    (.absoluteLoad, 100 * metered * 120 / (1.184 * now.rpm * litres)))
            }
            readings.append(isWide ? (.lambda, lambda) : (.frontVoltage, front))
            for (place, one) in readings.enumerated() where !without.contains(one.0) {
                watch.take(one.1, one.0, t: second * 1_000_000 + Int64(place) * 20_000)
            }
        }
        return watch
    }
}
