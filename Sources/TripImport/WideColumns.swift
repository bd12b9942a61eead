import Formats
import OBDCore

/// The columns of a table with a column per signal.
struct WideColumns {
    /// What a column holds.
    enum Content {
        case time
        case latitude, longitude, course
        /// Metres of one unit.
        case altitude(metres: Double)
        /// Unit: m/s.
        case groundSpeed
        case voltage
        /// The vehicle's number, where it is a valid one; else a signal of that name.
        case vin
        case signal(ecu: ECUAddress?, name: String, unit: String, pid: UInt32?)
        /// Another clock, or nothing.
        case nothing
    }

    /// By column.
    let contents: [Content]

    /// The columns of a heading; nil for one without a time.
    init?(_ header: [String]) {
        let names = header.map { $0.withoutBlanks }
        // Torque has two clocks: the device's has milliseconds.
        let wanted =
            ["device time", "time", "timestamp", "datetime", "date"].first { name in
                names.contains { $0.lowercased() == name || $0.hasPrefix("\(name) [every ") }
            }
        guard let wanted else { return nil }
        var hasTime = false
        contents = names.map { name in
            let lower = name.lowercased()
            if !hasTime, lower == wanted || lower.hasPrefix("\(wanted) [every ") {
                hasTime = true
                return .time
            }
            return Self.content(CSVReader.undefused(name))
        }
    }

    private static func content(_ column: String) -> Content {
        var (name, unit) = split(column)
        switch name.lowercased() {
        case "", "gps time", "device time", "horizontal dilution of precision": return .nothing
        case "longitude", "gps longitude": return .longitude
        case "latitude", "gps latitude": return .latitude
        case "altitude", "gps altitude":
            let isFeet = ["ft", "feet", "foot"].contains(unit.lowercased())
            return .altitude(metres: isFeet ? 0.3048 : 1)
        case "bearing", "gps bearing": return .course
        case "gps speed" where unit.lowercased() == "meters/second": return .groundSpeed
        case "vin", "vehicle identification number": return .vin
        case "voltage (obd adapter)", "elm_voltage", "adapter_voltage": return .voltage
        default: break
        }
        var ecu: ECUAddress?
        if name.hasPrefix("ECU("), let end = name.firstIndex(of: ")"),
            let address = ECUAddress(name[..<end].dropFirst(4))
        {
            // Torque: `ECU(7EA): Engine RPM(rpm)`.
            ecu = address
            name = String(name[end...].dropFirst(2)).withoutBlanks
        } else if let blank = name.firstIndex(of: " "), let address = ECUAddress(name[..<blank]) {
            ecu = address
            name = String(name[blank...]).withoutBlanks
        }
        unit = unit == "null" ? "" : unit
        return .signal(ecu: ecu, name: name, unit: unit, pid: WideNames.pid(name))
    }

    /// `Speed (OBD)(km/h)` is `Speed (OBD)` in `km/h`.
    private static func split(_ column: String) -> (String, String) {
        guard column.hasSuffix(")"), let open = column.lastIndex(of: "(") else {
            return (column, "")
        }
        let unit = column[open...].dropFirst().dropLast()
        return (String(column[..<open]).withoutBlanks, String(unit).withoutBlanks)
    }
}

extension String {
    /// Without blanks at both ends.
    var withoutBlanks: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
