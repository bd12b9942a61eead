import Diagnostics
import Formats
import OBDCore

/// Reads tables with one column per signal: Torque's logs, those of scripts with python-OBD, and
/// our own.
struct WideImport: CSVImport {
    /// A column with readings, prepared once.
    private struct Channel {
        var signal: SignalIndex
        /// For cells with text; nil if all of them are numbers.
        var text: SignalIndex?
        var ecu: ECUAddress?
        var dataID: DataID?
        var conversion: ImportUnit.Conversion?
        /// Whether the signal is on or off.
        var isFlag = false
    }

    var csv = CSVReader()
    private(set) var skipped = SkippedLines()
    private var time: LogClock
    var assumesBeginning: Bool { time.assumesBeginning }
    private let names: [String: String]
    /// The number of rows before the heading, and of rows without values after it.
    private var rowsBefore = 0
    private var rowsAfter = 0
    /// Whether unreadable rows are skipped: other programs may end a file in the middle of a row.
    private var isLenient = true
    var skipsCutRow: Bool { isLenient }
    private var header: [String] = []
    private var columns: WideColumns?
    private var channels: [Channel?] = []
    /// The VIN of the trip, known after a row that contains it.
    private var vin: VIN?
    /// The column of that VIN; other columns cannot change it.
    private var vinColumn: Int?

    init(_ time: LogClock, names: [String: String] = [:]) {
        self.time = time
        self.names = names
    }

    /// The heading must be within this many rows.
    static let longestPreamble = 60

    mutating func skip(_ fault: ImportFault) { skipped.add(fault) }

    mutating func read(
        row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        guard let columns else {
            guard try row.count < 2 || !begin(row, &table, emit) else { return }
            rowsBefore += 1
            guard rowsBefore < Self.longestPreamble else {
                throw ImportFault(line: csv.line, reason: "no column holds a time")
            }
            if let found = LogClock.beginning(in: row.joined(separator: ",")) {
                time.begins(at: found)
            }
            return
        }
        if rowsBefore > 0, rowsAfter < 2, try isRowOfUnits(row, columns, &table) { return }
        rowsAfter = 2
        // Torque repeats its heading when it resumes, possibly with other columns.
        if row.count > 1, row[0].withoutBlanks == header[0].withoutBlanks,
            try begin(row, &table, emit)
        {
            return
        }
        var row = row
        if isLenient {
            while row.count > columns.contents.count, row.last?.withoutBlanks.isEmpty == true {
                row.removeLast()
            }
        }
        do {
            try check(row, has: columns.contents.count)
            try read(row, columns, emit)
        } catch let fault as ImportFault where isLenient && !fault.needsDay {
            skipped.add(fault)
        }
    }

    /// Whether a row after the heading contains units or sources instead of values, as in
    /// RaceChrono's files.
    ///
    /// Units are stored.
    private mutating func isRowOfUnits(
        _ row: [String], _ columns: WideColumns, _ table: inout ImportTable
    ) throws -> Bool {
        let clock = zip(row, columns.contents).first {
            if case .time = $0.1 { true } else { false }
        }
        var probe = time
        guard let cell = clock?.0.withoutBlanks, row.count == header.count,
            probe.utc(cell) == nil, CSVNumber.decimal(cell) == nil, WallClock.seconds(cell) == nil
        else { return false }
        rowsAfter += 1
        guard rowsAfter == 1 else { return true }
        let named = zip(header, zip(row, columns.contents)).map { name, cell in
            let unit = cell.0.withoutBlanks
            if case .time = cell.1 { return name }
            return unit.isEmpty ? name : "\(name)(\(unit))"
        }
        guard let found = WideColumns(named) else { return true }
        channels = try prepare(found, &table)
        self.columns = found
        return true
    }

