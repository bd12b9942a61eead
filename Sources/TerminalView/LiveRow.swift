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
        /// Whether it was asked for before its first value, and no ECU answered.
        public var isUnanswered = false
        /// Whether an alarm on it is not over.
        public var isAlarming = false
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
        findScale()
    }

    private mutating func findScale() {
        scale = BarScale(
            unit: unit, bounds: bounds, decimals: decimals, least: minimum ?? 0, most: maximum ?? 0)
    }

    /// Forgets extremes, the scale that they made, and the trend.
    public mutating func reset() {
        (minimum, maximum) = (number, number)
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
        trend.take(value, at: now)
    }
}
