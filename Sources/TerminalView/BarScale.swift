import Formats

/// What a bar is drawn against: from zero to an end that is shown beside it.
///
/// A bar begins at zero, so that its length is the value; one of a signal that goes both ways alike
/// (a trim, a current, an angle) begins in the middle. Its end is what dials of that unit have (100
/// %, 150 °C, 8000 rpm), else it grows in steps of 1, 2 and 5: it moves rarely, and only when a
/// value was beyond it. It never shrinks by itself, for then a bar would grow while its value
/// falls. Counts and totals have no bar: there is nothing that they are a part of.
public struct BarScale: Hashable, Sendable {
    /// The end of the bar, greater than 0; unit: the one shown.
    public let end: Double
    /// Whether the bar begins in the middle, and goes to `-end` as well.
    public let isCentred: Bool
    /// The end in at most five characters, `±` before that of a bar that goes both ways.
    public let label: String

    /// The scale of values from `least` to `most`, which have been seen, in `unit` with this many digits
    /// after the point; nil = no bar.
    ///
    /// `bounds` are what the signal can say; nil = anything.
    public init?(
        unit: String, bounds: ClosedRange<Double>?, decimals: Int, least: Double, most: Double
    ) {
        guard !Self.totals.contains(unit) else { return nil }
        guard least.isFinite, most.isFinite else { return nil }
        let isCentred = bounds.map(Self.goesBothWays) ?? (least < 0)
        self.isCentred = isCentred
        let peak = isCentred ? max(abs(least), abs(most)) : most
        // What wavers in its last digits does not fill a bar.
        let finest = 10 * (0..<max(0, decimals)).reduce(1.0) { step, _ in step / 10 }
        let start = (isCentred ? Self.centredEnds : Self.ends)[unit] ?? 0
        let wanted = Self.roundedUp(max(peak, finest))
        let limit = bounds.map {
            isCentred ? max(abs($0.lowerBound), abs($0.upperBound)) : $0.upperBound
        }
        let dial = max(start, wanted)
        // Half a bar that no value can reach is no use; 99.2 % are 100 %.
        if let limit, limit > 0, dial > limit * 1.1 { end = limit } else { end = dial }
        label = Self.label(end, isCentred: isCentred)
    }

    /// Where `value` is between zero and the end: 0 to 1, from -1 where the bar begins in the middle.
    public func part(of value: Double) -> Double {
        guard value.isFinite else { return 0 }
        return max(isCentred ? -1 : 0, min(1, value / end))
    }

    private static func label(_ end: Double, isCentred: Bool) -> String {
        let text: String
        switch end {
        case 1e6...: text = fixed(end / 1e6, 0) + "M"
        case 1e4...: text = fixed(end / 1e3, 0) + "k"
        case 9.95...: text = fixed(end, 0)
        case 0.995...: text = Self.short(end, 1)
        default: text = Self.short(end, 3)
        }
        return (isCentred ? "±" : "") + text
    }

    /// Units of what is counted or summed up.
    private static let totals: Set<String> = [
        "", "s", "min", "h", "km", "mi", "L", "kWh", "US gal", "UK gal",
    ]
    /// Ends of dials that everybody knows.
    private static let ends: [String: Double] = [
        "%": 100, "°C": 150, "°F": 300, "rpm": 8000, "km/h": 100, "mph": 100, "kPa": 250,
        "psi": 40, "V": 20,
    ]
    private static let centredEnds: [String: Double] = ["%": 20, "°": 50]

    /// Whether a range reaches about as far below zero as above.
    private static func goesBothWays(_ bounds: ClosedRange<Double>) -> Bool {
        bounds.lowerBound < 0
            && min(-bounds.lowerBound, bounds.upperBound)
                >= max(-bounds.lowerBound, bounds.upperBound) / 2
    }

    /// The next of 1, 2, 5, 10, 20 … that is not below `value`.
    private static func roundedUp(_ value: Double) -> Double {
        var decade = 1e-6
        while decade < 1e15 {
            // Not quite: 0.3 is no more than 0.1 + 0.2.
            for step in [1.0, 2, 5] where step * decade >= value * (1 - 1e-9) {
                return step * decade
            }
            decade *= 10
        }
        return value
    }

    private static func short(_ value: Double, _ decimals: Int) -> String {
        plain(Double(fixed(value, decimals)) ?? value)
    }
}