    /// Begins a trip with a heading; false if the row is not a heading.
    private mutating func begin(
        _ row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws -> Bool {
        guard let found = WideColumns(row) else { return false }
        channels = try prepare(found, &table)
        (header, columns) = (row, found)
        time.form = found.clock
        // AndrOBD writes nothing, not even a separator, for what has no value: such a row does not say
        // what its numbers are of, and is skipped.
        isLenient = !found.isOwn || rowsBefore > 0
        (vin, vinColumn) = (nil, nil)
        try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        return true
    }

    private func prepare(
        _ columns: WideColumns, _ table: inout ImportTable
    ) throws -> [Channel?] {
        let line = csv.line
        return try columns.contents.map { content in
            if case .vin(let ecu) = content {
                let text = table.place("VIN", "Vehicle identification number", "", .text)
                return Channel(
                    signal: text, text: text, ecu: ecu,
                    dataID: ecu == nil ? nil : DataID(.vehicleInformation, 0x02), conversion: nil)
            }
            guard case .signal(let ecu, let name, let unit, let pid) = content else { return nil }
            let known = table.known(name, pid: pid, names)
            let conversion = table.conversion(unit, of: known?.signal)
            if conversion == nil, ImportUnit.isAmbiguous(unit) {
                throw ImportFault(line: line, reason: table.fault(unit, of: name))
            }
            let id: String
            // If the unit does not fit, the name means another quantity.
            if let known, unit.isEmpty || conversion?.unit == known.signal.unit {
                id = known.signal.id
                let signal = table.place(
                    id, known.signal.name, known.signal.unit,
                    [.number, .flag].contains(known.signal.kind) ? known.signal.kind : .text)
                return Channel(
                    signal: signal, text: table.textPlace(known.signal), ecu: ecu,
                    dataID: known.dataID, conversion: conversion,
                    isFlag: known.signal.kind == .flag)
            }
            let other = known == nil ? conversion : ImportUnit.conversion(unit)
            let shown = other?.unit ?? unit
            return Channel(
                signal: table.place(name, name, shown, .number),
                text: table.textPlace(name, unit: shown), ecu: ecu, dataID: nil,
                conversion: other)
        }
    }

    private mutating func read(
        _ row: [String], _ columns: WideColumns, _ emit: (ImportEvent) throws -> Void
    ) throws {
        guard let moment = try moment(of: row, columns) else { return }
        let isNewVehicle = try takeVehicle(row, columns, at: moment, emit)
        var items: [DiagnosticItem] = []
        var place = PlaceCells()
        var volts: [Double] = []
        for (index, content) in columns.contents.enumerated() {
            let cell = row[index]
            let value = Self.number(cell, hasDecimalComma: csv.hasDecimalComma)
            switch content {
            case .time, .satelliteTime, .nothing: continue
            case .latitude: place.latitude = value
            case .longitude: place.longitude = value
            case .altitude(let metres): place.altitude = value.flatMap { finite($0 * metres) }
            case .course: place.course = value.flatMap { (0..<360).contains($0) ? $0 : nil }
            case .groundSpeed:
                place.speed = value.flatMap { $0 >= 0 ? finite($0 * 3.6) : nil }
            case .voltage: if let value { volts.append(value) }
            case .vin(let ecu):
                // In other programs' files, where every row may repeat it, it becomes a single reading.
                let isRepeated = ecu == nil && VIN(cell.withoutBlanks) != nil && !isNewVehicle
                guard !isRepeated, let channel = channels[index],
                    let item = reading(cell.withoutBlanks, nil, channel)
                else { continue }
                items.append(item)
            case .signal:
                guard let channel = channels[index],
                    let item = reading(cell.withoutBlanks, value, channel)
                else { continue }
                items.append(item)
            }
        }
        let position = try place.position(line: csv.line)
        for volts in volts { try emit(.entry(.voltage(volts), at: moment)) }
        if !items.isEmpty { try emit(.entry(.items(items), at: moment)) }
        if let position { try emit(.entry(.position(position), at: moment)) }
    }

    /// Takes the VIN of a row; another VIN begins a new trip.
    /// - Returns: Whether the VIN is new.
    private mutating func takeVehicle(
        _ row: [String], _ columns: WideColumns, at moment: UTC,
        _ emit: (ImportEvent) throws -> Void
    ) throws -> Bool {
        let before = vin
        for (index, content) in columns.contents.enumerated() {
            guard case .vin = content, vinColumn == nil || vinColumn == index,
                let found = VIN(row[index].withoutBlanks), found != vin
            else { continue }
            vinColumn = index
            if vin != nil { try emit(.trip(name: nil, tags: [], vin: nil, start: nil)) }
            vin = found
            try emit(.entry(.vehicle(found), at: moment))
        }
        return vin != before
    }

    /// The time of a row, from the last time column with a value; nil if there is none.
    private mutating func moment(of row: [String], _ columns: WideColumns) throws -> UTC? {
        var moment: UTC?
        if let index = columns.otherClock { time.takeOther(row[index].withoutBlanks) }
        for case (let cell, .time) in zip(row, columns.contents) {
            let text = cell.withoutBlanks
            if time.needsDay(text) { throw ImportFault.noDay(line: csv.line) }
            guard let found = time.utc(text) else {
                throw ImportFault(line: csv.line, reason: "time \"\(cell)\" is not a date")
            }
            moment = found
        }
        return moment
    }

    /// A cell's number, with or without a unit after it; nil without a measurement.
    ///
    /// In files that are separated by semicolons, the comma is the decimal point.
    private static func number(_ cell: String, hasDecimalComma: Bool) -> Double? {
        let text = cell.withoutBlanks
        var first = text.split(separator: " ", maxSplits: 1).first.map(String.init) ?? ""
        if hasDecimalComma, first.utf8.count(where: { $0 == UInt8(ascii: ",") }) == 1 {
            first = String(first.map { $0 == "," ? "." : $0 })
        }
        return CSVReader.number(first).flatMap { $0.isFinite ? $0 : nil }
    }

    private mutating func reading(
        _ cell: String, _ value: Double?, _ channel: Channel
    ) -> DiagnosticItem? {
        guard let found = Self.reading(cell, value, channel) else {
            if !cell.isEmpty { skipped.add(cell: cell, line: csv.line) }
            return nil
        }
        return found
    }

    /// The reading of a cell; nil without a measurement.
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
        if channel.isFlag, let isOn = ["true": true, "1": true, "false": false, "0": false][cell] {
            return reading(channel.signal, .flag(isOn))
        }
        guard let value else {
            // A number that is too large for Double is not a measurement.
            if CSVReader.number(cell)?.isInfinite == true { return nil }
            return channel.text.map { reading($0, .text(CSVReader.undefused(cell))) }
        }
        // python-OBD prints the unit after the value: `21 degree_Celsius`.
        var conversion = channel.conversion
        if let blank = cell.firstIndex(of: " ") {
            conversion = ImportUnit.conversion(String(cell[blank...]).withoutBlanks) ?? conversion
        }
        let metric = conversion.map { $0(value) } ?? value
        // The conversion may overflow.
        return metric.isFinite ? reading(channel.signal, .number(metric)) : nil
    }
}

/// The cells of a row with the position.
private struct PlaceCells {
    /// Unit: degrees.
    var latitude, longitude: Double?
    /// Unit: m.
    var altitude: Double?
    /// Unit: degrees, 0 to below 360.
    var course: Double?
    /// Unit: km/h.
    var speed: Double?

    /// The position; nil without a measurement, for which some programs write 0, 0.
    func position(line: Int) throws -> Position? {
        guard let latitude, let longitude, latitude != 0 || longitude != 0 else { return nil }
        guard var position = Position(latitude: latitude, longitude: longitude) else {
            throw ImportFault(
                line: line, reason: "\(latitude), \(longitude) is not a place on earth")
        }
        (position.altitude, position.course, position.speed) = (altitude, course, speed)
        return position
    }
}

/// The value; nil if a conversion overflowed.
private func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
