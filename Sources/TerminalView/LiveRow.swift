import Diagnostics
import Formats
import OBDCore
import ScanTool

extension LiveModel {
    /// One signal of one ECU.
    public struct Row: Hashable, Sendable {
        /// What it is a value of.
        public var signal: SignalIndex
        /// Nil until somebody has answered, and where headers are off.
        public var ecu: ECUAddress?
        /// The signal's short name.
        public var id: String
        /// The signal's name.
        public var name: String
        /// The unit shown; empty without one.
        public var unit: String
        /// The unit that is stored.
        public var metricUnit: String
        /// What one more in the raw bits adds; unit: ``metricUnit``.
        public var metricStep: Double
        /// What the bits can express; unit: ``metricUnit``.
        public var metricBounds: ClosedRange<Double>?
        /// Digits after the point.
        public var decimals: Int
        /// What the signal's bits can express, in the unit shown; nil for what is not a number.
        public var bounds: ClosedRange<Double>?
        /// The value as a number, in the unit shown.
        public var number: Double?
        /// The value of what is not a number, or why there is none.
        public var text: String?
        /// The least value so far, in the unit shown.
        public private(set) var minimum: Double?
        /// The greatest value so far, in the unit shown.
        public private(set) var maximum: Double?
        /// What its bar is drawn against, known before the first value; nil = it has none.
        ///
        /// Least and greatest value never come closer but by a key, so the bar's end does not either.
        public private(set) var scale: BarScale?
        /// The values of the last minutes.
        public var trend = Trend()
        /// When the last value came; nil before the first.
        public var updated: Instant?
        /// What lay between the last two values; nil before the second.
        public var pace: Duration?
        /// Whether it was asked for before its first value, and no ECU answered.
        public var isUnanswered = false
        /// Whether an alarm on it is not over.
        public var isAlarming = false
        /// From where its value deserves a look; unit: ``metricUnit``.
        public var levels: [SignalLevels.Rule] = []
        /// The same in the unit shown.
        var shownLevels: [SignalLevels.Rule] = []
        /// The record that the newest value was in.
        public var dataID: DataID?
        /// The bytes of that record.
        public var raw = InlineBytes()
        /// How the bits become the value: `× 1/4`.
        public var formula = ""
        /// Numbers since the statistics began.
        public private(set) var count = 0
        /// When they began; nil before the first number.
        public private(set) var firstNumber: Instant?
        var sum = 0.0
        /// How long it has differed from the first ECU's row; see ``isFolded``.
        var difference = 0
        /// Whether another ECU's row says the same, so that this one need not be shown.
        public private(set) var isFolded = false
    }
}

extension LiveModel.Row {
    /// Two ECUs are asked one after the other: so much of the value, and of the scale, may lie
    /// between their answers.
    private static let likeness = (value: 0.05, scale: 0.01)
    /// What one difference adds; each likeness takes one off.
    private static let differenceWeight = 4
    /// From where a row is shown on its own.
    private static let clearDifference = 8

    /// The arithmetic mean since the statistics began, in the unit shown.
    public var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// The rule that names the value; nil = it is as usual, or nobody says what is.
    public var level: SignalLevels.Rule? { number.flatMap(level(of:)) }

    /// The rule that names a value in the unit shown.
    public func level(of value: Double) -> SignalLevels.Rule? { shownLevels.rule(for: value) }

    /// Whether something is known of usual values.
    public var isJudged: Bool { !levels.isEmpty }

    /// Compares the newest value with that of the same signal's first ECU.
    ///
    /// One that differs is an accident of time; several in a row are another value. It comes back
    /// under the other row once it has been alike for a while.
    mutating func compare(with first: LiveModel.Row) {
        guard first.updated != nil else { return }
        if isLike(first) {
            difference = max(0, difference - 1)
        } else {
            difference = min(12, difference + Self.differenceWeight)
        }
        if difference >= Self.clearDifference { isFolded = false }
        if difference == 0 { isFolded = true }
    }

    private func isLike(_ other: LiveModel.Row) -> Bool {
        guard let number, let theirs = other.number else { return text == other.text }
        let room =
            max(abs(number), abs(theirs)) * Self.likeness.value
            + (scale?.end ?? 0) * Self.likeness.scale
        return abs(number - theirs) <= room
    }
}

extension LiveModel.Row {
    /// Names and limits in `units`.
    public mutating func show(in units: UnitSystem) {
        let conversion = units.conversion(from: metricUnit)
        let convert = { (value: Double) in conversion.map { $0(value) } ?? value }
        unit = printable(conversion?.unit ?? metricUnit)
        decimals = Formats.decimals(forStep: metricStep * (conversion?.factor ?? 1))
        bounds = metricBounds.map { convert($0.lowerBound)...convert($0.upperBound) }
        shownLevels = levels.map { rule in
            var rule = rule
            rule.limit = convert(rule.limit)
            rule.end = rule.end.map(convert)
            return rule
        }
        findScale()
    }

    private mutating func findScale() {
        scale = BarScale(
            unit: unit, bounds: bounds, decimals: decimals, least: minimum ?? 0, most: maximum ?? 0)
    }

    /// Forgets statistics, the scale that they made, and the trend.
    public mutating func reset() {
        (minimum, maximum) = (number, number)
        (count, sum, firstNumber) = (0, 0, nil)
        trend = Trend()
        findScale()
    }

    /// The same in other units, numbers included.
    public mutating func convert(from old: UnitSystem, to new: UnitSystem) {
        let (back, forth) = (old.conversion(from: metricUnit), new.conversion(from: metricUnit))
        let convert = { (value: Double) in
            let metric = back.map { (value - $0.offset) / $0.factor } ?? value
            return forth.map { $0(metric) } ?? metric
        }
        number = number.map(convert)
        minimum = minimum.map(convert)
        maximum = maximum.map(convert)
        trend.convert(convert)
        sum = mean.map(convert).map { $0 * Double(count) } ?? 0
        show(in: new)
    }

    /// Takes a number over into value, extremes and trend.
    public mutating func take(_ value: Double, at now: Instant) {
        number = value
        text = nil
        if value.isFinite,
            minimum.map({ value < $0 }) ?? true || maximum.map({ value > $0 }) ?? true
        {
            minimum = min(minimum ?? value, value)
            maximum = max(maximum ?? value, value)
            findScale()
        }
        if value.isFinite {
            count += 1
            sum += value
            firstNumber = firstNumber ?? now
        }
        trend.take(value, at: now)
    }
}
