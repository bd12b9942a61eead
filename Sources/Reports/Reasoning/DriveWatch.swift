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

    /// What a driver does.
    private enum Place: String, CaseIterable {
        case idle, raised, cruise, pull
    }

    /// What is averaged there.
    private enum Mean: Int, CaseIterable {
        case trim, trim2, closedTrim, air, relativeAir, filling, manifold, load
        case lambda, front, rear, secondary, engineSpeed, throttle, tank, rail, boost
    }

    private var latest = [(t: Int64, value: Double)?](
        repeating: nil, count: DriveQuantity.allCases.count)
    /// The first value of each quantity, and whether another one came.
    private var first = [Double?](repeating: nil, count: DriveQuantity.allCases.count)
    private var moved = QuantitySet()

    private var runningSince: Int64?
    private var stoppedSince: Int64?
    private var lastCut: Int64 = .min
    /// Since when the trim of each bank is exactly 0.
    private var zeroTrims: [Int64?] = [nil, nil]
    private var hasRun = false
    /// Whether the trip begins before the engine was started.
    private var startsOff = false
    private var highestVoltage = 0.0
    private var ran = 0.0
    private var movedWhileRunning = 0.0
    private var movedWithoutEngine = 0.0
    private var startCoolant: Double?
    private var warmAfter: (minutes: Double, t: Int64)?
    private var sinceIdle: Int64?
    private var sinceRaised: Int64?
    private var sinceCruise: (t: Int64, speed: Double)?
    private var sincePull: Int64?
    private var sinceFuelCut: Int64?

    private var sums = [DriveSum](
        repeating: DriveSum(), count: Place.allCases.count * Mean.allCases.count)
    private var coolant = DriveSum()
    private var ambientAir = DriveSum()
    private var off = DriveSum()
    private var egr = DriveSum()
    private var heat = DriveHeld()
    private var charge = DriveHeld()
    /// The voltage that was not exceeded for four minutes, and the coolant for three.
    private var discharge = DriveCeiling(seconds: 240)
    private var cooled = DriveCeiling(seconds: 180)
    private var rest = DriveSum()
    private var crank = DriveSum()
    private var fullLoads = DriveHistogram(0...100, step: 0.5)
    private var fullAir = DriveHistogram(0...3, step: 0.005)
    private var fullThrottle = DriveSum()
    private var fullDrops = DriveHistogram(-200...100, step: 0.5)
    private var intakeRoad = DriveSum()
    private var frontDelays: [Double] = []
    /// The longest stretch of a pull in which the mixture was too lean, and the current one.
    private var leanest: (seconds: Double, from: Int64, to: Int64) = (0, 0, 0)
    private var lean: (from: Int64, last: Int64)?
    private var richPull = DriveSum()
    /// Readings of lambda in closed loop, and those that are far from the commanded one.
    private var wander = (all: 0.0, off: 0.0)
    /// Since when the driver asks for everything.
    private var sinceFull: Int64?
    private var frontSaw = (low: Double.infinity, high: -Double.infinity, from: Int64(0))
    /// Whether the delay of this fuel cut is still to be measured: the sensor was not lean before.
    private var awaitsLean = false
    private var isLean = true
    /// The greatest steps between two readings of temperatures.
    private var coolantStep: (value: Double, t: Int64) = (0, 0)
    private var intakeStep: (value: Double, t: Int64) = (0, 0)
    private var voltage = DriveSum()
    private var voltages = DriveHistogram(8...20, step: 0.05)
    /// Sums of a straight line through the voltages, in units of 10 minutes.
    private var line = (t: 0.0, tt: 0.0, v: 0.0, tv: 0.0, n: 0.0)
    private var idlePressures = DriveHistogram(0...255, step: 1)
    private var displacements = DriveHistogram(0...16, step: 0.01)
    private var highestLoad = 0.0
    private var frontCrossings: DriveCrossings?
    private var rearCrossings = DriveCrossings(middle: 0.45)
    private var rearExtremes: (low: Double, high: Double, from: Int64, to: Int64)?
    private var rearStill: (value: Double, from: Int64, pull: Double, cut: Double)?
    private var rearDied: (from: Int64, to: Int64)?
    private var rearSaw = (pull: 0.0, cut: 0.0, last: Int64(0))
    private var window: (start: Int64, low: Double, high: Double, sum: DriveSum)?
    private var deviations: [Double] = []
    private var idleWindows = (from: Int64(0), to: Int64(0))

    package init() {}

    /// A value that is at most `seconds` old.
    private func fresh(_ quantity: DriveQuantity, at t: Int64, within seconds: Int64 = 3) -> Double?
    {
        guard let found = latest[quantity.place], t - found.t <= seconds * 1_000_000 else {
            return nil
        }
        return found.value
    }

    private func has(_ start: Int64?, _ seconds: Double, at t: Int64) -> Bool {
        start.map { Double(t - $0) >= seconds * 1e6 } ?? false
    }

    /// The operating point of this moment.
    private func place(at t: Int64) -> Place? {
        guard fresh(.engineSpeed, at: t) != nil else { return nil }
        if has(sincePull, 1, at: t) { return .pull }
        guard fresh(.speed, at: t) != nil else { return nil }
        if has(sinceIdle, 10, at: t) { return .idle }
        if has(sinceRaised, 5, at: t) { return .raised }
        let isWarm = fresh(.coolant, at: t, within: 30).map { $0 >= 70 } ?? false
        if has(sinceCruise?.t, 8, at: t), isWarm, has(runningSince, 120, at: t) { return .cruise }
        return nil
    }

    private static func index(_ mean: Mean, _ place: Place) -> Int {
        let number =
            switch place {
            case .idle: 0
            case .raised: 1
            case .cruise: 2
            case .pull: 3
            }
        return number * Mean.allCases.count + mean.rawValue
    }

    private func sum(_ mean: Mean, _ place: Place) -> DriveSum { sums[Self.index(mean, place)] }

    private mutating func add(_ value: Double, _ mean: Mean, at t: Int64) {
        guard let place = place(at: t) else { return }
        sums[Self.index(mean, place)].add(value, at: t)
    }

    /// Takes a reading; `t` is in microseconds since the start of the trip.
    package mutating func take(_ value: Double, _ quantity: DriveQuantity, t: Int64) {
        guard value.isFinite else { return }
        let before = latest[quantity.place]
        latest[quantity.place] = (t, value)
        if let known = first[quantity.place] {
            if value != known { moved.insert(quantity) }
        } else {
            first[quantity.place] = value
        }
        switch quantity {
        case .engineSpeed: takeEngine(value, t, before)
        case .speed: takeSpeed(value, t, before)
        case .shortTrim1: takeTrim(value, .longTrim1, bank: 1, t)
        case .shortTrim2: takeTrim(value, .longTrim2, bank: 2, t)
        case .coolant: takeCoolant(value, t, before)
        case .voltage: takeVoltage(value, t, before)
        case .manifold: takeManifold(value, t)
        case .fuelStatus:
            if value != 2 && value != 16 { lastCut = t }
            watchFuelCut(t)
        case .airFlow: takeAir(value, t)
        case .load:
            highestLoad = max(highestLoad, value)
            watchPull(t)
            if has(sinceFull, 1, at: t) { fullLoads.add(value) }
            add(value, .load, at: t)
        case .pedal: watchPull(t)
        case .intakeAir:
            if turnsNow(t) { Self.step(value, t, before, &intakeStep) }
            guard ran >= 180, fresh(.speed, at: t) ?? 0 > 60,
                let air = fresh(.ambient, at: t, within: 120)
            else { return }
            intakeRoad.add(value - air, at: t)
        case .absoluteLoad: takeAbsoluteLoad(value, t)
        case .throttle:
            watchPull(t)
            add(value, .throttle, at: t)
        case .lambda: takeLambda(value, t)
        case .frontVoltage: takeFront(value, t)
        case .rearVoltage: takeRear(value, t)
        case .secondaryTrim: add(value, .secondary, at: t)
        case .tankPressure:
            if let purge = fresh(.purge, at: t), purge < 1 { add(value / 1_000, .tank, at: t) }
        case .railPressure:
            if let wanted = fresh(.commandedRail, at: t, within: 1), wanted > 0 {
                add(100 * value / wanted - 100, .rail, at: t)
            }
        case .boost:
            if let wanted = fresh(.commandedBoost, at: t, within: 1), wanted > 0 {
                add(value - wanted, .boost, at: t)
            }
        case .egrError:
            // Without a command the error is a share of nothing.
            if let wanted = fresh(.commandedEGR, at: t), wanted >= 10 { egr.add(value, at: t) }
        case .ambient: ambientAir.add(value, at: t)
        case .longTrim1, .longTrim2, .fuelType, .ethanol, .barometric, .purge,
            .commandedLambda, .commandedRail, .commandedBoost, .commandedEGR:
            break
        }
    }

    private mutating func takeEngine(
        _ rpm: Double, _ t: Int64, _ before: (t: Int64, value: Double)?
    ) {
        let gap = before.map { t - $0.t } ?? .max
        if before == nil { startsOff = rpm == 0 }
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
        watchPull(t)
        add(rpm, .engineSpeed, at: t)
    }

    /// Full load: what the ECU calculates, or what the driver wants.
    private mutating func watchPull(_ t: Int64) {
        let wants =
            fresh(.load, at: t).map { $0 >= 80 } ?? false
            || fresh(.pedal, at: t).map { $0 >= 70 } ?? false
        let turns = fresh(.engineSpeed, at: t).map { $0 >= 1_500 } ?? false
        let isWarm = fresh(.coolant, at: t, within: 30).map { $0 >= 70 } ?? false
        sincePull = wants && turns && isWarm ? sincePull ?? t : nil
        // The throttle of a healthy engine is wide open from there on; a resting position of 18 % is included.
        let isFull =
            fresh(.throttle, at: t).map { $0 >= 75 } ?? false
            && fresh(.pedal, at: t).map { $0 >= 75 } ?? true
        sinceFull = isFull && turns && isWarm ? sinceFull ?? t : nil
    }

    /// Fuel is cut while the vehicle rolls in gear.
    private mutating func watchFuelCut(_ t: Int64) {
        let isCut =
            fresh(.fuelStatus, at: t) == 4 && fresh(.speed, at: t) ?? 0 > 25
            && fresh(.engineSpeed, at: t) ?? 0 > 1_300 && fresh(.load, at: t) ?? 100 < 25
        if isCut, sinceFuelCut == nil { awaitsLean = !isLean }
        if !isCut, let sinceFuelCut, awaitsLean {
            // It never became lean.
            let cut = Double(t - sinceFuelCut) / 1e6
            if cut >= 2, frontDelays.count < 256 { frontDelays.append(cut) }
            awaitsLean = false
        }
        sinceFuelCut = isCut ? sinceFuelCut ?? t : nil
    }

    /// Measures the unrest of the engine speed in windows of 10 seconds.
    private mutating func watchIdle(_ rpm: Double, _ t: Int64) {
        guard let sinceIdle, t - sinceIdle >= 5_000_000 else {
            window = nil
            return
        }
        guard var now = window else {
            var sum = DriveSum()
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
        add(total, bank == 2 ? .trim2 : .trim, at: t)
        if bank == 1, let purge = fresh(.purge, at: t, within: 5), purge < 1 {
            add(total, .closedTrim, at: t)
        }
    }

    private mutating func takeCoolant(
        _ celsius: Double, _ t: Int64, _ before: (t: Int64, value: Double)?
    ) {
        if turnsNow(t) { Self.step(celsius, t, before, &coolantStep) }
        // The ends of its range mean a broken wire.
        guard celsius > -40, celsius < 150 else { return }
        if startCoolant == nil { startCoolant = celsius }
        let isGap = before.map { t - $0.t > 5_000_000 || abs($0.value - celsius) > 15 } ?? true
        // Coolant becomes hotter after the engine was switched off, and cold where a hybrid drives without it.
        let runs = fresh(.engineSpeed, at: t, within: 5).map { $0 > 400 } ?? false
        heat.add(celsius, at: t, breaks: isGap || !runs)
        let isMild = fresh(.ambient, at: t, within: 300).map { $0 > -7 } ?? false
        cooled.add(
            celsius, at: t, breaks: isGap || !runs || !isMild || ran < 300,
            counts: fresh(.speed, at: t, within: 5) ?? 0 > 10)
        if celsius >= 70, warmAfter == nil { warmAfter = (ran / 60, t) }
        // Coolant that still becomes warmer says nothing about the thermostat.
        guard runs, ran >= 300, movedWhileRunning >= ran / 3, cooled.isSettled || ran >= 900,
            let speed = fresh(.speed, at: t, within: 5),
            let air = fresh(.ambient, at: t, within: 300), air > -7
        else { return }
        if speed > 60 { coolant.add(celsius, at: t) }
    }

    private mutating func takeVoltage(
        _ volts: Double, _ t: Int64, _ before: (t: Int64, value: Double)?
    ) {
        guard let rpm = fresh(.engineSpeed, at: t) else { return }
        if !hasRun {
            // The starter takes the voltage down by more than the lamps and pumps of the ignition do.
            if rest.count >= 3, volts < rest.mean - 0.8 {
                crank.add(volts, at: t)
            } else if rpm == 0 {
                rest.add(volts, at: t)
            }
        }
        guard rpm > 500, runningSince.map({ t - $0 >= 60_000_000 }) ?? false else {
            return
        }
        discharge.add(
            volts, at: t, breaks: before.map { t - $0.t > 5_000_000 } ?? true, counts: rpm > 1_000)
        voltage.add(volts, at: t)
        highestVoltage = max(highestVoltage, volts)
        charge.add(volts, at: t, breaks: before.map { t - $0.t > 5_000_000 } ?? true)
        voltages.add(volts)
        let time = Double(t) / 6e8
        line.n += 1
        line.t += time
        line.tt += time * time
        line.v += volts
        line.tv += time * volts
    }

    private mutating func takeManifold(_ pressure: Double, _ t: Int64) {
        let found = place(at: t)
        if has(sinceFull, 1, at: t), let air = fresh(.barometric, at: t, within: 120) {
            fullThrottle.add(air - pressure, at: t)
            fullDrops.add(air - pressure)
        }
        add(pressure, .manifold, at: t)
        if found == .idle { idlePressures.add(pressure) }
        if let rpm = fresh(.engineSpeed, at: t), rpm > 400, pressure > 0 {
            let kelvin = (fresh(.intakeAir, at: t, within: 30) ?? 20) + 273.15
            add(Self.filling(pressure) * pressure * rpm / kelvin, .relativeAir, at: t)
        }
        // Many ECUs read the air pressure only before the engine starts, and the vehicle may have climbed since.
        guard !hasRun, stoppedSince != nil, fresh(.engineSpeed, at: t) == 0,
            let air = fresh(.barometric, at: t, within: 600)
        else { return }
        // Some ECUs keep the value that the running engine had.
        guard abs(pressure - air) < 30 else { return }
        off.add(pressure - air, at: t)
    }

    /// The share of the displacement that fresh air fills: residual gas counts more at low pressure.
    private static func filling(_ pressure: Double) -> Double {
        max(0.96 - 8 / pressure, 0.1)
    }

    private mutating func takeAir(_ flow: Double, _ t: Int64) {
        guard flow > 0 else { return }
        add(flow, .air, at: t)
        guard let pressure = fresh(.manifold, at: t, within: 1), pressure > 5,
            let rpm = fresh(.engineSpeed, at: t, within: 1), rpm > 400,
            let air = fresh(.intakeAir, at: t, within: 30)
        else { return }
        // The ideal gas: the litres that would have this air.
        let litres =
            flow * 120 * 0.28705 * (air + 273.15) / (pressure * rpm) / Self.filling(pressure)
        add(litres, .filling, at: t)
    }

    /// PID 43 is the air of a stroke over that of the displacement at 1.184 g/L.
    private mutating func takeAbsoluteLoad(_ load: Double, _ t: Int64) {
        // Over what the displacement would hold of the air around the vehicle.
        if has(sinceFull, 1, at: t), fresh(.engineSpeed, at: t) ?? 0 > 1_800,
            let air = fresh(.barometric, at: t, within: 600), air > 50,
            let celsius = fresh(.ambient, at: t, within: 600)
        {
            fullAir.add(load / 100 * 101.3 / air * (celsius + 273.15) / 298.15)
        }
        guard load > 5, let flow = fresh(.airFlow, at: t, within: 1), flow > 0,
            let rpm = fresh(.engineSpeed, at: t, within: 1), rpm > 1_200
        else { return }
        displacements.add(120 * flow / (1.184 * rpm * load / 100))
    }

    private mutating func takeLambda(_ lambda: Double, _ t: Int64) {
        // 0 and the end of its range are no measured values.
        if lambda >= 1.99 { watchLean(true, t) }
        guard lambda > 0.5, lambda < 1.99 else { return }
        watchLean(lambda > 1.5, t)
        if place(at: t) == .cruise { takeFrontCrossing(lambda, middle: 1) }
        guard let wanted = fresh(.commandedLambda, at: t), wanted > 0.5 else { return }
        watchLeanPull(lambda > wanted + 0.08, t)
        if sincePull == nil, fresh(.fuelStatus, at: t) == 2 {
            wander.all += 1
            if abs(lambda - wanted) > 0.08 { wander.off += 1 }
        }
        if sinceFuelCut == nil { add(lambda - wanted, .lambda, at: t) }
    }

    private mutating func takeFrontCrossing(_ value: Double, middle: Double) {
        var found = frontCrossings ?? DriveCrossings(middle: middle)
        if found.middle == middle { found.add(value) }
        frontCrossings = found
    }

    /// How long the sensor takes to show the air of a fuel cut.
    private mutating func watchLean(_ isLean: Bool, _ t: Int64) {
        self.isLean = isLean
        guard let sinceFuelCut, awaitsLean, isLean else { return }
        awaitsLean = false
        if frontDelays.count < 256 { frontDelays.append(Double(t - sinceFuelCut) / 1e6) }
    }

    /// Whether the engine turns, as a reading of less than a second ago says: a hybrid may be asked for no engine.
    private func turnsNow(_ t: Int64) -> Bool {
        guard runningSince != nil, let turned = latest[DriveQuantity.engineSpeed.place] else {
            return false
        }
        return t - turned.t < 1_000_000
    }

    /// The greatest step of a temperature between readings of the same few seconds.
    private static func step(
        _ value: Double, _ t: Int64, _ before: (t: Int64, value: Double)?,
        _ greatest: inout (value: Double, t: Int64)
    ) {
        guard let before, t - before.t <= 3_000_000 else { return }
        let size = abs(value - before.value)
        if size > greatest.value { greatest = (size, t) }
    }

    /// The mixture in the pull, without its first moments in which fuel settles on the walls.
    private mutating func watchLeanPull(_ isLean: Bool, _ t: Int64) {
        guard has(sincePull, 1.5, at: t) else {
            lean = nil
            return
        }
        richPull.add(isLean ? 1 : 0, at: t)
        guard isLean else {
            lean = nil
            return
        }
        guard let since = lean, t - since.last <= 1_200_000 else {
            lean = (t, t)
            return
        }
        lean = (since.from, t)
        let seconds = Double(t - since.from) / 1e6
        if seconds > leanest.seconds { leanest = (seconds, since.from, t) }
    }

    private mutating func takeFront(_ volts: Double, _ t: Int64) {
        watchLean(volts < 0.3, t)
        if has(runningSince, 120, at: t), fresh(.coolant, at: t, within: 30) ?? 0 >= 50 {
            if frontSaw.from == 0 { frontSaw.from = t }
            frontSaw.low = min(frontSaw.low, volts)
            frontSaw.high = max(frontSaw.high, volts)
        }
        switch place(at: t) {
        case .cruise: takeFrontCrossing(volts, middle: 0.45)
        case .pull:
            // At full load the mixture is rich on purpose; at high load it may still be 1.
            let isRich =
                fresh(.fuelStatus, at: t) == 4
                || fresh(.commandedLambda, at: t).map { $0 > 0.5 && $0 < 0.95 } ?? false
            if isRich, has(sincePull, 1.5, at: t) {
                add(volts, .front, at: t)
                watchLeanPull(volts < 0.45, t)
            }
        case .idle, .raised, nil: break
        }
    }

    private mutating func takeRear(_ volts: Double, _ t: Int64) {
        let place = place(at: t)
        if place == .cruise { rearCrossings.add(volts) }
        add(volts, .rear, at: t)
        guard has(runningSince, 180, at: t), fresh(.coolant, at: t, within: 30) ?? 0 >= 70 else {
            return
        }
        let gap = min(Double(t - rearSaw.last) / 1e6, 1)
        if place == .pull { rearSaw.pull += gap }
        if has(sinceFuelCut, 1, at: t) { rearSaw.cut += gap }
        rearSaw.last = t
        let old = rearExtremes ?? (volts, volts, t, t)
        rearExtremes = (min(old.low, volts), max(old.high, volts), old.from, t)
        // The longest time without a move, over a pull and a fuel cut: it may have died in this drive.
        if let still = rearStill, abs(volts - still.value) <= 0.02 {
            if rearSaw.pull - still.pull >= 2, rearSaw.cut - still.cut >= 3,
                t - still.from >= 60_000_000
            {
                rearDied = (still.from, t)
            }
        } else {
            rearStill = (volts, t, rearSaw.pull, rearSaw.cut)
        }
    }

    /// The operating points that were found.
    package var points: [Point] {
        var found = Place.allCases.map { ($0.rawValue, sum(.engineSpeed, $0)) }
        found.append(("off", off))
        return found.compactMap { name, sum in
            sum.seconds > 0
                ? Point(name: name, from: sum.from, to: sum.to, seconds: sum.seconds) : nil
        }
    }

    /// Whether the vehicle is known to move without its engine, or says so by its fuel (PID 51).
    private var isHybrid: Bool {
        let fuel = latest[DriveQuantity.fuelType.place]?.value ?? 0
        return movedWithoutEngine >= 10 || fuel == 8 || (16...23).contains(fuel)
    }

    /// Whether trims can be compared with limits: a flexible fuel, gas or a trim that never moves cannot.
    private var judgesTrims: Bool { isPetrol && moved.contains(.shortTrim1) }

    private var isPetrol: Bool {
        let fuel = latest[DriveQuantity.fuelType.place]?.value
        return latest[DriveQuantity.ethanol.place] == nil
            && (fuel == nil ? moved.contains(.shortTrim1) : fuel == 1 || fuel == 17)
    }

    private var hasMeter: Bool { moved.contains(.airFlow) }

    /// What the vehicle is, as causes call it.
    var traits: Set<String> {
        var found: Set<String> = []
        if isPetrol { found.insert("petrol") }
        if !isHybrid { found.insert("engine") }
        found.insert(hasMeter ? "meter" : "density")
        return found
    }

    /// The numbers that the drive has, by the names of their measures.
    var numbers: [String: Measured] {
        var found: [String: Measured] = [:]
        func mean(_ id: String, _ mean: Mean, _ place: Place, tau: Double = 0.5) {
            found[id] = sum(mean, place).measured(tau: tau)
        }
        if judgesTrims { addTrims(to: &found) }
        addAir(to: &found)
        mean("lambda.cruise", .lambda, .cruise)
        mean("lambda.pull", .lambda, .pull)
        if wander.all >= 60 { found["lambda.off"] = Measured(value: wander.off / wander.all) }
        mean("nb.pull", .front, .pull)
        if moved.contains(.secondaryTrim) { mean("secondary.cruise", .secondary, .cruise, tau: 2) }
        mean("rpm.idle", .engineSpeed, .idle)
        if moved.contains(.throttle) { mean("tp.idle", .throttle, .idle) }
        if moved.contains(.tankPressure) { mean("tank.idle", .tank, .idle, tau: 5) }
        if moved.contains(.railPressure) {
            mean("rail.error", .rail, .pull)
            mean("rail.cruise", .rail, .cruise)
        }
        if moved.contains(.boost) { mean("boost.error", .boost, .pull) }
        if moved.contains(.egrError) { found["egr.error"] = egr.measured(tau: 1) }
        addRear(to: &found)
        addFront(to: &found)
        addFull(to: &found)
        addHeat(to: &found)
        addVoltage(to: &found)
        if moved.contains(.manifold) { found["map.off-baro"] = off.measured(tau: 0.5) }
        let sorted = deviations.sorted()
        if sorted.count >= 6 {
            found["rpm.idle.sd"] = Measured(
                value: sorted[sorted.count / 2], seconds: Double(sorted.count) * 10,
                from: idleWindows.from, to: idleWindows.to)
        }
        if highestLoad > 0 { found["load.max"] = Measured(value: highestLoad) }
        if let air = latest[DriveQuantity.barometric.place] {
            found["baro"] = Measured(value: air.value, seconds: 60, to: air.t)
        }
        found["ambient"] = ambientAir.measured(tau: 10)
        return found
    }

    private func addTrims(to found: inout [String: Measured]) {
        for place in Place.allCases {
            found["trim.\(place.rawValue)"] = sum(.trim, place).measured(tau: 2)
        }
        if moved.contains(.purge) {
            found["trim.closed"] = sum(.closedTrim, .idle).measured(tau: 2)
        }
        if moved.contains(.shortTrim2), let one = sum(.trim, .cruise).measured(tau: 2),
            let other = sum(.trim2, .cruise).measured(tau: 2)
        {
            found["trim.b1-b2"] = one - other
        }
    }

    private func addAir(to found: inout [String: Measured]) {
        for place in Place.allCases {
            let flow = sum(hasMeter ? .air : .relativeAir, place)
            found["flow.\(place.rawValue)"] = flow.measured(tau: 0.5)
        }
        let pressures = moved.contains(.manifold)
        if pressures, let lower = idlePressures.quantile(0.25) {
            // Idle has modes, and a load such as air conditioning raises the pressure.
            var idle = sum(.manifold, .idle).measured(tau: 0.5)
            idle?.value = lower
            found["map.idle"] = idle
        }
        if pressures { found["map.raised"] = sum(.manifold, .raised).measured(tau: 0.5) }
        if hasMeter {
            found["metered"] = Measured(value: 1)
        } else if pressures {
            found["density"] = Measured(value: 1)
        }
        if pressures, !hasMeter {
            for place in Place.allCases {
                found["density.\(place.rawValue)"] = sum(.manifold, place).measured(tau: 0.5)
            }
        }
        let air = latest[DriveQuantity.barometric.place]?.value ?? 100
        for place in [Place.raised, .cruise, .pull] {
            let (pressure, load) = (sum(.manifold, place), sum(.load, place))
            // Without a pressure the calculated load is about its share of the air pressure.
            let share =
                pressures && pressure.count > 0
                ? pressure.mean / air : load.count > 0 ? load.mean / 100 : nil
            guard let share else { continue }
            found["choke.\(place.rawValue)"] = Measured(
                value: min(1, (max(0, 1 - share) / 0.47).squareRoot()))
        }
        guard hasMeter, let cruise = sum(.filling, .cruise).measured(tau: 0.5),
            cruise.seconds >= 40
        else { return }
        for (id, place) in [("k.idle", Place.idle), ("k.raised", .raised), ("k.full", .pull)] {
            found[id] = sum(.filling, place).measured(tau: 0.5).flatMap { $0 / cruise }
        }
        guard displacements.count >= 100, let litres = displacements.quantile(0.5),
            let low = displacements.quantile(0.25), let high = displacements.quantile(0.75),
            litres > 0.2, low > 0.96 * litres, high < 1.04 * litres
        else { return }
        found["displacement"] = Measured(value: litres)
        found["k.cruise"] = Measured(
            value: cruise.value / litres, error: cruise.error / litres, seconds: cruise.seconds,
            from: cruise.from, to: cruise.to)
    }

    private func addFront(to found: inout [String: Measured]) {
        let delays = frontDelays.sorted()
        if delays.count >= 2 {
            found["front.delay"] = Measured(
                value: delays[delays.count / 2], seconds: Double(delays.count))
        }
        if richPull.seconds > 0 {
            found["lean.pull"] = Measured(
                value: min(leanest.seconds, 8), seconds: richPull.seconds, from: leanest.from,
                to: leanest.to)
        }
        let front = latest[DriveQuantity.frontVoltage.place]
        guard let front, moved.contains(.frontVoltage), frontSaw.high >= frontSaw.low else {
            return
        }
        let range = Measured(
            value: frontSaw.high - frontSaw.low, seconds: Double(front.t - frontSaw.from) / 1e6,
            from: frontSaw.from, to: front.t)
        found["front.range"] = range
        var middle = range
        middle.value = (frontSaw.high + frontSaw.low) / 2
        found["front.middle"] = middle
    }

    /// How the engine breathes at full throttle.
    private func addFull(to found: inout [String: Measured]) {
        if fullLoads.count >= 8, let load = fullLoads.quantile(0.9) {
            found["load.full"] = Measured(value: load, seconds: Double(fullLoads.count) / 4)
        }
        if fullAir.count >= 2, let share = fullAir.quantile(0.8) {
            found["air.full"] = Measured(value: share, seconds: Double(fullAir.count))
        }
        if moved.contains(.manifold), var drop = fullThrottle.measured(tau: 0.5),
            let least = fullDrops.quantile(0.25)
        {
            // The throttle may not be wide open in the other moments.
            (drop.value, drop.error) = (least, 0)
            found["map.full"] = drop
        }
    }

    private func addRear(to found: inout [String: Measured]) {
        guard latest[DriveQuantity.rearVoltage.place] != nil else { return }
        let cruise = sum(.rear, .cruise)
        if moved.contains(.rearVoltage) {
            found["rear.cruise"] = cruise.measured(tau: 2)
            found["rear.sd"] = cruise.measured(tau: 2).map {
                var spread = $0
                (spread.value, spread.error) = (cruise.deviation, 0)
                return spread
            }
            // As often as each other, or a crossing of one is missed more often.
            if let front = frontCrossings, front.crossings >= 20,
                rearCrossings.readings > front.readings / 2,
                rearCrossings.readings < front.readings * 2, var ratio = cruise.measured(tau: 2)
            {
                (ratio.value, ratio.error) = (rearCrossings.share / front.share, 0)
                found["rear.ratio"] = ratio
            }
        }
        if let rearDied {
            found["rear.range"] = Measured(
                value: 0.02, seconds: Double(rearDied.to - rearDied.from) / 1e6,
                from: rearDied.from, to: rearDied.to)
        } else if let rear = rearExtremes, rearSaw.pull >= 2, rearSaw.cut >= 3 {
            found["rear.range"] = Measured(
                value: rear.high - rear.low, seconds: Double(rear.to - rear.from) / 1e6,
                from: rear.from, to: rear.to)
        }
    }

    private func addHeat(to found: inout [String: Measured]) {
        guard moved.contains(.coolant) else { return }
        // An engine that has not become warm shows nothing about heat.
        if let highest = heat.highest, highest >= 80 {
            found["ect.max"] = Measured(
                value: highest, seconds: 20, from: heat.from, to: heat.to)
        }
        guard !isHybrid else { return }
        found["ect.cruise"] = coolant.measured(tau: 10)
        if let lowest = cooled.lowest {
            found["ect.low"] = Measured(
                value: lowest, seconds: 180, from: cooled.from, to: cooled.to)
        }
        addSoak(to: &found)
        guard let start = startCoolant, start < 40, ambientAir.count > 0, ambientAir.mean > 5
        else { return }
        if let warmAfter {
            found["ect.warmup"] = Measured(value: warmAfter.minutes, to: warmAfter.t)
        } else if ran >= 900, movedWhileRunning >= ran / 2 {
            // It has not become warm yet.
            found["ect.warmup"] = Measured(
                value: min(ran / 60, 20), to: latest[DriveQuantity.coolant.place]?.t ?? 0)
        }
    }

    /// Two temperatures that agree at the start judge a third one, which nothing can have made colder.
    private func addSoak(to found: inout [String: Measured]) {
        found["iat.road"] = intakeRoad.measured(tau: 30)
        for (id, step) in [("ect", coolantStep), ("iat", intakeStep)] where ran >= 60 {
            let size = Measured(value: step.value, seconds: ran, from: step.t, to: step.t)
            found["\(id).step"] = size
            if step.value > 15 { found["\(id).jump"] = size }
        }
        guard startsOff, let coolant = first[DriveQuantity.coolant.place],
            let intake = first[DriveQuantity.intakeAir.place],
            let air = first[DriveQuantity.ambient.place]
        else { return }
        // A sensor that jumps later was right or wrong by chance.
        if abs(intake - air) <= 6, coolant - (intake + air) / 2 <= 6, found["ect.jump"] == nil {
            found["soak.ect"] = Measured(value: coolant - (intake + air) / 2, seconds: 1)
        }
        if abs(coolant - air) <= 6, found["iat.jump"] == nil {
            found["soak.iat"] = Measured(value: intake - (coolant + air) / 2, seconds: 1)
        }
    }

    private func addVoltage(to found: inout [String: Measured]) {
        if !isHybrid, voltage.mean < 18, moved.contains(.voltage) {
            if rest.count >= 3, rest.seconds >= 2, voltage.seconds >= 60 {
                found["v.rest"] = rest.measured(tau: 0.5)
            }
            if crank.count >= 6 { found["v.crank"] = crank.measured(tau: 0.1) }
            if let lowest = discharge.lowest {
                found["v.low"] = Measured(
                    value: lowest, seconds: 240, from: discharge.from, to: discharge.to)
            }
        }
        // Vehicles with 24 V have no limits here, and neither have hybrids, which charge by a converter.
        guard let middle = voltages.quantile(0.5), !isHybrid, moved.contains(.voltage),
            voltage.mean < 18, var run = voltage.measured(tau: 10)
        else { return }
        run.error = 0
        // Smart regulation holds the voltage low and charges while the vehicle slows down.
        let isSmart = charge.highest.map { $0 >= 13.6 } ?? true
        if !isSmart || middle >= 13.2 {
            run.value = middle
            found["v.run"] = run
        }
        // One short charge shows that the alternator works.
        if let highest = charge.highest, highest >= 13.4 || highestVoltage < 13.6 {
            run.value = highest
            found["v.max"] = run
        }
        let divisor = line.n * line.tt - line.t * line.t
        if divisor > 0 {
            run.value = (line.n * line.tv - line.t * line.v) / divisor
            found["v.slope"] = run
        }
    }

    /// The quantities that have values.
    package var known: Set<DriveQuantity> {
        Set(DriveQuantity.allCases.filter { latest[$0.place] != nil })
    }
}
