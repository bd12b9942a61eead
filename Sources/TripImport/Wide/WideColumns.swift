import Formats
import OBDCore

/// The columns of a table with one column per signal.
struct WideColumns {
    enum Content {
        case time
        case latitude, longitude
        /// Another part of the position, in a unit of this many metres, km/h or degrees; a signal without a fix.
        case place(LogProfile.Role, factor: Double, Named)
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
    /// The zone of the time column, if the heading names one.
    let zone: String?
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
        var column: Int
        var form = LogClock.Form.time
        var zone: String?
    }

    /// The names of the time column by their letters, in order of preference.
    ///
    /// Torque has two clocks, and the one of the device has milliseconds. AndrOBD writes the word in the
    /// phone's language.
    private static let clocks = [
        "epochtime", "devicetime", "utctime", "timeutc", "utcdatetime", "datetimeutc",
        "utctimestamp",
        "timestamputc", "utc", "time", "timestamp", "datetime", "timedate", "localtime",
        "timelocal", "datumuhrzeit", "zeitstempel", "horodatage", "fechahora", "datahora",
    ]
    /// The names if no other column is there.
    private static let lastClocks = [
        "gpstime", "zeit", "uhrzeit", "temps", "heure", "tiempo", "hora", "tempo", "ora", "tijd",
        "czas", "godzina", "время", "tid", "klokkeslett", "čas", "saat", "aika",
    ]

    /// Names of clocks that count from the beginning, without a unit.
    private static let elapsed: Set<String> = [
        "elapsed", "elapsedtime", "timeelapsed", "relativetime", "timeoffset", "sessiontime",
        "logtime",
    ]
    /// Names of clocks that count from the beginning in the unit of their heading: `Time (ms)`.
    private static let stopwatches = elapsed.union([
        "time", "timestamp", "zeit", "temps", "tiempo", "tempo", "tijd", "czas", "время",
    ])
    /// Their units in seconds.
    private static let seconds: [String: Double] = [
        "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "ms": 0.001, "msec": 0.001,
        "milliseconds": 0.001, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "min": 60, "minutes": 60,
    ]

    private static func stopwatch(_ columns: [Column]) -> Clock? {
        for (index, column) in columns.enumerated() where stopwatches.contains(column.letters) {
            guard let second = seconds[column.unit.lowercased()] else { continue }
            return Clock(column: index, form: .sinceStart(second: second))
        }
        return nil
    }

    /// The first of these names that is the heading of times.
    private static func clock(_ names: [String], _ columns: [Column]) -> Clock? {
        for name in names {
            for (index, column) in columns.enumerated()
            where column.letters == name && column.name.first?.isLetter == true {
                let unit = column.unit.lowercased()
                if name == "utc", unit == "ms" {
                    return Clock(column: index, form: .sinceStart(second: 0.001))
                }
                // `Time (HH:mm:ss)`; `time [every 0.5 s, last value]` is our own.
                let isPlain =
                    ["", "local", "local time", "iso 8601"].contains(unit)
                    || ["every", "hh", "h:m", "yyyy", "dd"].contains(where: unit.hasPrefix)
                    || name == "timestamp" && unit == "s"
                if isPlain {
                    let zone = name.hasPrefix("utc") || name.hasSuffix("utc") ? "UTC" : nil
                    return Clock(column: index, zone: zone)
                }
                if ZoneText(column.unit[...]).meaning != .unknown, seconds[unit] == nil {
                    return Clock(column: index, zone: column.unit)
                }
            }
        }
        return nil
    }

    /// What programs write in place of a unit, in lower case: the values are words.
    private static let noUnits: Set<String> = ["null", "on/off", "off/on", "yes/no", "true/false"]

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
        var columns = names.map { Column(CSVReader.undefused($0)) }
        let wanted =
            Self.clock(Self.clocks + Self.lastClocks + ["date"], columns)
            ?? Self.stopwatch(columns)
            ?? columns.firstIndex { Self.elapsed.contains($0.letters) }.map {
                Clock(column: $0, form: .sinceStart(second: 1))
            }
        let runTime = columns.firstIndex {
            WideNames.pid($0.name) == 0x1F && ["", "s", "sec"].contains($0.unit.lowercased())
        }
        guard let time = wanted?.column ?? runTime else { return nil }
        clock = wanted?.form ?? .sinceStart(second: 1)
        zone = wanted?.zone
        isRunTime = wanted == nil
        self.time = time
        let dayColumn =
            clock != .time || columns[time].letters == "date"
            ? nil
            : columns.firstIndex {
                Self.days.contains($0.letters) && $0.letters != columns[time].letters
            }
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
        let roles = columns.map { Self.role($0, profile) }
        let hasPlace = roles.contains(.latitude) && roles.contains(.longitude)
        var seen: [LogProfile.Role: String] = [:]
        let own = names.first.map { Column($0).name } == "time"
        // Our own export writes the ECU before the name of each signal.
        let signals = columns.indices.filter {
            $0 != time && roles[$0] == nil && !Self.isVoltage(columns[$0].name)
        }.map { columns[$0].name }
        let namesECUs =
            own && signals.allSatisfy { $0.count { $0 == " " } == 1 && Self.address($0) != nil }
            && signals.contains { $0.prefix { $0 != " " }.contains(where: \.isNumber) }
        contents = columns.indices.map { index in
            if index == time, wanted != nil { return .time }
            if index == dayColumn { return .nothing }
            // Without a position, its parts are signals of their own.
            var role = roles[index].flatMap { hasPlace || $0 == .nothing ? $0 : nil }
            if let found = role, found != .nothing,
                let first = seen.updateValue(columns[index].letters, forKey: found)
            {
                // A second altitude is the same one in another unit, or that of another sensor.
                role = first == columns[index].letters ? .nothing : nil
            }
            return Self.content(
                columns[index], role, profile, hasPlace: hasPlace, isOwn: own,
                namesECUs: namesECUs)
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
        /// The letters and digits of the name.
        let letters: String
        /// `obd` of `Engine Speed (RPM) *OBD`; empty if the program does not name the source.
        var source = ""

        init(_ heading: String) {
            (name, unit, source) = WideColumns.split(heading)
            letters = WideNames.letters(of: name)
            whole = unit.isEmpty ? name : heading
            if !source.isEmpty, let mark = heading.lastIndex(of: "*") {
                whole = String(heading[..<mark]).withoutBlanks
            }
        }
    }

