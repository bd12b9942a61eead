public import OBDCore

/// Detects since when neither the wheels nor the engine have turned, from the readings of ECUs.
///
/// A value without a clock. If a vehicle reports no engine speed, as electric ones do, its engine counts as
/// stopped. A vehicle that reports no speed never counts as standing.
public struct StandingWatch: Hashable, Sendable {
    /// How long an engine speed is valid; a missing engine speed counts as 0.
    static let freshness = Duration.seconds(30)

    /// The time at which the vehicle began to stand still; nil if the vehicle moves, or if the time is not
    /// known.
    public private(set) var since: Instant?
    private var engine: Instant?

    /// A watch without any readings.
    public init() {}

    /// Records an engine speed; unit: rpm.
    public mutating func take(engineSpeed: Double, at instant: Instant) {
        engine = engineSpeed > 0 ? instant : nil
        if engineSpeed > 0 { since = nil }
    }

    /// Records a vehicle speed; unit: km/h.
    public mutating func take(speed: Double, at instant: Instant) {
        if speed > 0 {
            since = nil
        } else if since == nil {
            if let engine, instant - engine < Self.freshness { return }
            since = instant
        }
    }

    /// Starts again.
    public mutating func reset() { self = StandingWatch() }
}
