/// An operating point: what a driver does.
enum DrivePlace: Int, CaseIterable {
    case idle, raised, cruise, pull
}

/// The moment of the latest reading: the values that are known then, and what the engine and the driver do.
struct DriveMoment: Sendable {
    /// Microseconds since the start of the trip.
    private(set) var t: Int64 = 0
    /// The microseconds since the reading of the same quantity before this one, or `.max`.
    private(set) var gap = Int64.max
    /// How far the value moved in this gap.
    private(set) var change = 0.0

    private var latest = [(t: Int64, value: Double)?](
        repeating: nil, count: DriveQuantity.allCases.count)
    /// The first value of each quantity, and whether another one came.
    private var first = [Double?](repeating: nil, count: DriveQuantity.allCases.count)
    private var moved = QuantitySet()

    /// Whether the trip begins before the engine was started.
    private(set) var startsOff = false
    private(set) var hasRun = false
    private(set) var runningSince: Int64?
    /// Seconds in which the engine turned, in which the vehicle moved too, and in which only the vehicle moved.
    private(set) var ran = 0.0
    private(set) var turned = 0.0
    private(set) var movedWhileRunning = 0.0
    private var movedWithoutEngine = 0.0

    private(set) var sinceIdle: Int64?
    private var sinceRaised: Int64?
    private var sinceCruise: (t: Int64, speed: Double)?
    private(set) var sincePull: Int64?
    /// Since when the driver asks for everything.
    private(set) var sinceFull: Int64?
    private(set) var sinceFuelCut: Int64?

    mutating func take(_ value: Double, _ quantity: DriveQuantity, t: Int64) {
        self.t = t
        let place = quantity.place
        let before = latest[place]
        latest[place] = (t, value)
        gap = before.map { t - $0.t } ?? .max
        change = before.map { abs(value - $0.value) } ?? 0
        if let known = first[place] {
            if value != known { moved.insert(quantity) }
        } else {
            first[place] = value
        }
        switch quantity {
        case .engineSpeed:
            takeEngine(value)
            takeDemand()
        case .speed: takeSpeed(value)
        case .fuelStatus: takeFuelStatus(value)
        case .load, .pedal, .throttle: takeDemand()
        default: break
        }
    }

    private mutating func takeEngine(_ rpm: Double) {
        if gap == .max { startsOff = rpm == 0 }
        let seconds = gap <= 3_000_000 ? Double(gap) / 1e6 : 0
        let moves = fresh(.speed) ?? 0 > 10
        if rpm > 400 {
            // After a long gap the engine may have been off.
            if runningSince == nil || gap > 30_000_000 { runningSince = t }
            hasRun = true
            ran += seconds
            turned += seconds * rpm / 60
            if moves { movedWhileRunning += seconds }
        } else {
            runningSince = nil
            if rpm == 0, moves { movedWithoutEngine += seconds }
        }
        let continues =
            gap <= 3_000_000 && fresh(.speed) == 0 && isWarm(70) && has(runningSince, 120)
        sinceIdle = continues && (400...1_200).contains(rpm) ? sinceIdle ?? t : nil
        sinceRaised = continues && (2_200...2_800).contains(rpm) ? sinceRaised ?? t : nil
    }

    private mutating func takeSpeed(_ speed: Double) {
        guard gap <= 3_000_000, (40...130).contains(speed), fresh(.engineSpeed) ?? 0 > 1_000 else {
            sinceCruise = nil
            return
        }
        // Steady: within 3 km/h of the speed at which the stretch began.
        if let since = sinceCruise, abs(speed - since.speed) <= 3 { return }
        sinceCruise = (t, speed)
    }

    /// Full load: what the ECU calculates, or what the driver wants.
    private mutating func takeDemand() {
        let turns = fresh(.engineSpeed) ?? 0 >= 1_500 && isWarm(70)
        let wants = fresh(.load) ?? 0 >= 80 || fresh(.pedal) ?? 0 >= 70
        sincePull = wants && turns ? sincePull ?? t : nil
        // The throttle of a healthy engine is wide open from there on; a resting position of 18 % is included.
        let isFull = fresh(.throttle) ?? 0 >= 75 && fresh(.pedal) ?? 100 >= 75
        sinceFull = isFull && turns ? sinceFull ?? t : nil
    }

    /// Fuel is cut while the vehicle rolls in gear.
    private mutating func takeFuelStatus(_ status: Double) {
        let isCut =
            status == 4 && fresh(.speed) ?? 0 > 25 && fresh(.engineSpeed) ?? 0 > 1_300
            && fresh(.load) ?? 100 < 25
        sinceFuelCut = isCut ? sinceFuelCut ?? t : nil
    }

    /// A value that is at most `seconds` old.
    func fresh(_ quantity: DriveQuantity, within seconds: Int64 = 3) -> Double? {
        guard let found = latest[quantity.place], t - found.t <= seconds * 1_000_000 else {
            return nil
        }
        return found.value
    }

    /// Whether something that began then has lasted these seconds.
    func has(_ start: Int64?, _ seconds: Double) -> Bool {
        start.map { Double(t - $0) >= seconds * 1e6 } ?? false
    }

    func isWarm(_ celsius: Double) -> Bool { fresh(.coolant, within: 30) ?? 0 >= celsius }

    /// Whether the throttle is wide open, and the air has followed.
    var isFull: Bool { has(sinceFull, 1) }

    /// Whether the engine turns, as a reading of less than a second ago says: a hybrid may be asked for no engine.
    var turns: Bool {
        guard runningSince != nil, let turned = latest(.engineSpeed) else { return false }
        return t - turned.t < 1_000_000
    }

    /// The operating point.
    var place: DrivePlace? {
        guard fresh(.engineSpeed) != nil else { return nil }
        if has(sincePull, 1) { return .pull }
        guard fresh(.speed) != nil else { return nil }
        if has(sinceIdle, 10) { return .idle }
        if has(sinceRaised, 5) { return .raised }
        return has(sinceCruise?.t, 8) && isWarm(70) && has(runningSince, 120) ? .cruise : nil
    }

    func latest(_ quantity: DriveQuantity) -> (t: Int64, value: Double)? { latest[quantity.place] }
    func first(_ quantity: DriveQuantity) -> Double? { first[quantity.place] }
    func hasMoved(_ quantity: DriveQuantity) -> Bool { moved.contains(quantity) }

    /// Whether the vehicle is known to move without its engine, or says so by its fuel (PID 51).
    var isHybrid: Bool {
        let fuel = latest(.fuelType)?.value ?? 0
        return movedWithoutEngine >= 10 || fuel == 8 || (16...23).contains(fuel)
    }

    var isPetrol: Bool {
        let fuel = latest(.fuelType)?.value
        return latest(.ethanol) == nil
            && (fuel == nil ? hasMoved(.shortTrim1) : fuel == 1 || fuel == 17)
    }

    var hasMeter: Bool { hasMoved(.airFlow) }
}
