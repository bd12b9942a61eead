/// The known course of a signal: values with their times, in the order of time.
package struct KnownCourse: Sendable {
    package struct Sample: Hashable, Sendable {
        /// In the clock of the log; unit: microseconds.
        package var time: Int64
        package var value: Double

        package init(time: Int64, value: Double) {
            self.time = time
            self.value = value
        }
    }

    package let samples: [Sample]
    /// The smallest step between values: their rounding.
    package let step: Double
    package let lowest: Double
    package let highest: Double

    /// The most samples that are compared; more cost time and prove nothing more.
    private static let most = 800

    package init(_ all: [Sample]) {
        var ordered = all.filter { $0.value.isFinite }.sorted { $0.time < $1.time }
        if ordered.count > Self.most {
            ordered = (0..<Self.most).map { ordered[$0 * ordered.count / Self.most] }
        }
        samples = ordered
        lowest = ordered.map(\.value).min() ?? 0
        highest = ordered.map(\.value).max() ?? 0
        step = Self.step(of: ordered.map(\.value))
    }

    package var range: Double { highest - lowest }

    /// The smallest difference that values of a course have, apart from errors of binary fractions.
    private static func step(of values: [Double]) -> Double {
        let levels = Set(values).sorted()
        let range = (levels.last ?? 0) - (levels.first ?? 0)
        let gaps = zip(levels.dropFirst(), levels).map { $0 - $1 }
            .filter { $0 > range * 1e-6 }.sorted()
        return gaps.isEmpty ? 0 : gaps[gaps.count / 50]
    }

    /// How a course moves.
    package var movement: Movement {
        guard samples.count >= Self.fewest, range > 0 else { return .none }
        let levels = Set(samples.map(\.value)).count
        if levels < 4 || step > 0 && range < 4 * step * 0.999 { return .none }
        if turns >= 2 { return .both }
        // Fewer values that only rise agree with other bits of the same number, too.
        return samples.count < Self.fewestOneWay ? .none : .oneWay
    }

    package enum Movement: Sendable {
        /// Too little to find a signal by it.
        case none
        /// Up or down, or once up and down.
        case oneWay
        case both
    }

    /// The fewest samples with which a signal can be found.
    package static let fewest = 10
    /// The fewest samples of a course that only rises or falls.
    private static let fewestOneWay = 30

    /// How often the course turns after it moved by a fifth of its range.
    package var turns: Int {
        guard var low = samples.first?.value else { return 0 }
        var high = low
        var direction = 0
        var count = 0
        let least = range / 5
        for value in samples.map(\.value) {
            low = min(low, value)
            high = max(high, value)
            if direction >= 0, high - value >= least {
                if direction > 0 { count += 1 }
                (direction, low) = (-1, value)
                high = value
            } else if direction <= 0, value - low >= least {
                if direction < 0 { count += 1 }
                (direction, high) = (1, value)
                low = value
            }
        }
        return count
    }

    /// The same values, `shift` samples later; those at the end begin again.
    func rotated(by shift: Int) -> [Double] {
        let values = samples.map(\.value)
        return Array(values[shift...] + values[..<shift])
    }
}
