import Diagnostics
import OBDCore
import ScanTool
import TripExport

extension LiveModel {
    /// One signal of one ECU.
    struct Row: Hashable, Sendable {
        var signal: SignalIndex
        /// Nil until somebody has answered, and where headers are off.
        var ecu: ECUAddress?
        var id: String
        var name: String
        var unit: String
        /// The unit that is stored.
        var metricUnit: String
        /// What one more in the raw bits adds; unit: ``metricUnit``.
        var metricStep: Double
        /// What the bits can express; unit: ``metricUnit``.
        var metricBounds: ClosedRange<Double>?
        /// Digits behind the point.
        var decimals: Int
        /// What the signal's bits can express, in the unit shown; nil for what is no number.
        var bounds: ClosedRange<Double>?
        /// The value as a number, in the unit shown.
        var number: Double?
        /// The value of what is no number, or why there is none.
        var text: String?
        private(set) var minimum: Double?
        private(set) var maximum: Double?
        /// What its bar is drawn against, known before the first value; nil = it has none.
        ///
        /// Least and greatest value never come closer but by a key, so the bar's end does not either.
        private(set) var scale: BarScale?
        var trend = Trend()
        var updated: Instant?
        /// Whether it was asked for before its first value, and nobody answered.
        var isUnanswered = false
        /// Whether an alarm on it is not over.
        var isAlarming = false
    }
}

extension LiveModel.Row {
    /// Names and limits in `units`.
    mutating func show(in units: UnitSystem) {
        let conversion = units.conversion(from: metricUnit)
        let convert = { (value: Double) in conversion.map { $0(value) } ?? value }
        unit = printable(conversion?.unit ?? metricUnit)
        decimals = TripExport.decimals(forStep: metricStep * (conversion?.factor ?? 1))
        bounds = metricBounds.map { convert($0.lowerBound)...convert($0.upperBound) }
        findScale()
    }

    private mutating func findScale() {
        scale = BarScale(
            unit: unit, bounds: bounds, decimals: decimals, least: minimum ?? 0, most: maximum ?? 0)
    }

    /// Forgets extremes, the scale that they made, and the trend.
    mutating func reset() {
        (minimum, maximum) = (number, number)
        trend = Trend()
        findScale()
    }

    /// The same in other units, numbers included.
    mutating func convert(from old: UnitSystem, to new: UnitSystem) {
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
    mutating func take(_ value: Double, at now: Instant) {
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
