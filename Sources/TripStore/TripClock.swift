import Diagnostics
import OBDCore
import SystemIO

/// The clock that the times of a trip come from.
///
/// The rows of a trip count from its start by a clock that cannot be set, so only the start can be wrong. A
/// machine learns the right time later, from the network or from satellites, often in the middle of a trip.
struct TripClock: Hashable, Sendable {
    /// A change of the clock.
    enum Change: Hashable, Sendable {
        /// The right time is known now: the trip began so much later; unit: µs.
        case corrected(Int64)
        /// The machine's clock was set by so much, and the trip's times do not depend on it; unit: µs.
        case stepped(Int64)
    }

    /// A clock that is adjusted slowly changes less between two readings; unit: µs.
    static let smallestStep: Int64 = 500_000
    /// So many positions have to agree on the time.
    private static let witnesses = 3
    /// The times of positions differ by the delay of a receiver; unit: µs.
    private static let greatestDelay: Int64 = 2_000_000
    /// Before this time the program did not exist: 2026-01-01T00:00:00Z.
    private static let earliest = UTC(microseconds: 1_767_225_600_000_000)

    /// When the machine's boot began by the clock of the trip.
    private(set) var bootTime: UTC
    /// Whether the times are right.
    private(set) var isSet: Bool
    /// How much later the trip began than the session's clock showed; unit: µs.
    let lag: Int64
    /// When the boot began by the machine's clock when that was last read.
    private var seen: UTC
    private var bySatellites: [UTC] = []

    /// The clock of a trip that begins now, by a session whose clocks were read earlier.
    init(_ anchor: TimeAnchor, _ reading: ClockReading) {
        let started = anchor.utc.later(by: -(anchor.monotonic.nanoseconds / 1000))
        let step = reading.bootTime.microseconds(since: started)
        // Since the session began, the clock was set.
        lag = reading.isSet && abs(step) >= Self.smallestStep ? step : 0
        bootTime = started.later(by: lag)
        isSet = reading.isSet
        seen = reading.bootTime
    }

    /// Compares the machine's clock with the trip's; nil = nothing changed.
    mutating func take(_ reading: ClockReading) -> Change? {
        let step = reading.bootTime.microseconds(since: seen)
        seen = reading.bootTime
        if !isSet, reading.isSet { return correct(to: reading.bootTime) }
        // A clock that is still not set may be set again; the correction then covers every step.
        return isSet && abs(step) >= Self.smallestStep ? .stepped(step) : nil
    }

    /// Takes the time of a position that arrived at `instant`; nil = it proves nothing yet.
    mutating func take(satellites time: UTC, at instant: Instant) -> Change? {
        guard !isSet, time >= Self.earliest else { return nil }
        bySatellites.append(time.later(by: -(instant.nanoseconds / 1000)))
        bySatellites = bySatellites.suffix(Self.witnesses)
        guard bySatellites.count == Self.witnesses, let first = bySatellites.min(),
            let last = bySatellites.max(),
            last.microseconds(since: first) <= Self.greatestDelay
        else { return nil }
        // The position with the shortest delay is nearest to the truth.
        return correct(to: last)
    }

    private mutating func correct(to time: UTC) -> Change {
        let step = time.microseconds(since: bootTime)
        bootTime = time
        isSet = true
        return .corrected(step)
    }
}

extension TripClock.Change {
    /// The event of the trip; nil for a clock that was as good as right.
    var event: TripEvent? {
        let (step, words) =
            switch self {
            case .corrected(let step):
                (step, "the clock was set: the trip's times moved by \(Self.text(step))")
            case .stepped(let step):
                (step, "the machine's clock was set by \(Self.text(step)); the trip's times stay")
            }
        guard abs(step) >= TripClock.smallestStep else { return nil }
        return TripEvent(.clockSet, text: words, duration: .microseconds(Int64(step.magnitude)))
    }

    /// `+2d 3h 5min 7s`.
    static func text(_ step: Int64) -> String {
        var seconds = (Int64(clamping: step.magnitude) + 500_000) / 1_000_000
        var parts: [String] = []
        let units: [(String, Int64)] = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
        for (unit, length) in units {
            if seconds >= length { parts.append("\(seconds / length) \(unit)") }
            seconds %= length
        }
        return (step < 0 ? "−" : "+") + (parts.isEmpty ? "0 s" : parts.joined(separator: " "))
    }
}
