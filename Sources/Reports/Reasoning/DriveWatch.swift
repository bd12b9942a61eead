/// Finds operating points in the readings of a drive, and measures numbers there.
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

    /// Rises when a drive is measured in another way, so that no number of the former way is used any more.
    package static let revision = 2

    private var now = DriveMoment()
    private var engineSpeed = PlaceSums()
    private var trims = TrimWatch()
    private var air = AirWatch()
    private var fullLoad = FullLoadWatch()
    private var mixture = MixtureWatch()
    private var front = FrontSensorWatch()
    private var rear = RearSensorWatch()
    private var commands = CommandWatch()
    private var idle = IdleWatch()
    private var coolant = CoolantWatch()
    private var temperatures = TemperatureWatch()
    private var voltage = VoltageWatch()

    /// Microseconds since the start of the trip.
    let from: Int64

    /// Measures what is read from this time on; earlier readings only tell the state of the engine.
    package init(from: Int64 = 0) { self.from = from }

    /// Measures the second half and the last third of a trip, in which a fault may have begun.
    package static func later(seconds: Double) -> [Self] {
        [1.0 / 2, 2.0 / 3].map { Self(from: Int64(seconds * $0 * 1e6)) }
    }

    /// Takes a reading; `t` is in microseconds since the start of the trip.
    package mutating func take(_ value: Double, _ quantity: DriveQuantity, t: Int64) {
        guard value.isFinite else { return }
        now.take(value, quantity, t: t)
        guard t >= from else { return }
        switch quantity {
        case .engineSpeed:
            engineSpeed.add(value, now)
            idle.takeEngine(value, now)
        case .shortTrim1: trims.take(value, bank: 1, now)
        case .shortTrim2: trims.take(value, bank: 2, now)
        case .fuelStatus:
            trims.takeFuelStatus(value, now)
            front.takeFuelStatus(now)
        case .airFlow: air.takeFlow(value, now)
        case .manifold:
            air.takeManifold(value, now)
            fullLoad.takeManifold(value, now)
        case .load:
            air.takeLoad(value, now)
            fullLoad.takeLoad(value, now)
        case .absoluteLoad:
            air.takeAbsoluteLoad(value, now)
            fullLoad.takeAbsoluteLoad(value, now)
        case .throttle:
            idle.takeThrottle(value, now)
            fullLoad.takeThrottle(now)
        case .tankPressure: idle.takeTank(value, now)
        case .lambda:
            front.takeLambda(value, now)
            mixture.takeLambda(value, now)
        case .frontVoltage:
            front.take(value, now)
            mixture.takeFront(value, now)
        case .rearVoltage: rear.take(value, now)
        case .secondaryTrim: rear.takeSecondary(value, now)
        case .railPressure: commands.takeRail(value, now)
        case .boost: commands.takeBoost(value, now)
        case .egrError: commands.takeEGR(value, now)
        case .coolant:
            coolant.take(value, now)
            temperatures.takeCoolant(now)
        case .ambient: coolant.takeAmbient(value, now)
        case .intakeAir: temperatures.takeIntake(value, now)
        case .voltage: voltage.take(value, now)
        case .speed, .pedal, .longTrim1, .longTrim2, .fuelType, .ethanol, .barometric, .purge,
            .commandedLambda, .commandedRail, .commandedBoost, .commandedEGR, .oilPressure:
            break
        }
    }

    /// The operating points that were found.
    package var points: [Point] {
        let found = DrivePlace.allCases.map { ("\($0)", engineSpeed[$0]) } + [("off", air.off)]
        return found.compactMap { name, sum in
            sum.seconds > 0
                ? Point(name: name, from: sum.from, to: sum.to, seconds: sum.seconds) : nil
        }
    }

    /// The traits of the vehicle, by their names in files of causes.
    var traits: Set<String> {
        var found: Set = [now.hasMeter ? "meter" : "density"]
        if now.isPetrol { found.insert("petrol") }
        if !now.isHybrid { found.insert("engine") }
        return found
    }

    /// The numbers that the drive has, by the names of their measures.
    var numbers: [String: Measured] {
        var found: [String: Measured] = [:]
        found["rpm.idle"] = engineSpeed[.idle].measured(tau: 0.5)
        trims.add(to: &found, now)
        air.add(to: &found, now)
        fullLoad.add(to: &found, now)
        mixture.add(to: &found)
        front.add(to: &found, now)
        rear.add(to: &found, front: front.crossings, now)
        commands.add(to: &found, now)
        idle.add(to: &found, now)
        coolant.add(to: &found, now)
        temperatures.add(to: &found, now)
        voltage.add(to: &found, now)
        if from > 0 {
            // These are of the start of the trip.
            for id in ["soak.ect", "soak.iat", "ect.warmup"] { found[id] = nil }
        }
        return found
    }

    /// How often the engine turned.
    var turns: Double { now.turned }

    /// The quantities that have values.
    package var known: Set<DriveQuantity> {
        Set(DriveQuantity.allCases.filter { now.latest($0) != nil })
    }
}
