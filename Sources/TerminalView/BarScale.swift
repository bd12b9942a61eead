import Formats

/// The scale of a bar, from zero to an end that is shown next to the bar.
///
/// A bar begins at zero, so that its length is the value. The bar of a signal with symmetric bounds
/// (a trim, a current, an angle) begins in the middle. The end is a usual one for dials of that
/// unit (100 %, 150 °C, 8000 rpm). If a value exceeds the end of the scale, the end grows in steps of 1, 2
/// and 5. The scale never shrinks during readings, because a bar would then grow while its value falls.
/// Counts and totals have no bar, because they are not part of a whole.
package struct BarScale: Hashable, Sendable {
    /// The end of the bar, greater than 0; unit: the one shown.
    package let end: Double
    /// Whether the bar begins in the middle and also extends to `-end`.
    package let isCentred: Bool
    /// The end in at most five characters, with `±` for a centred bar.
    package let label: String

    /// The scale for values from `least` to `most`; nil if the signal has no bar.
    ///
    /// Values are in `unit` and have `decimals` digits after the point. `bounds` is the range that
    /// the signal can express; nil means any value.
    package init?(
        unit: String, bounds: ClosedRange<Double>?, decimals: Int, least: Double, most: Double
    ) {
        guard !Self.totals.contains(unit) else { return nil }
        guard least.isFinite, most.isFinite else { return nil }
        let isCentred = bounds.map(Self.goesBothWays) ?? (least < 0)
        self.isCentred = isCentred
        let peak = isCentred ? max(abs(least), abs(most)) : most
        // Noise in the last digits must not fill a bar.
        let finest = 10 * (0..<max(0, decimals)).reduce(1.0) { step, _ in step / 10 }
        let start = (isCentred ? Self.centredEnds : Self.ends)[unit] ?? 0
        let wanted = Self.roundedUp(max(peak, finest))
        let limit = bounds.map {
            isCentred ? max(abs($0.lowerBound), abs($0.upperBound)) : $0.upperBound
        }
        let dial = max(start, wanted)
        // Do not leave half a bar that no value can reach. A limit of 99.2 % still counts as 100 %.
        if let limit, limit > 0, dial > limit * 1.1 { end = limit } else { end = dial }
        label = Self.label(end, isCentred: isCentred)
    }

    /// The position of `value` between zero and the end: 0 to 1, or -1 to 1 for a centred bar.
    package func part(of value: Double) -> Double {
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

    private static let totals: Set<String> = [
        "", "s", "min", "h", "km", "mi", "L", "kWh", "US gal", "UK gal",
    ]
    /// Usual ends of dials.
    private static let ends: [String: Double] = [
        "%": 100, "°C": 150, "°F": 300, "rpm": 8000, "km/h": 100, "mph": 100, "kPa": 250,
        "psi": 40, "V": 20,
    ]
    private static let centredEnds: [String: Double] = ["%": 20, "°": 50]

    /// Whether a range extends about as far below zero as above.
    private static func goesBothWays(_ bounds: ClosedRange<Double>) -> Bool {
        bounds.lowerBound < 0
            && min(-bounds.lowerBound, bounds.upperBound)
                >= max(-bounds.lowerBound, bounds.upperBound) / 2
    }

    /// The next of 1, 2, 5, 10, 20 … that is not below `value`.
    private static func roundedUp(_ value: Double) -> Double {
        var decade = 1e-6
        while decade < 1e15 {
            // The tolerance absorbs rounding errors: 0.3 and 0.1 + 0.2 need the same step.
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
