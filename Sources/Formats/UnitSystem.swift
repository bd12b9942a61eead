/// The displayed units; stored values are always metric.
public enum UnitSystem: String, Hashable, Sendable, CaseIterable {
    /// The units of the standard: km/h, °C, kPa, L.
    case metric
    /// Miles, °F, psi, imperial gallons.
    case imperial
    /// Miles, °F, psi, US gallons.
    case us
    /// As on British roads: miles, miles per imperial gallon, psi; °C and litres as in metric.
    case uk

    /// The conversion of a value in a metric unit: `value × factor + offset`.
    public struct Conversion: Hashable, Sendable {
        /// The displayed unit.
        public var unit: String
        /// Multiplied first.
        public var factor: Double
        /// Added afterwards; unit: `unit`.
        public var offset: Double

        /// A linear conversion.
        public init(unit: String, factor: Double, offset: Double = 0) {
            self.unit = unit
            self.factor = factor
            self.offset = offset
        }

        /// The converted value.
        @inline(__always)
        public func callAsFunction(_ value: Double) -> Double { value * factor + offset }
    }

    /// The conversion from `metricUnit`; nil if the unit does not change.
    ///
    /// The factors are exact by definition: mile 1.609344 km, US gallon 3.785411784 L, imperial
    /// gallon 4.54609 L, pound 0.45359237 kg, psi from pound-force and inch, °F = °C × 9/5 + 32.
    public func conversion(from metricUnit: String) -> Conversion? {
        if self == .metric { return nil }
        if self == .uk && !["km/h", "km", "kPa"].contains(metricUnit) { return nil }
        let (gallon, gallonUnit) = self == .us ? (3.785411784, "US gal") : (4.54609, "UK gal")
        let pound = 0.45359237
        let poundForce = 0.45359237 * 9.80665
        switch metricUnit {
        case "km/h": return Conversion(unit: "mph", factor: 1 / 1.609344)
        case "km": return Conversion(unit: "mi", factor: 1 / 1.609344)
        case "°C", "degC": return Conversion(unit: "°F", factor: 1.8, offset: 32)
        case "kPa": return Conversion(unit: "psi", factor: 1000 * 0.0254 * 0.0254 / poundForce)
        case "L": return Conversion(unit: gallonUnit, factor: 1 / gallon)
        case "L/h": return Conversion(unit: gallonUnit + "/h", factor: 1 / gallon)
        case "g/s": return Conversion(unit: "lb/min", factor: 0.06 / pound)
        case "kg/h": return Conversion(unit: "lb/h", factor: 1 / pound)
        case "N·m", "N.m", "Nm":
            return Conversion(unit: "lb·ft", factor: 1 / (poundForce * 0.3048))
        default: return nil
        }
    }
}
