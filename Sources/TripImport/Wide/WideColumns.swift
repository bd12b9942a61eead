import Formats
import OBDCore

/// The columns of a table with one column per signal.
struct WideColumns {
    enum Content {
        case time
        case latitude, longitude, course
        /// Altitude in a unit of this many metres.
        case altitude(metres: Double)
        /// The speed of the position in a unit of this many km/h.
        case groundSpeed(factor: Double)
        /// The accuracy of the position in a unit of this many metres.
        case accuracy(metres: Double)
        case voltage
        /// The VIN if it is valid, else a signal with that name.
        case vin(ecu: ECUAddress?)
        case signal(Named)
        /// Another clock, or an ignored column.
        case nothing
    }

    /// A column with values of a signal.
    struct Named {
        var ecu: ECUAddress?
        var name: String
        var unit: String
        /// Whether the unit is also that of cells with another unit after the value.
        var fixesUnit = false
        /// The PID with this name in the file's program.
        var pid: UInt32?
        /// Whether the values may be the vehicle's answers.
        var mayBeAnswer: Bool
        /// The source of the values, such as `gps`, according to the program.
        var source: String?
    }

    let contents: [Content]
    /// The format of the time column.
    let clock: LogClock.Form
    /// The index of the time column.
    let time: Int
    /// Whether the time column has UTC although its cells do not show that.
    let isUTC: Bool
    /// The index of a column with the day of the time column.
    let day: Int?
    /// Whether the time column is the engine's run time, which is also a signal.
    let isRunTime: Bool
    /// The index of a satellite clock, which may have a zone that the time column lacks.
    let otherClock: Int?
    /// Whether the columns are those of our own export of the readings of an ECU.
    let isOwn: Bool
    let profile: LogProfile

    private struct Clock {
        /// The heading without blanks.
        var name: String
        var form = LogClock.Form.time
        var isUTC = false
    }

    /// Headings of the time column, in order of preference.
    ///
    /// Torque has two clocks, and the one of the device has milliseconds.
    private static let clocks: [Clock] = [
        Clock(name: "devicetime"), Clock(name: "utctime", isUTC: true),
        Clock(name: "utc(ms)", form: .sinceStart(second: 0.001)), Clock(name: "time"),
        Clock(name: "timestamp"), Clock(name: "timestamp(s)"), Clock(name: "datetime"),
        Clock(name: "time_stamp"), Clock(name: "date_time"), Clock(name: "localtime"),
        Clock(name: "timestamp(utc)", isUTC: true), Clock(name: "datetime(utc)", isUTC: true),
        Clock(name: "date"),
    ]
    /// Headings of the time column if no other is there.
    private static let lastClocks: [Clock] = [
        Clock(name: "gpstime"),
        // AndrOBD writes the word in the phone's language.
        Clock(name: "zeit"), Clock(name: "temps"), Clock(name: "tiempo"), Clock(name: "tempo"),
        Clock(name: "tijd"), Clock(name: "czas"), Clock(name: "время"),
    ]

    /// Names of clocks that count from the beginning in the unit of their heading: `Time (ms)`.
    private static let stopwatches: Set<String> = [
        "time", "timestamp", "elapsed", "elapsedtime", "timeelapsed", "relativetime", "timeoffset",
        "sessiontime", "logtime", "zeit", "temps", "tiempo", "tempo", "tijd", "czas", "время",
    ]
    /// Their units in seconds.
    private static let seconds: [String: Double] = [
        "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "ms": 0.001, "msec": 0.001,
        "milliseconds": 0.001, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "min": 60, "minutes": 60,
    ]

    private static func stopwatch(_ columns: [Column]) -> (Clock, Int)? {
        for (index, column) in columns.enumerated()
        where stopwatches.contains(WideNames.letters(of: column.name)) {
            guard let second = seconds[column.unit.lowercased()] else { continue }
            return (Clock(name: column.name, form: .sinceStart(second: second)), index)
        }
        return nil
    }

    /// Columns with the day of a time of day.
    private static let days: Set<String> = [
        "date", "gpsdate", "datum", "fecha", "data", "dato", "дата", "logdate",
    ]

