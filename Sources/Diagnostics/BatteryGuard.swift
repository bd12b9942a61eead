public import OBDCore

/// Decides when to leave a parked vehicle alone, so as not to drain its battery or keep its bus awake, and
/// when to ask it again.
///
/// A value without a clock: it receives the answers and returns the next action. A vehicle counts as off
///
/// - if no ECU has answered for a while;
/// - if the wheels and the engine have not turned for a long time *and* the voltage is lower than with
///   anything that charges the battery. A start-stop system stops the engine for minutes, but not for ten. A
///   hybrid or electric vehicle that is ready to drive charges its battery with a converter. With a smart
///   alternator the voltage may be low, but the engine turns.
///
/// While the vehicle is left alone, only the voltage at the adapter is read, which causes no bus traffic. The
/// vehicle is asked when the voltage changes, and otherwise at growing intervals.
public struct BatteryGuard: Hashable, Sendable {
    /// The conditions for a vehicle that is off, and the intervals of requests.
    public struct Limits: Hashable, Sendable {
        /// The vehicle is off after no ECU has answered for this time.
        public var silence = Duration.seconds(60)
        /// The vehicle is off after speed and engine speed have been 0 for this time at a low voltage.
        public var standstill = Duration.seconds(600)
        /// A vehicle that stands still is off below this voltage; unit: V, for a 12 V supply.
        ///
        /// A charging converter or alternator keeps the voltage above this floor; a lead battery with the
        /// ignition on falls below it.
        public var floor = 12.8
        /// Above this voltage, the battery is being charged; unit: V, for a 12 V supply.
        ///
        /// A lithium battery that is not being charged stays below this voltage.
        public var charging = 13.5
        /// A change that is worth a request while the vehicle is left alone; unit: V, for a 12 V supply.
        public var change = 0.3
        /// The interval of voltage readings while the vehicle is left alone.
        public var voltagePeriod = Duration.seconds(30)
        /// The pause before the first request, and after a change of the voltage; it doubles with each
        /// request without an answer.
        public var firstPause = Duration.seconds(30)
        /// The longest pause between requests.
        public var longestPause = Duration.seconds(900)
        /// The longest pause between requests while they are answered, which means that someone is in the
        /// vehicle.
        public var longestPauseWhileAnswered = Duration.seconds(300)
        /// The longest pause between requests while the battery is being charged.
        ///
        /// Requests then do not drain the battery, and the silence may be due to a failing link.
        public var longestPauseWhileCharging = Duration.seconds(60)

        /// The limits for vehicles with a lead battery.
        public init() {}
    }

    /// Why a vehicle counts as off.
    public enum Cause: Hashable, Sendable {
        /// No ECU answered.
        case silence
        /// The wheels and the engine did not turn, and the battery was not being charged.
        case standstill
    }

    /// A period in which the vehicle is left alone.
    public struct Rest: Hashable, Sendable {
        /// The reason.
        public var cause: Cause
        /// When the rest began.
        public var since: Instant
        /// The voltage at the adapter at that time; unit: V, nil if the adapter does not report it.
        public var voltage: Double?
        /// The last answer before the rest; nil if none was heard.
        public var lastAnswer: Instant?
    }

    /// A change of state.
    public enum News: Hashable, Sendable {
        /// The vehicle is off and is left alone.
        case rests(Rest)
        /// The vehicle is asked again.
        case goesOn(Rest, at: Instant)
    }

    /// The next action.
    public enum Step: Hashable, Sendable {
        /// Continue with the plan.
        case goOn
        /// Read the voltage at the adapter.
        case readVoltage
        /// Request engine speed and speed.
        case probe
        /// Do nothing before this time.
        case wait(until: Instant)
    }

    /// The number of unanswered requests in a row before silence counts.
    static let missesBeforeRest = 3
    /// How long a voltage is valid, and the shortest interval of voltage requests while the vehicle is asked.
    static let voltageFreshness = Duration.seconds(60)
    /// The interval of checks while the vehicle is asked.
    static let lookPeriod = Duration.seconds(1)

