import Formats
import OBDCore

/// The columns of a table with one column per signal.
struct WideColumns {
    /// The content of a column.
    enum Content {
        case time
        /// A satellite clock, which may have a zone that the time column lacks.
        case satelliteTime
        case latitude, longitude, course
        /// Altitude in a unit of this many metres.
        case altitude(metres: Double)
        /// Unit: m/s.
        case groundSpeed
        case voltage
        /// The VIN if it is valid, else a signal with that name.
        case vin(ecu: ECUAddress?)
        case signal(ecu: ECUAddress?, name: String, unit: String, pid: UInt32?)
        /// Another clock, or an ignored column.
        case nothing
    }

    /// The content by column.
    let contents: [Content]
    /// The format of the time column.
    let clock: LogClock.Form
    /// The index of a satellite clock.
    let otherClock: Int?
    /// Whether the columns are those of our own export of the readings of an ECU.
    let isOwn: Bool

    /// Headings of the time column without blanks, in order of preference.
    ///
    /// Torque has two clocks, and the one of the device has milliseconds.
    private static let clocks: [(name: String, form: LogClock.Form)] = [
        ("devicetime", .time), ("time", .time), ("timestamp", .time), ("timestamp(s)", .time),
        ("datetime", .time), ("date", .time), ("time(sec)", .sinceStart(second: 1)),
        ("time(s)", .sinceStart(second: 1)), ("time[s]", .sinceStart(second: 1)),
        ("time(msec)", .sinceStart(second: 0.001)), ("time(ms)", .sinceStart(second: 0.001)),
        ("time[ms]", .sinceStart(second: 0.001)), ("gpstime", .time),
        // AndrOBD writes it in the phone's language.
        ("zeit", .time), ("temps", .time), ("tiempo", .time), ("tempo", .time), ("tijd", .time),
        ("czas", .time), ("время", .time),
    ]

    /// The columns of a heading; nil if there is no time column.
    init?(_ header: [String]) {
        let names = header.map { $0.withoutBlanks }
        func isClock(_ column: String, _ name: String) -> Bool {
            let column = column.lowercased().filter { $0 != " " }
            return column == name || column.hasPrefix(name + "[every")
        }
        guard
            let wanted = Self.clocks.first(where: { clock in
                names.contains { isClock($0, clock.name) }
            })
        else { return nil }
        clock = wanted.form
        var hasTime = false
        let split = names.map { Self.split(CSVReader.undefused($0)) }
        // `G(x)`, `G(y)` and `G(z)` are three signals: text in parentheses that no program uses as
        // a unit belongs to the name.
        var count: [String: Int] = [:]
        for (name, _) in split { count[name, default: 0] += 1 }
        contents = names.indices.map { index in
            if !hasTime, isClock(names[index], wanted.name) {
                hasTime = true
                return .time
            }
            let (name, unit) = split[index]
            if count[name] ?? 0 > 1, !unit.isEmpty, ImportUnit.conversion(unit) == nil,
                !ImportUnit.isAmbiguous(unit)
            {
                return Self.content(CSVReader.undefused(names[index]), unit: "")
            }
            return Self.content(name, unit: unit)
        }
        otherClock = contents.firstIndex { if case .satelliteTime = $0 { true } else { false } }
        isOwn =
            names.first == "time"
            && contents.contains {
                switch $0 {
                case .signal(let ecu, _, _, _), .vin(let ecu): ecu != nil
                default: false
                }
            }
    }

    private static func content(_ column: String, unit given: String) -> Content {
        var (name, unit) = (column, given)
        switch name.lowercased() {
        case "gps time": return .satelliteTime
        case "", "device time", "horizontal dilution of precision": return .nothing
        case "longitude", "gps longitude": return .longitude
        case "latitude", "gps latitude": return .latitude
        case "altitude", "gps altitude":
            let isFeet = ["ft", "feet", "foot"].contains(unit.lowercased())
            return .altitude(metres: isFeet ? 0.3048 : 1)
        case "bearing", "gps bearing": return .course
        case "gps speed" where unit.lowercased() == "meters/second": return .groundSpeed
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
        if ["vin", "vehicle identification number"].contains(name.lowercased()) {
            return .vin(ecu: ecu)
        }
        unit = unit == "null" ? "" : unit
        return .signal(ecu: ecu, name: name, unit: unit, pid: WideNames.pid(name))
    }

    /// `Speed (OBD)(km/h)` is `Speed (OBD)` in `km/h`; `Speed [km/h]` is `Speed`.
    private static func split(_ column: String) -> (String, String) {
        let isSquare = column.hasSuffix("]") && !column.hasPrefix("[")
        guard isSquare || column.hasSuffix(")"),
            let open = column.lastIndex(of: isSquare ? "[" : "(")
        else {
            return (column, "")
        }
        let unit = column[open...].dropFirst().dropLast()
        return (String(column[..<open]).withoutBlanks, String(unit).withoutBlanks)
    }
}

extension String {
    /// The text without blanks at both ends.
    var withoutBlanks: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
