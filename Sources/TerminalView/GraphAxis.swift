import Formats

/// Round numbers along the side of a graph.
struct GraphAxis: Hashable {
    let low: Double
    let high: Double
    /// The marks, from low to high.
    let marks: [Double]
    private let decimals: Int

    /// An axis for all of `values` with about `wanted` marks; nil without a finite value.
    init?(_ values: [Double], marks wanted: Int) {
        let values = values.filter(\.isFinite)
        guard var low = values.min(), var high = values.max() else { return nil }
        if high - low < max(abs(high), abs(low)) * 1e-6 + 1e-9 {
            let room = max(abs(low) * 0.1, 1)
            // Draw a constant value in the middle. The axis goes below zero only if a value does.
            low = low >= 0 ? max(0, low - room) : low - room
            high += room
        }
        let step = Self.roundedUp((high - low) / Double(max(1, wanted)))
        let first = (low / step + 1e-9).rounded(.down)
        let last = (high / step - 1e-9).rounded(.up)
        guard step > 0, last - first < 100 else { return nil }
        marks = Array(Int(first)...Int(max(last, first + 1))).map { Double($0) * step }
        self.low = marks[0]
        self.high = marks[marks.count - 1]
        var decimals = 0
        var scaled = step
        while decimals < 6, abs(scaled - scaled.rounded()) > 1e-6 {
            scaled *= 10
            decimals += 1
        }
        self.decimals = decimals
    }

    /// The position of `value` between low and high: 0 to 1.
    func part(of value: Double) -> Double { max(0, min(1, (value - low) / (high - low))) }

    func label(_ mark: Double) -> String {
        abs(mark) >= 100_000 ? plain(mark / 1000) + "k" : fixed(mark, decimals)
    }

    /// The next of 1, 2, 5, 10, 20 … that is not below `value`.
    private static func roundedUp(_ value: Double) -> Double {
        var decade = 1e-9
        while decade < 1e15 {
            for step in [1.0, 2, 5] where step * decade >= value * (1 - 1e-9) {
                return step * decade
            }
            decade *= 10
        }
        return value
    }
}
