import OBDCore

/// The durations of round trips, in a histogram of fixed size with a resolution of about 1.5 %.
///
/// A day of driving has millions of round trips, so keeping each of them would use more and more memory.
struct RoundTrips: Sendable {
    // 64 steps per octave of nanoseconds: value = 2^exponent × (1 + step / 64).
    private static let stepBits = 6
    private static let steps = 1 << stepBits
    private var counts = [UInt32](repeating: 0, count: (64 - stepBits) * steps)
    private(set) var total = 0

    mutating func record(_ time: Duration) {
        let place = Self.place(of: UInt64(max(0, time.nanoseconds)))
        counts[place] = counts[place] == .max ? .max : counts[place] + 1
        total += 1
    }

    /// The duration that this share of all round trips did not exceed; nil without round trips.
    func percentile(_ share: Double) -> Duration? {
        guard total > 0 else { return nil }
        let rank = max(1, Int((share * Double(total)).rounded(.up)))
        var seen = 0
        for (place, count) in counts.enumerated() where count > 0 {
            seen += Int(count)
            if seen >= rank { return .nanoseconds(Self.upperBound(of: place)) }
        }
        return nil
    }

    static func place(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= UInt64(steps) else { return Int(nanoseconds) }
        let octave = 63 - nanoseconds.leadingZeroBitCount - stepBits
        let step = Int(nanoseconds >> UInt64(octave)) - steps
        return (octave + 1) * steps + step
    }

    /// The longest duration in the bin at `place`; unit: nanoseconds.
    static func upperBound(of place: Int) -> Int64 {
        guard place >= steps else { return Int64(place) }
        let octave = place / steps - 1
        let first = UInt64(steps + place % steps)
        let bound = ((first + 1) << UInt64(octave)) - 1
        return Int64(clamping: bound)
    }
}
