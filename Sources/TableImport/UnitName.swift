/// Converts units to the spelling of our tables; unknown ones stay unchanged.
enum UnitName {
    private static let names: [String: String] = [
        "c": "°C", "*c": "°C", "degc": "°C", "℃": "°C", "°c": "°C", "ºc": "°C", "deg c": "°C",
        "celsius": "°C", "f": "°F", "*f": "°F", "degf": "°F", "℉": "°F", "°f": "°F", "ºf": "°F",
        "fahrenheit": "°F", "kelvin": "K", "degrees": "°", "deg": "°", "volt": "V", "volts": "V",
        "v": "V", "mv": "mV", "millivolts": "mV", "amp": "A", "amps": "A", "ampere": "A", "a": "A",
        "ma": "mA", "milliamps": "mA", "kw": "kW", "kilowatts": "kW", "watts": "W", "w": "W",
        "kwh": "kWh", "kilowatthours": "kWh", "wh": "Wh", "watthours": "Wh", "ah": "Ah",
        "amperehours": "Ah", "milliamperehours": "mAh", "ohm": "Ω", "ohms": "Ω", "mohm": "mΩ",
        "kohm": "kΩ", "kiloohms": "kΩ", "milliohms": "mΩ", "km/h": "km/h", "kmh": "km/h",
        "kph": "km/h", "kilometersperhour": "km/h", "mph": "mph", "[mi_i]/h": "mph",
        "milesperhour": "mph", "km": "km", "kilometers": "km", "mi": "mi", "miles": "mi",
        "meters": "m", "centimeters": "cm", "millimeters": "mm", "feet": "ft", "inches": "in",
        "rpm": "rpm", "об/мин": "rpm", "percent": "%", "%": "%", "kpa": "kPa", "kilopascal": "kPa",
        "pascal": "Pa", "megapascal": "MPa", "hectopascal": "hPa", "psi": "psi", "bar": "bar",
        "bars": "bar", "mbar": "mbar", "мбар": "mbar", "millibars": "mbar", "nm": "N·m",
        "n·m": "N·m", "newtonmeters": "N·m", "lb-ft": "lb·ft", "seconds": "s", "sec": "s",
        "s": "s", "milliseconds": "ms", "ms": "ms", "minutes": "min", "min": "min", "hours": "h",
        "h": "h", "days": "d", "hertz": "Hz", "hz": "Hz", "kilohertz": "kHz", "liters": "L",
        "l": "L", "litres": "L", "gallons": "gal", "milliliters": "mL", "grams": "g",
        "kilograms": "kg", "milligrams": "mg", "gramspersecond": "g/s", "g/s": "g/s",
        "kilogramsperhour": "kg/h", "litersperhour": "L/h", "l/h": "L/h", "gravity": "g",
        "meterspersecondsquared": "m/s²", "meterspersecond": "m/s",
        "degreespersecond": "°/s", "radians": "rad", "scalar": "", "unknown": "", "none": "",
        "ascii": "", "hex": "", "offon": "", "onoff": "", "noyes": "", "yesno": "", "bin": "",
        "?": "", "bool": "", "boolean": "", "normal": "", "unitless": "", "-": "", "sed": "",
        "status": "", "unit_none": "", "number": "", "modemask": "", "t/f": "",
        "unit_percent": "%", "meter": "m", "deg/s": "°/s", "m/s^2": "m/s²", "m/s2": "m/s²",
        "unit_newtometer": "N·m", "unit_degrecelsi": "°C", "unit_kilometerperhour": "km/h",
        "unit_minutinver": "rpm", "1/min": "rpm",
    ]

    /// The unit as one word for output.
    static func normal(_ text: String) -> String {
        let trimmed = Text.line(text)
        if let known = names[trimmed.lowercased()] { return known }
        return trimmed == ":" ? "" : trimmed.split(separator: " ").joined(separator: "_")
    }
}

/// Makes texts of other programs suitable for a line of a table.
enum Text {
    /// The text in one line, without control characters and surrounding blanks.
    static func line(_ text: some StringProtocol) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator,
                .surrogate:
                if scalars.last != " " { scalars.append(" ") }
            default: scalars.append(scalar)
            }
        }
        let line = String(scalars)
        var cut = line[...]
        while cut.first == " " { cut.removeFirst() }
        while cut.last == " " { cut.removeLast() }
        return String(cut.prefix(200))
    }

    /// The text with blanks in place of line ends and other control characters.
    static func unbroken(_ text: String) -> String {
        func isBreak(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
        guard text.unicodeScalars.contains(where: isBreak) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isBreak(scalar) ? " " : scalar) }
        return String(scalars)
    }

    /// The name of a signal or message in a CAN database, in which only other characters are replaced by `_`.
    static func databaseName(_ text: some StringProtocol) -> String {
        String(text.prefix(128).map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
    }

    /// A word that may be the name of a signal: letters, digits and `_`.
    static func identifier(_ text: some StringProtocol) -> String {
        var name = ""
        for character in text.prefix(80) {
            if character.isLetter || character.isNumber {
                name.append(character)
            } else if !name.isEmpty, name.last != "_" {
                name.append("_")
            }
        }
        while name.last == "_" { name.removeLast() }
        return name
    }
}
