import Diagnostics
import Formats
import OBDCore
import ScanTool

extension LiveModel {
    /// One signal of one ECU.
    package struct Row: Hashable, Sendable {
        package var signal: SignalIndex
        /// Nil before the first answer of an ECU, and if headers are off.
        package var ecu: ECUAddress?
        /// The signal's short name.
        package var id: String
        package var name: String
        /// The displayed unit; empty without one.
        package var unit: String
        /// The stored unit.
        package var metricUnit: String
        /// The change of the value per raw bit step; unit: ``metricUnit``.
        package var metricStep: Double
        /// The range that the signal's bits can express; unit: ``metricUnit``.
        package var metricBounds: ClosedRange<Double>?
        /// Digits after the point.
        package var decimals: Int
        /// The range that the signal's bits can express, in the displayed unit; nil if not a
        /// number.
        package var bounds: ClosedRange<Double>?
        /// The value as a number, in the displayed unit.
        package var number: Double?
        /// The name of the number's raw value; nil without one.
        package var label: String?
        /// The value if it is not a number, or why there is no value.
        package var text: String?
        /// The least value so far, in the displayed unit.
        package private(set) var minimum: Double?
        /// The greatest value so far, in the displayed unit.
        package private(set) var maximum: Double?
        /// The scale of the bar, known before the first value; nil = no bar.
        ///
        /// The end of the scale shrinks only when the user resets the extremes.
        package private(set) var scale: BarScale?
        /// The values of the last minutes.
        package var trend = Trend()
        /// The time of the last value; nil before the first.
        package var updated: Instant?
        /// The time between the last two values; nil before the second.
        package var pace: Duration?
        /// Whether the signal was asked for before its first value, and no ECU answered.
        package var isUnanswered = false
        /// Whether the signal has an alarm that is not over.
        package var isAlarming = false
        /// The limits of usual values; unit: ``metricUnit``.
        package var levels: [SignalLevels.Rule] = []
        /// The same limits in the displayed unit.
        var shownLevels: [SignalLevels.Rule] = []
        /// Whether the engine ran at the last value, without which the limits do not count.
        var engineRuns = false
        /// The record that contained the newest value.
        package var dataID: DataID?
        package var raw = InlineBytes()
        /// The conversion from bits to the value: `× 1/4`.
        package var formula = ""
        /// Number of values since the statistics began.
        package private(set) var count = 0
        /// When the statistics began; nil before the first number.
        package private(set) var firstNumber: Instant?
        var sum = 0.0
        /// The number before the last one.
        var earlier: Double?
        /// A measure of how long the value has differed from the first ECU's row; see ``isFolded``.
        var difference = 0
        /// Whether this row is hidden because another ECU has the same value.
        package private(set) var isFolded = false
        /// Whether the signal describes the vehicle, and has not changed so far.
        package var isConstant = false
    }
}

extension LiveModel.Row {
    /// Tolerance for equal values, as a share of the value and of the scale.
    ///
    /// ECUs are polled one after the other, so the value may change between their answers.
    private static let likeness = (value: 0.05, scale: 0.01)
    /// The amount that a differing value adds to ``difference``; an equal one subtracts 1.
    private static let differenceWeight = 4
    /// From this ``difference`` on, the row is shown.
    private static let clearDifference = 8

    /// The arithmetic mean since the statistics began, in the displayed unit.
    package var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// The rule for the current value; nil = no rule is about it.
    package var level: SignalLevels.Rule? { number.flatMap(level(of:)) }

    /// The rule for a value in the displayed unit.
    package func level(of value: Double) -> SignalLevels.Rule? {
        engineRuns ? shownLevels.rule(for: value) : nil
    }

    /// Whether there are rules for this signal.
    package var isJudged: Bool { !levels.isEmpty }

    /// Compares the newest value with the one from the signal's first ECU.
    ///
    /// A single difference may come from the time between two answers; several in a row show that
    /// the values differ. The row is hidden again after its values have been equal for a while.
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
        // An ECU may repeat the value of another ECU a moment later.
        let before = other.earlier ?? theirs
        return number >= min(theirs, before) - room && number <= max(theirs, before) + room
    }
}

extension LiveModel.Row {
    /// The text after the number: its unit, and its name in brackets.
    var remark: String {
        [unit, label.map { "(\($0))" } ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Converts names and limits to `units`.
    package mutating func show(in units: UnitSystem) {
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

    /// Resets statistics, the scale, which depends on them, and the trend.
    package mutating func reset() {
        (minimum, maximum) = (number, number)
        (count, sum, firstNumber) = (0, 0, nil)
        trend = Trend()
        findScale()
    }

    /// Converts the row to other units, including its numbers.
    package mutating func convert(from old: UnitSystem, to new: UnitSystem) {
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

    /// Stores a number as value, in the extremes and in the trend.
    package mutating func take(_ value: Double, at now: Instant) {
        earlier = number
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
