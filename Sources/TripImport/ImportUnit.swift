/// Units in the spelling of other programs.
enum ImportUnit {
    /// A metric unit and the conversion to it.
    struct Conversion: Hashable {
        var unit: String
        var factor = 1.0
        var offset = 0.0

        func callAsFunction(_ value: Double) -> Double { value * factor + offset }
    }

    /// Metric units that our own exports may convert to others.
    static let metric = ["km/h", "km", "°C", "kPa", "L", "L/h", "g/s", "kg/h", "N·m"]

    /// Units with gallons, and the end of the names that ``UnitSystem`` has for them.
    static let gallons = [
        "gal": "gal", "gallon": "gal", "gallons": "gal", "gal/h": "gal/h", "gal/hr": "gal/h",
        "gal/hour": "gal/h", "gph": "gal/h",
    ]

    /// Whether the user must say which gallons a unit has; other spellings may stay as they are.
    static func isAmbiguous(_ unit: String) -> Bool {
        unit.lowercased() == "gal" || unit.lowercased() == "gal/h"
    }

    /// The conversion of a unit; nil if it is unknown, and for `gal`, which has two meanings.
    static func conversion(_ text: String) -> Conversion? {
        switch text.lowercased() {
        case "", "count", "ratio", "dimensionless": Conversion(unit: "")
        case "rpm", "revolutions_per_minute", "revolution / minute", "rev/min", "1/min", "r/min",
            "u/min", "об/мин":
            Conversion(unit: "rpm")
        case "km/h", "kph", "kmh", "km / h", "kilometer_per_hour", "kilometer / hour", "км/ч":
            Conversion(unit: "km/h")
        case "m/s", "m_sec", "meters/second", "meter / second":
            Conversion(unit: "km/h", factor: 3.6)
        case "knot", "knots", "kt", "kts": Conversion(unit: "km/h", factor: 1.852)
        case "mph", "mile / hour": Conversion(unit: "km/h", factor: 1.609344)
        case "°c", "c", "*c", "degc", ".c", "deg c", "℃", "celsius", "degree_celsius":
            Conversion(unit: "°C")
        case "°f", "f", "*f", "degf", ".f", "deg f", "℉", "fahrenheit", "degree_fahrenheit":
            Conversion(unit: "°C", factor: 1 / 1.8, offset: -32 / 1.8)
        case "%", "percent": Conversion(unit: "%")
        case "kpa", "kilopascal": Conversion(unit: "kPa")
        case "psi", "psia":
            Conversion(unit: "kPa", factor: 0.45359237 * 9.80665 / 0.0254 / 0.0254 / 1000)
        case "bar": Conversion(unit: "kPa", factor: 100)
        // `MB` are megabytes.
        case "mb" where text == "mb": Conversion(unit: "kPa", factor: 0.1)
        case "mbar", "hpa", "мбар": Conversion(unit: "kPa", factor: 0.1)
        case "mpa", "megapascal": Conversion(unit: "kPa", factor: 1000)
        case "atm": Conversion(unit: "kPa", factor: 101.325)
        case "mmhg", "torr": Conversion(unit: "kPa", factor: 101.325 / 760)
        case "inhg", "in hg", "in.hg": Conversion(unit: "kPa", factor: 3.386389)
        case "g/s", "g/sec", "gps", "grams/sec", "grams_per_second", "gram / second":
            Conversion(unit: "g/s")
        case "lb/min": Conversion(unit: "g/s", factor: 0.45359237 / 0.06)
        case "v", "volt", "volts": Conversion(unit: "V")
        case "m", "meter", "meters", "metre", "metres": Conversion(unit: "m")
        case "ft", "feet", "foot": Conversion(unit: "m", factor: 0.3048)
        case "km", "kilometer": Conversion(unit: "km")
        case "mi", "miles", "mile": Conversion(unit: "km", factor: 1.609344)
        case "s", "second", "sec": Conversion(unit: "s")
        case "l/h", "l/hr", "l/hour", "liters_per_hour", "liter / hour",
            "л/ч":
            Conversion(unit: "L/h")
        case "°", "degree", "deg": Conversion(unit: "°")
        case "min", "minute", "minutes": Conversion(unit: "min")
        case "a", "amp", "amps", "ampere", "amperes": Conversion(unit: "A")
        case "ma", "milliampere": Conversion(unit: "mA")
        case "pa", "pascal": Conversion(unit: "kPa", factor: 0.001)
        case "n·m", "nm", "n*m", "newton_meter", "newton * meter": Conversion(unit: "N·m")
        case "lb/h", "lb/hr": Conversion(unit: "kg/h", factor: 0.45359237)
        case "kg/h", "kg/hr", "kilogram / hour": Conversion(unit: "kg/h")
        case "l", "liter", "litre", "liters": Conversion(unit: "L")
        default: nil
        }
    }
}
