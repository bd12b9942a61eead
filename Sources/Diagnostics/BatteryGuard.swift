public import OBDCore

/// When to leave a parked vehicle alone, so that no battery is drained and no bus kept awake, and
/// when to ask it again.
///
/// A value without a clock: it is told what was answered, and says what to do. A vehicle is off
///
/// - when no ECU has answered for a while;
/// - when neither wheels nor engine have turned for a long while *and* the voltage is lower than
///   anything that charges a battery lets it be. Start-stop stands for minutes, not for ten; a hybrid
///   or electric vehicle that is ready to drive keeps its battery charged by a converter; with a
///   smart alternator the voltage may be low, but its engine turns.
///
/// While it rests the voltage at the adapter is looked at, which no bus notices; a vehicle is asked
/// when that changes, and else ever less often.
public struct BatteryGuard: Hashable, Sendable {
    /// What is off and how often to look.
    public struct Limits: Hashable, Sendable {
        /// Off after no ECU has answered for this long.
        public var silence = Duration.seconds(60)
        /// Off after speed and engine speed have been 0 for this long at a low voltage.
        public var standstill = Duration.seconds(600)
        /// A standing vehicle is off below this; unit: V, of a 12 V supply.
        ///
        /// Converters and alternators that charge keep above it, a lead battery under the load of
        /// the ignition falls below.
        public var floor = 12.8
        /// From here on something charges the battery; unit: V, of a 12 V supply.
        ///
        /// Lithium batteries rest below.
        public var charging = 13.5
        /// A change that is worth a question while resting; unit: V, of a 12 V supply.
        public var change = 0.3
        /// How often the voltage is read while resting.
        public var voltagePeriod = Duration.seconds(30)
        /// Before the first question while resting, and after the voltage has changed; doubled with
        /// each that brings nothing.
        public var firstPause = Duration.seconds(30)
        /// Between questions at most.
        public var longestPause = Duration.seconds(900)
        /// Between questions at most while they are answered: somebody sits in the vehicle.
        public var longestPauseWhileAnswered = Duration.seconds(300)
        /// Between questions at most while the battery is charged: nothing is drained by them, and a
        /// vehicle that is silent may be one whose link fails.
        public var longestPauseWhileCharging = Duration.seconds(60)

        /// The limits for vehicles with a lead battery.
        public init() {}
    }

    /// Why a vehicle counts as off.
    public enum Cause: Hashable, Sendable {
        /// No ECU answered.
        case silence
        /// Neither wheels nor engine turned, and nothing charged the battery.
        case standstill
    }

    /// A rest.
    public struct Rest: Hashable, Sendable {
        /// Why.
        public var cause: Cause
        /// When it began.
        public var since: Instant
        /// The voltage at the adapter then; unit: V, nil = the adapter does not tell it.
        public var voltage: Double?
    }

    /// What is new.
    public enum News: Hashable, Sendable {
        /// The vehicle is off: it is left alone.
        case rests(Rest)
        /// It is asked again.
        case goesOn(Rest, at: Instant)
    }

    /// What to do now.
    public enum Step: Hashable, Sendable {
        /// Whatever was planned.
        case goOn
        /// Read the voltage at the adapter.
        case readVoltage
        /// Ask for engine speed and speed.
        case probe
        /// Nothing before this instant.
        case wait(until: Instant)
    }

    /// Unanswered requests in a row before silence counts.
    static let missesBeforeRest = 3
    /// A voltage counts for this long, and is asked for no more often while the vehicle is asked.
    static let voltageFreshness = Duration.seconds(60)
    /// While the vehicle is asked it is looked at this often.
    static let lookPeriod = Duration.seconds(1)

    /// The rest at present; nil = the vehicle is asked.
    public private(set) var rest: Rest?
    /// Rests that are over.
    public private(set) var rests = 0
    /// How long those took.
    public private(set) var rested = Duration.zero

    private let limits: Limits
    private var standing = StandingWatch()
    private var heardMotion: Instant?
    private var unansweredSince: Instant?
    private var misses = 0
    private var voltage: Double?
    private var voltageRead: Instant?
    private var voltageAsked: Instant?
    private var nextLook: Instant?
    private var probed: Instant?
    // While resting.
    private var voltageDue = Instant.zero
    private var probeDue = Instant.zero
    private var pause = Duration.zero
    private var reference: Double?
    private var isAnswered = false
    private var news: [News] = []

    /// A guard of a vehicle that is on.
    public init(limits: Limits = Limits()) { self.limits = limits }

    // MARK: What is heard

    /// An ECU answered anything.
    public mutating func takeAnswer(at instant: Instant) {
        misses = 0
        unansweredSince = nil
        guard let rest else { return }
        isAnswered = true
        switch rest.cause {
        case .silence: goOn(at: instant)
        case .standstill: if isCharging(at: instant) { goOn(at: instant) }
        }
    }