    /// The current rest; nil while the vehicle is asked.
    public private(set) var rest: Rest?
    /// The number of completed rests.
    public private(set) var rests = 0
    /// The total time of completed rests.
    public private(set) var rested = Duration.zero

    private let limits: Limits
    private var standing = StandingWatch()
    private var heardMotion: Instant?
    private var lastAnswer: Instant?
    private var unansweredSince: Instant?
    private var misses = 0
    private var voltage: Double?
    private var voltageRead: Instant?
    private var voltageAsked: Instant?
    private var nextLook: Instant?
    private var probed: Instant?
    // Only used during a rest.
    private var voltageDue = Instant.zero
    private var probeDue = Instant.zero
    private var pause = Duration.zero
    private var reference: Double?
    private var isAnswered = false
    private var news: [News] = []

    /// A guard for a vehicle that is on.
    public init(limits: Limits = Limits()) { self.limits = limits }

    // MARK: Inputs

    /// Records an answer from an ECU.
    public mutating func takeAnswer(at instant: Instant) {
        misses = 0
        unansweredSince = nil
        lastAnswer = instant
        guard let rest else { return }
        isAnswered = true
        switch rest.cause {
        case .silence: goOn(at: instant)
        case .standstill: if isCharging(at: instant) { goOn(at: instant) }
        }
    }

    /// Records a request without an answer.
    public mutating func takeSilence(at instant: Instant) {
        misses += 1
        isAnswered = false
        unansweredSince = unansweredSince ?? instant
    }

    /// Records that the link was lost: from then on no ECU can answer, which counts as silence if the vehicle does not
    /// answer afterwards.
    public mutating func takeLoss(at instant: Instant) {
        unansweredSince = unansweredSince ?? instant
    }

    /// Records an engine speed; unit: rpm.
    public mutating func take(engineSpeed: Double, at instant: Instant) {
        heardMotion = instant
        standing.take(engineSpeed: engineSpeed, at: instant)
        if engineSpeed > 0, rest != nil { goOn(at: instant) }
    }

    /// Records a vehicle speed; unit: km/h.
    public mutating func take(speed: Double, at instant: Instant) {
        heardMotion = instant
        standing.take(speed: speed, at: instant)
        if speed > 0, rest != nil { goOn(at: instant) }
    }

    /// Records the voltage at the adapter, unit: V; nil if it was requested but not reported.
    public mutating func take(voltage told: Double?, at instant: Instant) {
        // A 24 V supply is two 12 V batteries in series.
        voltage = told.map { $0 > 18 ? $0 / 2 : $0 }
        voltageRead = instant
        voltageAsked = instant
        guard rest != nil, let voltage else { return }
        guard let reference else {
            reference = voltage
            return
        }
        guard abs(voltage - reference) >= limits.change - 0.001 else { return }
        // A door, the ignition, a starter or an alternator changed the voltage, so the vehicle is asked.
        self.reference = voltage
        pause = limits.firstPause
        probeDue = instant
    }

    /// The changes of state since the last call, oldest first.
    public mutating func takeNews() -> [News] {
        if news.isEmpty { return [] }
        defer { news = [] }
        return news
    }

    // MARK: Decisions

    /// The next action at `now`.
    public mutating func next(at now: Instant) -> Step {
        if rest != nil { return nextWhileResting(at: now) }
        if let nextLook, now < nextLook { return .goOn }
        let step = look(at: now)
        if rest != nil { return nextWhileResting(at: now) }
        // The result of an action is evaluated at once, because a plan may wait for longer than the result is
        // valid.
        nextLook = step == .goOn ? now + Self.lookPeriod : nil
        return step
    }

    private mutating func look(at now: Instant) -> Step {
        let isSilent =
            misses >= Self.missesBeforeRest
            && unansweredSince.map { now - $0 >= limits.silence } ?? false
        let stands = standing.since.map { now - $0 >= limits.standstill } ?? false
        // If the answers have no vehicle speed or engine speed, watch the voltage. The first check counts as
        // the last answer.
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
            // The polled records may belong to a module that sleeps or that this vehicle lacks.
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
        let begun = Rest(cause: cause, since: now, voltage: voltage, lastAnswer: lastAnswer)
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