    /// The meaning of a column for the position; nil if it has none.
    private static func role(_ column: Column, _ profile: LogProfile) -> LogProfile.Role? {
        guard ["", "gps"].contains(column.source) else { return nil }
        if let role = profile.roles[column.letters] { return role }
        if column.letters == "speed", column.source == "gps" { return .speed }
        return LogProfile.places[column.letters]
    }

    /// The content of a column; `role` is its meaning for the position of the row.
    private static func content(
        _ column: Column, _ role: LogProfile.Role?, _ profile: LogProfile, hasPlace: Bool,
        isOwn: Bool, namesECUs: Bool
    ) -> Content {
        if ["", "gps time", "device time", "date/time"].contains(column.name.lowercased()) {
            return .nothing
        }
        if isVoltage(column.name) { return .voltage }
        var named = named(
            column, profile, hasPlace: hasPlace, isOwn: isOwn, namesECUs: namesECUs)
        switch role {
        case .latitude: return .latitude
        case .longitude: return .longitude
        case .nothing: return .nothing
        case nil: break
        case .course?:
            named.mayBeAnswer = false
            return .place(.course, factor: 1, named)
        case .altitude?, .accuracy?, .speed?:
            named.mayBeAnswer = false
            guard let role, let unit = ImportUnit.conversion(named.unit) else { break }
            if role == .speed ? unit.unit == "km/h" : ["", "m"].contains(unit.unit) {
                return .place(role, factor: unit.factor, named)
            }
        }
        if ["vin", "vehicle identification number"].contains(named.name.lowercased()) {
            return .vin(ecu: named.ecu)
        }
        return .signal(named)
    }

    /// Whether a column has the voltage at the adapter.
    private static func isVoltage(_ name: String) -> Bool {
        ["voltage (obd adapter)", "elm_voltage", "adapter_voltage"].contains(name.lowercased())
    }

    /// The address before the first blank of a name.
    private static func address(_ name: String) -> ECUAddress? {
        name.firstIndex(of: " ").flatMap { ECUAddress(name[..<$0]) }
    }

    /// Whether a word can only be the address of an ECU: `7E8`, `18DAF110`; `AF` and `AC` are words, too.
    private static func isOnlyAddress(_ word: Substring) -> Bool {
        word.utf8.count == 3 && word.first == "7" || word.utf8.count == 8 && word.hasPrefix("18DA")
    }

    /// A column as one with values of a signal.
    private static func named(
        _ column: Column, _ profile: LogProfile, hasPlace: Bool, isOwn: Bool, namesECUs: Bool
    ) -> Named {
        var name = column.name
        let given = profile.units[column.letters]
        var ecu: ECUAddress?
        if name.hasPrefix("ECU("), let end = name.firstIndex(of: ")"),
            let address = ECUAddress(name[..<end].dropFirst(4))
        {
            // Torque: `ECU(7EA): Engine RPM(rpm)`.
            ecu = address
            name = String(name[end...].dropFirst(2)).withoutBlanks
        } else if let blank = name.firstIndex(of: " "), let address = address(name),
            namesECUs || isOnlyAddress(name[..<blank])
        {
            ecu = address
            name = String(name[blank...]).withoutBlanks
        }
        let mayBeAnswer =
            switch profile.answers {
            case .marked(let source): column.source == source
            case .named: !profile.own.contains(column.letters)
            case .listed: profile.pids[column.letters] != nil
            // A speed beside a position may be that of the satellites.
            case .unclaimed: !hasPlace || column.letters != "speed" || ecu != nil
            }
        return Named(
            ecu: ecu, name: name,
            unit: given ?? (noUnits.contains(column.unit.lowercased()) ? "" : column.unit),
            fixesUnit: given != nil, pid: profile.pids[column.letters] ?? WideNames.pid(name),
            mayBeAnswer: mayBeAnswer || isOwn && ecu != nil,
            source: column.source.isEmpty ? nil : column.source)
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
