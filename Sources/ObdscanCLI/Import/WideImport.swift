import Diagnostics
import Glibc
import OBDCore
import TripExport
import TripStore

/// The columns of a table with a column a signal.
struct WideColumns {
    /// What a column holds.
    enum Content {
        case time
        case latitude, longitude, altitude, course
        /// Unit: m/s.
        case groundSpeed
        case voltage
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
        case "altitude", "gps altitude": return unit == "ft" ? .nothing : .altitude
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

/// Reads tables with a column a signal: Torque's logs, those of scripts around python-OBD, our own.
enum WideImport {
    /// A column that readings come from, prepared once.
    private struct Channel {
        var signal: SignalIndex
        var text: SignalIndex
        var ecu: ECUAddress?
        var dataID: DataID?
        var conversion: ImportUnit.Conversion?
    }

    static func read(
        _ bytes: [UInt8], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        var csv = CSVReader(bytes)
        var header = csv.next() ?? []
        guard var columns = WideColumns(header) else {
            throw ImportFault(line: 1, reason: "no column holds a time")
        }
        var channels = try prepare(columns, &table)
        try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        while let row = csv.next() {
            // Torque writes its heading again when it goes on, perhaps with other columns.
            if row.count > 1, let again = WideColumns(row),
                row[0].withoutBlanks == header[0].withoutBlanks
            {
                (header, columns) = (row, again)
                channels = try prepare(columns, &table)
                try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
                continue
            }
            guard row.count == columns.contents.count else {
                throw ImportFault(
                    line: csv.line,
                    reason: "\(row.count) cells, the heading has \(columns.contents.count)")
            }
            try read(
                row, columns, channels, line: csv.line,
                hasDecimalComma: csv.hasDecimalComma, emit)
        }
    }

    private static func prepare(
        _ columns: WideColumns, _ table: inout ImportTable
    ) throws -> [Channel?] {
        try columns.contents.map { content in
            guard case .signal(let ecu, let name, let unit, let pid) = content else { return nil }
            let known = pid.flatMap { table.known(pid: $0) } ?? table.known(name)
            let conversion = table.conversion(unit, of: known?.signal)
            if conversion == nil, ImportUnit.isAmbiguous(unit) {
                throw ImportFault(line: 1, reason: table.fault(unit, of: name))
            }
            let id: String
            // A unit that does not fit is another quantity of that name.
            if let known, unit.isEmpty || conversion?.unit == known.signal.unit {
                id = known.signal.id
                let signal = table.place(
                    id, known.signal.name, known.signal.unit,
                    known.signal.kind == .number ? .number : .text)
                let text = table.place(id, known.signal.name, known.signal.unit, .text)
                return Channel(
                    signal: signal, text: text, ecu: ecu, dataID: known.dataID,
                    conversion: conversion)
            }
            let other = known == nil ? conversion : ImportUnit.conversion(unit)
            let shown = other?.unit ?? unit
            return Channel(
                signal: table.place(name, name, shown, .number),
                text: table.place(name, name, shown, .text), ecu: ecu, dataID: nil,
                conversion: other)
        }
    }

    private static func read(
        _ row: [String], _ columns: WideColumns, _ channels: [Channel?], line: Int,
        hasDecimalComma: Bool, _ emit: (ImportEvent) throws -> Void
    ) throws {
        var time: UTC?
        var numbers: [Double?] = []
        numbers.reserveCapacity(row.count)
        for (cell, content) in zip(row, columns.contents) {
            if case .time = content {
                guard let found = WideTime.utc(cell.withoutBlanks) else {
                    throw ImportFault(line: line, reason: "time \"\(cell)\" is no date")
                }
                time = found
            }
            numbers.append(number(cell, hasDecimalComma: hasDecimalComma))
        }
        guard let time else { return }
        var items: [DiagnosticItem] = []
        var latitude: Double?
        var longitude: Double?
        var altitude: Double?
        var course: Double?
        var speed: Double?
        for (index, content) in columns.contents.enumerated() {
            let value = numbers[index]
            switch content {
            case .time, .nothing: continue
            case .latitude: latitude = value
            case .longitude: longitude = value
            case .altitude: altitude = value
            case .course: course = value.flatMap { (0..<360).contains($0) ? $0 : nil }
            case .groundSpeed: speed = value.flatMap { $0 >= 0 ? $0 * 3.6 : nil }
            case .voltage: if let value { try emit(.entry(.voltage(value), at: time)) }
            case .signal:
                guard let channel = channels[index],
                    let item = reading(row[index].withoutBlanks, value, channel)
                else { continue }
                items.append(item)
            }
        }
        if !items.isEmpty { try emit(.entry(.items(items), at: time)) }
        // No fix is written as 0, 0 by some.
        if let latitude, let longitude, latitude != 0 || longitude != 0 {
            guard var position = TripPosition(latitude: latitude, longitude: longitude) else {
                throw ImportFault(
                    line: line, reason: "\(latitude), \(longitude) is no place on earth")
            }
            (position.altitude, position.course, position.speed) = (altitude, course, speed)
            try emit(.entry(.position(position), at: time))
        }
    }

