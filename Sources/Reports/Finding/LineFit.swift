/// A straight line from raw values to values.
package struct LineFit: Hashable, Sendable {
    package var scale: Double
    package var offset: Double
    /// The median distance of values from the line.
    package var error = 0.0

    package init(scale: Double, offset: Double, error: Double = 0) {
        self.scale = scale
        self.offset = offset
        self.error = error
    }

    package func value(_ raw: Double) -> Double { raw * scale + offset }

    /// The line that a few wrong values do not move; nil if the raw values do not differ.
    ///
    /// It begins with the median slope between distant values, and ends with the least squares of the values that
    /// are near to it.
    package init?(_ raw: [Double], _ values: [Double]) {
        let order = raw.indices.sorted { raw[$0] < raw[$1] }
        let half = order.count / 2
        var slopes: [Double] = []
        for index in 0..<half {
            let (one, other) = (order[index], order[index + order.count - half])
            if raw[other] > raw[one] {
                slopes.append((values[other] - values[one]) / (raw[other] - raw[one]))
            }
        }
        guard !slopes.isEmpty else { return nil }
        scale = slopes.median
        offset = 0
        let slope = scale
        offset = raw.indices.map { values[$0] - raw[$0] * slope }.median
        for _ in 0..<3 { refine(raw, values) }
        error = distances(raw, values).median
    }

    package func distances(_ raw: [Double], _ values: [Double]) -> [Double] {
        raw.indices.map { abs(values[$0] - value(raw[$0])) }
    }

    /// Moves the line to the least squares of the values that are near.
    private mutating func refine(_ raw: [Double], _ values: [Double]) {
        let distances = distances(raw, values)
        // Half of the values of a bell curve are nearer than 0.67 of its width.
        let limit = max(distances.median * 4.5, distances.quantile(0.8))
        var count = 0.0
        var (sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0)
        let origin = raw[0]
        for index in raw.indices where distances[index] <= limit {
            let x = raw[index] - origin
            count += 1
            sumX += x
            sumY += values[index]
            sumXX += x * x
            sumXY += x * values[index]
        }
        let spread = sumXX - sumX * sumX / max(count, 1)
        guard count > 2, spread > 0 else { return }
        scale = (sumXY - sumX * sumY / count) / spread
        offset = (sumY - scale * sumX) / count - scale * origin
    }
}

extension [Double] {
    /// The mean square of the distances from the mean; 0 for none.
    var variance: Double {
        guard !isEmpty else { return 0 }
        let mean = reduce(0, +) / Double(count)
        return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
    }

    package var median: Double { quantile(0.5) }

    /// The value that a share of the values does not exceed; 0 for none.
    package func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        let ordered = sorted()
        return ordered[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