    /// A request got no answer of any ECU.
    public mutating func takeSilence(at instant: Instant) {
        misses += 1
        isAnswered = false
        unansweredSince = unansweredSince ?? instant
    }

    /// An ECU told its engine speed; unit: rpm.
    public mutating func take(engineSpeed: Double, at instant: Instant) {
        heardMotion = instant
        standing.take(engineSpeed: engineSpeed, at: instant)
        if engineSpeed > 0, rest != nil { goOn(at: instant) }
    }

    /// An ECU told the vehicle's speed; unit: km/h.
    public mutating func take(speed: Double, at instant: Instant) {
        heardMotion = instant
        standing.take(speed: speed, at: instant)
        if speed > 0, rest != nil { goOn(at: instant) }
    }

    /// The adapter told its voltage, unit: V; nil = it was asked and did not tell one.
    public mutating func take(voltage told: Double?, at instant: Instant) {
        // 24 V supplies are two 12 V batteries in series.
        voltage = told.map { $0 > 18 ? $0 / 2 : $0 }
        voltageRead = instant
        voltageAsked = instant
        guard rest != nil, let voltage else { return }
        guard let reference else {
            reference = voltage
            return
        }
        guard abs(voltage - reference) >= limits.change - 0.001 else { return }
        // A door, the ignition, a starter, an alternator: worth a question.
        self.reference = voltage
        pause = limits.firstPause
        probeDue = instant
    }

    /// What is new since the last call, oldest first.
    public mutating func takeNews() -> [News] {
        if news.isEmpty { return [] }
        defer { news = [] }
        return news
    }

    // MARK: What to do

    /// What to do at `now`.
    public mutating func next(at now: Instant) -> Step {
        if rest != nil { return nextWhileResting(at: now) }
        if let nextLook, now < nextLook { return .goOn }
        let step = look(at: now)
        if rest != nil { return nextWhileResting(at: now) }
        // What a step brings is looked at at once: a plan may wait for longer than it stays fresh.
        nextLook = step == .goOn ? now + Self.lookPeriod : nil
        return step
    }

    private mutating func look(at now: Instant) -> Step {
        let isSilent =
            misses >= Self.missesBeforeRest
            && unansweredSince.map { now - $0 >= limits.silence } ?? false
        let stands = standing.since.map { now - $0 >= limits.standstill } ?? false
        // Neither is told by what is asked anyway: an eye is kept on the voltage.
        // The first look counts as the last that was heard.
        let heard = heardMotion ?? now
        heardMotion = heard
        let isBlind = misses == 0 && now - heard >= Self.voltageFreshness
        guard isSilent || stands || isBlind else { return .goOn }
        let isFresh = voltageRead.map { now - $0 < Self.voltageFreshness } ?? false
        let wasAsked = voltageAsked.map { now - $0 < Self.voltageFreshness } ?? false
        if !isFresh && !wasAsked {
            voltageAsked = now
            return .readVoltage
        }
        if isSilent {
            // What is polled may belong to one module that sleeps, or that this vehicle lacks.
            guard let probed, now - probed < Self.voltageFreshness else {
                self.probed = now
                return .probe
            }
            begin(.silence, at: now)
            return .goOn
        }
        guard isFresh, let voltage, voltage < limits.floor else { return .goOn }
        if stands {
            begin(.standstill, at: now)
            return .goOn
        }
        if let probed, now - probed < Self.voltageFreshness { return .goOn }
        probed = now
        return .probe
    }

    private mutating func nextWhileResting(at now: Instant) -> Step {
        if voltageDue <= now {
            voltageDue = now + limits.voltagePeriod
            return .readVoltage
        }
        if probeDue <= now {
            let longest =
                if isCharging(at: now) {
                    limits.longestPauseWhileCharging
                } else if isAnswered {
                    limits.longestPauseWhileAnswered
                } else {
                    limits.longestPause
                }
            pause = min(pause, longest)
            probeDue = now + pause
            pause = min(pause * 2, longest)
            return .probe
        }
        return .wait(until: min(voltageDue, probeDue))
    }

    private func isCharging(at now: Instant) -> Bool {
        guard let voltage, let voltageRead, now - voltageRead < Self.voltageFreshness * 2 else {
            return false
        }
        return voltage >= limits.charging
    }

    private mutating func begin(_ cause: Cause, at now: Instant) {
        let begun = Rest(cause: cause, since: now, voltage: voltage)
        rest = begun
        reference = voltage
        isAnswered = false
        pause = limits.firstPause
        voltageDue = now + limits.voltagePeriod
        probeDue = now + pause
        news.append(.rests(begun))
    }

    private mutating func goOn(at now: Instant) {
        guard let over = rest else { return }
        rest = nil
        rests += 1
        rested = rested + (now - over.since)
        standing.reset()
        misses = 0
        unansweredSince = nil
        heardMotion = now
        nextLook = nil
        news.append(.goesOn(over, at: now))
    }
}