    /// A cell's number, with or without a unit behind it; nil where nothing was measured.
    ///
    /// Where semicolons separate the cells a comma is the decimal point.
    private static func number(_ cell: String, hasDecimalComma: Bool) -> Double? {
        let text = cell.withoutBlanks
        var first = text.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
        if hasDecimalComma, first.utf8.count(where: { $0 == UInt8(ascii: ",") }) == 1 {
            first = String(first.map { $0 == "," ? "." : $0 })
        }
        return Double(first).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func reading(
        _ cell: String, _ value: Double?, _ channel: Channel
    ) -> DiagnosticItem? {
        switch cell.lowercased() {
        case "", "-", "none", "null", "nan", "n/a", "∞", "infinity": return nil
        default: break
        }
        func reading(_ signal: SignalIndex, _ value: Reading.Value) -> DiagnosticItem {
            .reading(
                Reading(
                    ecu: channel.ecu, dataID: channel.dataID, signal: signal, value: value,
                    raw: InlineBytes(), line: 0))
        }
        guard let value else {
            return reading(channel.text, .text(CSVReader.undefused(cell)))
        }
        // python-OBD prints its unit with the value: `21 degree_Celsius`.
        var conversion = channel.conversion
        if let blank = cell.firstIndex(of: " ") {
            conversion = ImportUnit.conversion(String(cell[blank...]).withoutBlanks) ?? conversion
        }
        return reading(channel.signal, .number(conversion.map { $0(value) } ?? value))
    }
}

/// Times as logs write them.
enum WideTime {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The point in time that a log's text means; nil for what is none.
    ///
    /// ISO 8601 with a zone, or without one in local time; seconds since 1970; Torque's
    /// `21-Nov-2026 08:15:02.123` in local time.
    static func utc(_ text: String) -> UTC? {
        if let utc = UTC(text), text.hasSuffix("Z") { return utc }
        if let seconds = Double(text) {
            // Below, it counts from something else than 1970.
            guard seconds > 1e8, seconds < 1e11 else { return nil }
            return UTC(microseconds: Int64((seconds * 1e6).rounded()))
        }
        let parts = text.split(separator: " ", maxSplits: 1)
        let date = parts.first?.split(separator: "-") ?? []
        if parts.count == 2, date.count == 3,
            let month = months.firstIndex(of: date[1].lowercased().prefix(3).description)
        {
            let two = { (text: String) in text.count < 2 ? "0" + text : text }
            return TripMoment(
                argument: "\(date[2])-\(two(String(month + 1)))-\(two(String(date[0])))T\(parts[1])"
            ).flatMap { try? $0.time() }
        }
        // `+01:00` behind the seconds.
        if text.count > 16, let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }),
            text.distance(from: text.startIndex, to: sign) > 10
        {
            let zone = text[sign...].dropFirst().split(separator: ":")
            guard zone.count == 2, let hours = Int64(zone[0]), let minutes = Int64(zone[1]),
                hours < 24, minutes < 60, let wall = UTC(String(text[..<sign]) + "Z")
            else { return nil }
            let shift = (hours * 60 + minutes) * 60_000_000
            return UTC(microseconds: wall.microseconds + (text[sign] == "+" ? -shift : shift))
        }
        guard text.count >= 10, text.first?.isNumber == true else { return nil }
        return TripMoment(argument: text).flatMap { try? $0.time() }
    }
}

/// What other programs call the signals of service 01.
enum WideNames {
    /// The identifier that a column's name means; nil where only the name itself can tell.
    static func pid(_ name: String) -> UInt32? { pids[name.lowercased()] }

    // Torque's names with blanks, python-OBD's commands with underscores.
    private static let pids: [String: UInt32] = [
        "engine load": 0x04, "engine_load": 0x04, "engine coolant temperature": 0x05,
        "coolant_temp": 0x05, "fuel trim bank 1 short term": 0x06, "short_fuel_trim_1": 0x06,
        "fuel trim bank 1 long term": 0x07, "long_fuel_trim_1": 0x07,
        "fuel trim bank 2 short term": 0x08, "short_fuel_trim_2": 0x08,
        "fuel trim bank 2 long term": 0x09, "long_fuel_trim_2": 0x09, "fuel_pressure": 0x0A,
        "fuel pressure": 0x0A, "intake manifold pressure": 0x0B, "intake_pressure": 0x0B,
        "engine rpm": 0x0C, "rpm": 0x0C, "engine_rpm": 0x0C, "speed (obd)": 0x0D, "speed": 0x0D,
        "timing advance": 0x0E, "timing_advance": 0x0E, "intake air temperature": 0x0F,
        "intake_temp": 0x0F, "mass air flow rate": 0x10, "maf": 0x10,
        "throttle position(manifold)": 0x11, "throttle_pos": 0x11,
        "run time since engine start": 0x1F, "run_time": 0x1F,
        "distance travelled with mil/cel lit": 0x21, "distance_w_mil": 0x21,
        "egr commanded": 0x2C, "commanded_egr": 0x2C, "egr error": 0x2D, "egr_error": 0x2D,
        "fuel level (from engine ecu)": 0x2F, "fuel_level": 0x2F,
        "distance travelled since codes cleared": 0x31, "distance_since_dtc_clear": 0x31,
        "barometric pressure (from vehicle)": 0x33, "barometric_pressure": 0x33,
        "voltage (control module)": 0x42, "control_module_voltage": 0x42,
        "engine load(absolute)": 0x43, "absolute_load": 0x43,
        "commanded equivalence ratio": 0x44, "commanded_equiv_ratio": 0x44,
        "relative throttle position": 0x45, "relative_throttle_pos": 0x45,
        "ambient air temp": 0x46, "ambiant_air_temp": 0x46, "absolute throttle position b": 0x47,
        "throttle_pos_b": 0x47, "accelerator pedalposition d": 0x49, "accelerator_pos_d": 0x49,
        "accelerator pedalposition e": 0x4A, "accelerator_pos_e": 0x4A, "ethanol fuel %": 0x52,
        "engine oil temperature": 0x5C, "oil_temp": 0x5C, "fuel_rate": 0x5E,
    ]
}

extension String {
    /// Without blanks at both ends.
    fileprivate var withoutBlanks: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
