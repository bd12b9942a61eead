public import OBDCore

/// Decides when a drive is over.
///
/// The caller passes the answers and the times; the type reads no clock. The voltage plays no part:
/// smart alternators let it fall below 12.8 V while the engine runs. A stopped engine alone does
/// not count either, because start-stop, hybrid and electric vehicles drive on.
public struct TripEndRule: Hashable, Sendable {
    /// The times after which a drive is over.
    public struct Limits: Hashable, Sendable {
        /// The time without any answer that ends a trip; nil = silence ends no trip.
        public var silence: Duration?
        /// The time with speed and engine speed 0 that ends a trip; nil = standstill ends no trip.
        public var standstill: Duration?

        /// Limits; without any, a drive never ends.
        public init(silence: Duration? = nil, standstill: Duration? = nil) {
            self.silence = silence
            self.standstill = standstill
        }
    }

    /// The end of a drive.
    public struct End: Hashable, Sendable {
        /// The rule that ended a drive.
        public enum Rule: Hashable, Sendable {
            /// No ECU answered.
            case silence
            /// Neither wheels nor engine turned.
            case standstill
        }

        /// The rule that ended the drive.
        public var rule: Rule
        /// The last answer before the silence, or the end of the standstill limit.
        public var instant: Instant
    }

    private let limits: Limits
    private var lastAnswer: Instant?
    private var standing = StandingWatch()

    /// A rule without any data yet.
    public init(limits: Limits) { self.limits = limits }

    /// Records any answer of an ECU.
    public mutating func takeAnswer(at instant: Instant) {
        lastAnswer = lastAnswer.map { max($0, instant) } ?? instant
    }

    /// Records an engine speed; unit: rpm.
    public mutating func take(engineSpeed: Double, at instant: Instant) {
        takeAnswer(at: instant)
        standing.take(engineSpeed: engineSpeed, at: instant)
    }

    /// Records a vehicle speed; unit: km/h.
    public mutating func take(speed: Double, at instant: Instant) {
        takeAnswer(at: instant)
        standing.take(speed: speed, at: instant)
    }

    /// When the drive will be over if nothing changes before; nil = never.
    public var deadline: Instant? {
        let silent = limits.silence.flatMap { limit in lastAnswer.map { $0 + limit } }
        let still = limits.standstill.flatMap { limit in standing.since.map { $0 + limit } }
        guard let silent, let still else { return silent ?? still }
        return min(silent, still)
    }

    /// The end, if the drive is over at `now`.
    public func end(by now: Instant) -> End? {
        if let limit = limits.standstill, let since = standing.since, now >= since + limit {
            return End(rule: .standstill, instant: since + limit)
        }
        if let limit = limits.silence, let lastAnswer, now >= lastAnswer + limit {
            return End(rule: .silence, instant: lastAnswer)
        }
        return nil
    }
}

extension TripEndRule {
    /// Takes any reading of a vehicle; `table` contains its signal.
    public mutating func take(_ reading: Reading, in table: PIDTable, at instant: Instant) {
        guard case .number(let value) = reading.value else {
            takeAnswer(at: instant)
            return
        }
        take(
            MotionRole(reading.dataID, signal: table[reading.signal].id), value, at: instant)
    }

    /// Takes a number; nil = a number without a meaning for standstill.
    public mutating func take(_ role: MotionRole?, _ value: Double, at instant: Instant) {
        switch role {
        case .engineSpeed: take(engineSpeed: value, at: instant)
        case .speed: take(speed: value, at: instant)
        case .odometer, nil: takeAnswer(at: instant)
        }
    }
}
