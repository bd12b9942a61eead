public import OBDCore

/// Since when neither wheels nor engine have turned, from what ECUs tell.
///
/// A value without a clock. A vehicle that shows no engine speed, as electric ones do, counts as one
/// whose engine stands; one that shows no speed never stands.
public struct StandingWatch: Hashable, Sendable {
    /// An engine speed counts for this long; then it is missing, and a missing one counts as 0.
    static let freshness = Duration.seconds(30)

    /// When it began to stand; nil = it does not, or it is not known.
    public private(set) var since: Instant?
    private var engine: Instant?

    /// A watch that has heard nothing yet.
    public init() {}

    /// An ECU told its engine speed; unit: rpm.
    public mutating func take(engineSpeed: Double, at instant: Instant) {
        engine = engineSpeed > 0 ? instant : nil
        if engineSpeed > 0 { since = nil }
    }

    /// An ECU told the vehicle's speed; unit: km/h.
    public mutating func take(speed: Double, at instant: Instant) {
        if speed > 0 {
            since = nil
        } else if since == nil {
            if let engine, instant - engine < Self.freshness { return }
            since = instant
        }
    }

    /// Begins again.
    public mutating func reset() { self = StandingWatch() }
}
