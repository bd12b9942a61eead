/// A straight line with numbers as people choose them.
package struct Formula: Hashable, Sendable {
    package var scale: Double
    package var offset: Double
    /// The factor as it is in a table, without its sign.
    package var scaleText: String?
    package var scaleRank: Int
    package var offsetRank: Int

    package func value(_ raw: Double) -> Double { raw * scale + offset }

    /// The ranks of numbers that nobody would choose.
    private static let unusual = 9

    /// Rounds the numbers of a line as far as the values of a course with steps of `step` allow.
    init(
        _ fit: LineFit, _ raw: [Double], _ values: [Double], step: Double, share: Double
    ) {
        scale = fit.scale
        offset = fit.offset
        scaleText = nil
        scaleRank = Self.unusual
        offsetRank = Self.unusual
        let count = Double(raw.count)
        let mean = raw.reduce(0, +) / count
        let spread = (raw.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count).squareRoot()
        guard spread > 0 else { return }
        // Values that are on the line were not rounded.
        let isExact = fit.error < 0.02 * step
        let step = isExact ? 0 : step
        let noise = max(fit.error * 1.5, step * 0.29)
        // Values that follow each other are not independent.
        let error = noise / (spread * max(2, (count / 3).squareRoot()))
        let size = abs(fit.scale)
        // Values that were rounded away from zero, or cut off, bend the line by up to half a step.
        let limit = max(2.5 * error, size * 1e-6, step * 0.3 / spread)
        var best: (number: DecentNumber, cost: Double)?
        // Noise of the raw values that the course does not share makes the line too flat.
        let steepest = size / max(0.9, share)
        for number in DecentNumber.scales
        where number.value >= size - limit && number.value <= steepest + limit {
            let distance = max(size - number.value, number.value - steepest, 0)
            // An unusual number must be clearly nearer.
            let cost = Double(number.rank) + distance / max(error, size * 1e-7)
            if cost < best?.cost ?? .infinity { best = (number, cost) }
        }
        if let best {
            scale = fit.scale < 0 ? -best.number.value : best.number.value
            scaleText = best.number.text
            scaleRank = best.number.rank
        } else {
            scale = Self.rounded(fit.scale, to: error)
        }
        let factor = scale
        let free = raw.indices.map { values[$0] - raw[$0] * factor }.median
        // Programs round, or cut off.
        let reach =
            step * 0.6 + (isExact ? abs(factor) * 0.01 : abs(factor) * 0.6) + noise
            / max(1, (count / 3).squareRoot())
        let near = 2.5 * noise / max(1, (count / 3).squareRoot()) + step * 0.1
        let found = Self.offset(free, reach, min(near, reach), factor)
        offset = found.value
        offsetRank = found.rank
    }

    /// The most usual number within `reach` of an offset.
    private static func offset(
        _ free: Double, _ reach: Double, _ near: Double, _ scale: Double
    ) -> (value: Double, rank: Int) {
        if abs(free) <= reach { return (0, 0) }
        let usual: [Double] = [
            -40, -50, -100, -125, -273, -273.15, -48, -30, -20, -80, -60, -200, -400, -500, -800,
            -1000,
        ]
        let nearest = usual.filter { abs($0 - free) <= reach }
            .min { abs($0 - free) < abs($1 - free) }
        if let nearest { return (nearest, 1) }
        // Half of the range of eight to sixteen bits.
        for power in [7, 8, 9, 10, 11, 12, 13, 14, 15] {
            let half = -Double(1 << power) * abs(scale)
            for value in [half, -half] where abs(value - free) <= reach { return (value, 2) }
        }
        for (rank, unit) in [1000.0, 100, 50, 10, 5, 1, 0.5, 0.1, 0.01, 0.001].enumerated() {
            let value = (free / unit).rounded() * unit
            if abs(value - free) <= near {
                let clean = unit < 1 ? (value * 1e6).rounded() / 1e6 : value
                return (clean, 3 + rank / 2)
            }
        }
        return (free, unusual)
    }

    /// A number with as many digits as its error leaves.
    private static func rounded(_ value: Double, to error: Double) -> Double {
        guard value != 0, error > 0 else { return value }
        var unit = 1.0
        while unit > error / 3 { unit /= 10 }
        while unit * 10 <= error / 3 { unit *= 10 }
        return (value / unit).rounded() * unit
    }
}