    /// The columns of a heading after some lines, optionally with rows of units and of sources; nil if
    /// there is no time column.
    init?(
        _ header: [String], after lines: [String], units: [String] = [], sources: [String] = []
    ) {
        let names = header.map { $0.withoutBlanks }
        let profile = LogProfile.of(lines, header)
        func isClock(_ column: String, _ name: String) -> Bool {
            let column = column.lowercased().filter { $0 != " " }
            return column == name || column.hasPrefix(name + "[every")
        }
        var columns = names.map { Column(CSVReader.undefused($0)) }
        func first(_ clocks: [Clock]) -> (Clock, Int)? {
            clocks.lazy.compactMap { clock in
                names.firstIndex { isClock($0, clock.name) }.map { (clock, $0) }
            }.first
        }
        let wanted = first(Self.clocks) ?? Self.stopwatch(columns) ?? first(Self.lastClocks)
        let runTime = columns.firstIndex {
            WideNames.pid($0.name) == 0x1F && ["", "s", "sec"].contains($0.unit.lowercased())
        }
        guard let time = wanted?.1 ?? runTime else { return nil }
        clock = wanted?.0.form ?? .sinceStart(second: 1)
        isUTC = wanted?.0.isUTC ?? false
        isRunTime = wanted == nil
        self.time = time
        let found = names.indices.first { index in
            index != time && Self.days.contains(WideNames.letters(of: names[index]))
        }
        let dayColumn = clock == .time && wanted?.0.name != "date" ? found : nil
        day = dayColumn
        // `G(x)`, `G(y)` and `G(z)` are three signals: text in parentheses that no program uses as
        // a unit belongs to the name.
        var count: [String: Int] = [:]
        for column in columns { count[column.name, default: 0] += 1 }
        for index in columns.indices {
            let column = columns[index]
            if count[column.name] ?? 0 > 1, !column.unit.isEmpty,
                ImportUnit.conversion(column.unit) == nil, !ImportUnit.isAmbiguous(column.unit)
            {
                columns[index].name = column.whole
                columns[index].unit = ""
            }
            if index < units.count, index != time, column.unit.isEmpty {
                columns[index].unit = units[index].withoutBlanks
            }
            if index < sources.count {
                // `200: obd` has the number of a device.
                let source = sources[index].split(separator: ":").last.map(String.init) ?? ""
                columns[index].source = source.withoutBlanks.lowercased()
            }
        }
        let hasPlace = columns.contains {
            if case .latitude? = Self.role($0, profile) { true } else { false }
        }
        var seen: Set<LogProfile.Role> = []
        let own = names.first == "time"
        contents = columns.indices.map { index in
            if index == time, wanted != nil { return .time }
            if index == dayColumn { return .nothing }
            var content = Self.content(columns[index], profile, hasPlace: hasPlace, isOwn: own)
            // A second altitude is the same one in another unit.
            if let role = Self.role(columns[index], profile), !seen.insert(role).inserted {
                if case .signal = content {} else { content = .nothing }
            }
            return content
        }
        otherClock = columns.firstIndex {
            $0.name.lowercased() == "gps time"
        }.flatMap { $0 == time ? nil : $0 }
        isOwn =
            own
            && contents.contains {
                switch $0 {
                case .signal(let named): named.ecu != nil
                case .vin(let ecu): ecu != nil
                default: false
                }
            }
        self.profile = profile
    }

    /// The parts of a heading.
    struct Column {
        /// The whole heading, without the source.
        var whole: String
        var name: String
        var unit: String
        /// `obd` of `Engine Speed (RPM) *OBD`; empty if the program does not name the source.
        var source = ""

        init(_ heading: String) {
            (name, unit, source) = WideColumns.split(heading)
            whole = unit.isEmpty ? name : heading
            if !source.isEmpty, let mark = heading.lastIndex(of: "*") {
                whole = String(heading[..<mark]).withoutBlanks
            }
        }
    }

    /// The meaning of a column for the position; nil if it has none.
    private static func role(_ column: Column, _ profile: LogProfile) -> LogProfile.Role? {
        guard ["", "gps"].contains(column.source) else { return nil }
        let letters = WideNames.letters(of: column.name)
        if let role = profile.roles[letters] { return role }
        if letters == "speed", column.source == "gps" { return .speed }
        return LogProfile.places[letters]
    }

    private static func content(
        _ column: Column, _ profile: LogProfile, hasPlace: Bool, isOwn: Bool
    ) -> Content {
        var (name, unit) = (column.name, column.unit == "null" ? "" : column.unit)
        let letters = WideNames.letters(of: name)
        switch name.lowercased() {
        case "", "gps time", "device time", "horizontal dilution of precision": return .nothing
        case "voltage (obd adapter)", "elm_voltage", "adapter_voltage": return .voltage
        default: break
        }
        let given = profile.units[letters]
        if let given { unit = given }
        if let role = role(column, profile) {
            let metres = ["ft", "feet", "foot"].contains(unit.lowercased()) ? 0.3048 : 1
            switch role {
            case .latitude: return .latitude
            case .longitude: return .longitude
            case .course: return .course
            case .altitude: return .altitude(metres: metres)
            case .accuracy where hasPlace: return .accuracy(metres: metres)
            case .speed where hasPlace:
                if let speed = ImportUnit.conversion(unit), speed.unit == "km/h" {
                    return .groundSpeed(factor: speed.factor)
                }
            case .nothing: return .nothing
            default: break
            }
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
        let mayBeAnswer =
            switch profile.answers {
            case .marked(let source): column.source == source
            case .named: !profile.own.contains(letters)
            case .listed: profile.pids[letters] != nil
            // A speed beside a position may be that of the satellites.
            case .unclaimed: !hasPlace || letters != "speed" || ecu != nil
            }
        return .signal(
            Named(
                ecu: ecu, name: name, unit: unit, fixesUnit: given != nil,
                pid: profile.pids[letters] ?? WideNames.pid(name),
                mayBeAnswer: mayBeAnswer || isOwn && ecu != nil,
                source: column.source.isEmpty ? nil : column.source))
    }

    /// `Speed (OBD)(km/h)` is `Speed (OBD)` in `km/h`; `Speed [km/h]` is `Speed`; `RPM (rpm) *obd` has a
    /// source.
    static func split(_ heading: String) -> (name: String, unit: String, source: String) {
        var column = heading
        var source = ""
        if let mark = column.lastIndex(of: "*"), mark > column.startIndex,
            column[column.index(before: mark)] == " ",
            case let word = column[mark...].dropFirst(), !word.isEmpty,
            word.allSatisfy({ $0.isLetter })
        {
            source = word.lowercased()
            column = String(column[..<mark]).withoutBlanks
        }
        let isSquare = column.hasSuffix("]") && !column.hasPrefix("[")
        guard isSquare || column.hasSuffix(")"),
            let open = column.lastIndex(of: isSquare ? "[" : "(")
        else { return (column.withoutBlanks, "", source) }
        let unit = column[open...].dropFirst().dropLast()
        return (String(column[..<open]).withoutBlanks, String(unit).withoutBlanks, source)
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
