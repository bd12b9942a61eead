import Diagnostics
import Formats
import OBDCore

/// Reads tables with one column per signal: Torque's logs, logs of scripts with python-OBD, and our own.
struct WideImport: CSVImport {
    /// A column with readings, prepared once for each unit of its cells.
    private struct Channel {
        var signal: SignalIndex
        /// The signal for cells with text; nil if all cells are numbers.
        var text: SignalIndex?
        var ecu: ECUAddress?
        var dataID: DataID?
        var conversion: ImportUnit.Conversion?
        /// Whether the signal is on or off.
        var isFlag = false
        /// The possible values of a PID.
        var limits: ClosedRange<Double>?
        var unit = ""
    }

    /// A cell with a part of a position, such as its altitude.
    private struct PlacePart {
        var index: Int
        var value: Double
    }

    /// A column and the unit after the number of a cell.
    private struct CellUnit: Hashable {
        var column: Int
        var unit: String
    }

    var csv = CSVReader()
    private(set) var skipped = SkippedLines()
    private var time: LogClock
    var clock: LogClock? { time }
    private let source: ImportSource
    private(set) var misnamed: Set<String> = []
    var mayTranslate: Bool { columns?.profile.mayTranslate ?? false }
    private(set) var grammar = NumberGrammar(isCommaSeparated: true)
    /// By column: how its numbers read, and whether they have shown a decimal point.
    private var rules: [DecimalRule] = []
    private var showsPoint: [Bool] = []
    /// The number of rows before the heading, and of rows without values after it.
    private var rowsBefore: Int { lines.count }
    /// The lines before the heading.
    private var lines: [String] = []
    /// The lines without values after the last row with some.
    private var linesBetween: [String] = []
    private var units: [String] = []
    private var rowsAfter = 0
    /// Whether the last heading has rows with a time.
    private var hasRows = false
    /// Whether unreadable rows are skipped: other programs may end a file in the middle of a row.
    private var isLenient = true
    var skipsCutRow: Bool { isLenient }
    private var header: [String] = []
    private var columns: WideColumns?
    private var channels: [Channel?] = []
    private var unitChannels: [CellUnit: Channel] = [:]
    /// The VIN of the trip, known after a row that contains it.
    private var vin: VIN?
    /// The column of the vehicle's VIN; other columns cannot change it.
    private var vinColumn: Int?

    init(_ time: LogClock, _ source: ImportSource = ImportSource()) {
        self.time = time
        self.source = source
    }

    /// The heading must be within this many rows.
    static let longestPreamble = 60

    mutating func skip(_ fault: ImportFault) { skipped.add(fault) }

    mutating func read(
        row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        guard let columns else {
            guard try row.count < 2 || !begin(row, &table, emit) else { return }
            lines.append(row.joined(separator: ","))
            guard rowsBefore < Self.longestPreamble else {
                throw ImportFault(line: csv.line, reason: "no column holds a time")
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
            try read(row, columns, &table, emit)
            linesBetween = []
        } catch let fault as ImportFault where isLenient && !fault.isQuestion {
            if row.count < columns.contents.count, linesBetween.count < Self.longestPreamble {
                linesBetween.append(row.joined(separator: ","))
            }
            skipped.add(fault)
        }
    }

    /// Whether a row after the heading contains units or sources instead of values, as in
    /// RaceChrono's files.
    ///
    /// Units and sources are stored.
    private mutating func isRowOfUnits(
        _ row: [String], _ columns: WideColumns, _ table: inout ImportTable
    ) throws -> Bool {
        var probe = time
        guard row.count == header.count, case let cell = row[columns.time].withoutBlanks,
            probe.utc(cell, line: csv.line) == nil, CSVNumber.decimal(cell) == nil,
            DateText(cell) == nil, DateText.timeOfDay(cell) == nil
        else { return false }
        rowsAfter += 1
        // The first row has units, the second one sources.
        let sources = rowsAfter == 1 ? [] : row
        if rowsAfter == 1 { units = row }
        guard let found = WideColumns(header, after: lines, units: units, sources: sources) else {
            return true
        }
        self.columns = found
        channels = try prepare(found, &table)
        return true
    }

    /// Begins a trip with a heading; false if the row is not a heading.
    private mutating func begin(
        _ row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws -> Bool {
        guard let found = WideColumns(row, after: lines) else { return false }
        let clock = row[found.time].withoutBlanks
        let clocks = row.count { $0.withoutBlanks == clock }
        guard clocks == 1 else {
            throw ImportFault(
                line: csv.line,
                reason: "\(clocks) columns are named \"\(clock)\", but a table has one clock; "
                    + "VCDS writes such tables with a clock for each group")
        }
        (header, columns) = (row, found)
        if grammar.isEmpty {
            grammar = NumberGrammar(isCommaSeparated: !csv.hasDecimalComma)
        }
        rules = row.map { source.findings.numbers?.rule($0) ?? grammar.usual }
        showsPoint = row.map { grammar.showsPoint($0) }
        time.numbers = rules[found.time]
        channels = try prepare(found, &table)
        let order = found.profile.isMonthFirst
        time.partBegins()
        // The lines of another drive may be between two headings.
        for line in lines + linesBetween {
            if let beginning = LogClock.beginning(in: line, isMonthFirst: order) {
                time.begins(at: beginning)
            }
        }
        time.form = found.clock
        // AndrOBD writes nothing for a missing value, not even a separator: such a row does not show the
        // signals of its numbers, and is skipped.
        isLenient = !found.isOwn || rowsBefore > 0
        (vin, vinColumn, linesBetween, hasRows) = (nil, nil, [], false)
        try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        return true
    }

    private mutating func prepare(
        _ columns: WideColumns, _ table: inout ImportTable
    ) throws -> [Channel?] {
        unitChannels = [:]
        let owners = owners(columns, table)
        var taken: [String: Int] = [:]
        var names: [String: Int] = [:]
        for case .signal(let named) in columns.contents { names[named.name, default: 0] += 1 }
        return try columns.contents.enumerated().map { index, content in
            switch content {
            case .vin(let ecu):
                let text = table.place("VIN", "Vehicle identification number", "", .text)
                return Channel(
                    signal: text, text: text, ecu: ecu,
                    dataID: ecu == nil ? nil : DataID(.vehicleInformation, 0x02), conversion: nil)
            case .signal(var named):
                let known = owners[index]
                if known == nil {
                    // Two columns are never one signal at one instant.
                    if names[named.name] ?? 0 > 1, let source = named.source {
                        named.name += " (\(source))"
                    }
                    let key = "\(named.ecu?.description ?? "") \(named.name)"
                    taken[key, default: 0] += 1
                    if let count = taken[key], count > 1 { named.name += " (\(count))" }
                }
                return try channel(named, known, &table)
            default: return nil
            }
        }
    }

    /// The built-in signals of columns.
    ///
    /// A column is an answer of the vehicle if the program that wrote the file gives answers this name, and
    /// no other column has such a name.
    private func owners(
        _ columns: WideColumns, _ table: ImportTable
    ) -> [Int: ImportTable.Known] {
        struct Claim: Hashable {
            var ecu: ECUAddress?
            var id: String
        }
        var owners: [Int: ImportTable.Known] = [:]
        var claims: [Claim: [Int]] = [:]
        for (index, content) in columns.contents.enumerated() {
            guard case .signal(let named) = content else { continue }
            if let given = source.names[named.name] {
                owners[index] = table.known(given)
                continue
            }
            guard named.mayBeAnswer, !source.findings.misnamed.contains(named.name),
                let known = table.known(named.name, pid: named.pid)
            else { continue }
            // If the unit does not fit, the name means another quantity.
            let unit = table.conversion(named.unit, of: known.signal)?.unit
            guard named.unit.isEmpty || unit == known.signal.unit else { continue }
            owners[index] = known
            claims[Claim(ecu: named.ecu, id: known.signal.id), default: []].append(index)
        }
        let given = Set(
            owners.filter { index, _ in
                guard case .signal(let named) = columns.contents[index] else { return false }
                return source.names[named.name] != nil
            }.map(\.value.signal.id))
        for (claim, indices) in claims where indices.count > 1 || given.contains(claim.id) {
            for index in indices { owners[index] = nil }
        }
        return owners
    }

    /// The channel of a column whose signal is known or not.
    private func channel(
        _ named: WideColumns.Named, _ known: ImportTable.Known?, _ table: inout ImportTable
    ) throws -> Channel {
        let conversion = table.conversion(named.unit, of: known?.signal)
        if conversion == nil, ImportUnit.isAmbiguous(named.unit) {
            throw table.fault(named.unit, of: named.name, line: csv.line)
        }
        if let known, named.unit.isEmpty || conversion?.unit == known.signal.unit {
            let signal = known.signal
            let place = table.place(
                signal.id, signal.name, signal.unit,
                [.number, .flag].contains(signal.kind) ? signal.kind : .text)
            return Channel(
                signal: place, text: table.textPlace(signal), ecu: named.ecu,
                dataID: known.dataID, conversion: conversion, isFlag: signal.kind == .flag,
                limits: columns?.isOwn == true ? nil : signal.possibleValues, unit: signal.unit)
        }
        let other = known == nil ? conversion : ImportUnit.conversion(named.unit)
        let shown = other?.unit ?? named.unit
        return Channel(
            signal: table.place(named.name, named.name, shown, .number),
            text: table.textPlace(named.name, unit: shown), ecu: named.ecu, dataID: nil,
            conversion: other, unit: shown)
    }

    /// The channel of a cell with a unit of its own; nil if the column has another quantity.
    private mutating func channel(
        _ column: Int, _ content: WideColumns.Content, _ unit: ImportUnit.Conversion,
        _ table: inout ImportTable
    ) throws -> Channel? {
        guard case .signal(var named) = content, var usual = channels[column] else { return nil }
        if named.fixesUnit { return usual }
        if usual.unit == unit.unit {
            usual.conversion = unit
            return usual
        }
        guard named.unit.isEmpty else { return nil }
        let key = CellUnit(column: column, unit: unit.unit)
        if let found = unitChannels[key] { return found }
        // A file of random data may have as many units as rows.
        guard unitChannels.count < 1_000 else { return nil }
        named.unit = unit.unit
        var channel = try channel(named, nil, &table)
        channel.conversion = unit
        unitChannels[key] = channel
        return channel
    }

    private mutating func read(
        _ row: [String], _ columns: WideColumns, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        let moment = try moment(of: row, columns)
        if time.hasRestarted, hasRows {
            (vin, vinColumn) = (nil, nil)
            try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        }
        hasRows = true
        let isNewVehicle = try takeVehicle(row, columns, at: moment, emit)
        note(row[columns.time].withoutBlanks, columns.time, isAside: true)
        var items: [DiagnosticItem] = []
        var latitude, longitude: Double?
        var parts: [PlacePart] = []
        var volts: [Double] = []
        for (index, content) in columns.contents.enumerated() {
            let cell = row[index].withoutBlanks
            func value(isAside: Bool = false) -> Double? {
                if cell.isEmpty { return nil }
                note(cell, index, isAside: isAside)
                // No position has a thousand degrees.
                let rule = isAside ? .any : rules[index]
                let number =
                    CSVNumber.decimal(cell, rule) ?? CSVNumber.bareExponent(cell)
                    ?? (isAside ? Self.degrees(cell) : nil)
                    ?? CSVNumber.measure(cell).flatMap { cell in
                        CSVNumber.decimal(cell.digits, rule).map { cell.unit($0) }
                    }
                if number == nil { leaveOut(cell, index, columns.profile) }
                return number
            }
            switch content {
            case .time: continue
            case .nothing:
                guard header[index].withoutBlanks.isEmpty, !cell.isEmpty else { continue }
                skipped.add(
                    cell: cell, of: "column \(index + 1)", line: csv.line,
                    reason: "is in a column without a name")
            case .latitude: latitude = value(isAside: true)
            case .longitude: longitude = value(isAside: true)
            case .place:
                if let value = value() { parts.append(PlacePart(index: index, value: value)) }
            case .voltage: if let value = value() { volts.append(value) }
            case .vin(let ecu):
                // In other programs' files, where every row may repeat the VIN, it becomes a single reading.
                let isRepeated = ecu == nil && VIN(cell) != nil && !isNewVehicle
                guard !isRepeated, let channel = channels[index], !LogProfile.isNothing(cell)
                else {
                    continue
                }
                items.append(Self.item(channel, channel.signal, .text(CSVReader.undefused(cell))))
            case .signal:
                if cell.isEmpty { continue }
                note(cell, index)
                if !LogProfile.isNothing(cell), let item = try reading(cell, index, content, &table)
                {
                    items.append(item)
                } else {
                    leaveOut(cell, index, columns.profile)
                }
            }
        }
        var position: Position?
        if let latitude, let longitude {
            position = skipped.position(latitude, longitude, line: csv.line)
        }
        for part in parts {
            guard case .place(let role, let factor, let named) = columns.contents[part.index]
            else { continue }
            // The conversion may overflow.
            guard role.allows(part.value), (part.value * factor).isFinite else {
                skipped.add(
                    cell: row[part.index].withoutBlanks, of: header[part.index].withoutBlanks,
                    line: csv.line, reason: "is not possible")
                continue
            }
            if position?.take(role, part.value * factor) == nil {
                // The satellites' speed without a position.
                let channel = try channels[part.index] ?? channel(named, nil, &table)
                channels[part.index] = channel
                if let item = measured(part.value, channel, .signal(named)) { items.append(item) }
            }
        }
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

    /// The time of a row.
    private mutating func moment(of row: [String], _ columns: WideColumns) throws -> UTC {
        if let index = columns.otherClock { time.takeOther(row[index].withoutBlanks) }
        var text = row[columns.time].withoutBlanks
        if let day = columns.day, DateText.timeOfDay(text) != nil, !row[day].withoutBlanks.isEmpty {
            text = row[day].withoutBlanks + " " + text
        }
        if let zone = columns.zone, CSVNumber.decimal(text) == nil,
            DateText(text)?.zone ?? DateText.timeOfDay(text)?.zone == nil
        {
            text += " " + zone
        }
        guard let found = time.utc(text, line: csv.line) else {
            throw time.fault(text, line: csv.line)
        }
        return found
    }

    /// Takes what a cell shows about the decimal sign.
    private mutating func note(_ cell: String, _ index: Int, isAside: Bool = false) {
        guard NumberGrammar.mayShow(cell, showsPoint: showsPoint[index]) else { return }
        let channel = channels[index]
        grammar.take(
            CSVNumber.measure(cell)?.digits ?? cell, of: header[index], isAside: isAside
        ) { number in
            channel?.limits?.contains(channel?.conversion?(number) ?? number) ?? true
        }
        showsPoint[index] = grammar.showsPoint(header[index])
    }

    /// Counts a cell without a number, unless the program writes it for a missing value.
    private mutating func leaveOut(_ cell: String, _ index: Int, _ profile: LogProfile) {
        guard !profile.noValue.contains(cell.lowercased()) else { return }
        skipped.add(cell: cell, of: header[index].withoutBlanks, line: csv.line)
    }

    /// The reading of a cell; nil if it should be a number and is not.
    private mutating func reading(
        _ cell: String, _ index: Int, _ content: WideColumns.Content, _ table: inout ImportTable
    ) throws -> DiagnosticItem? {
        guard let usual = channels[index] else { return nil }
        if usual.isFlag, let isOn = ["true": true, "1": true, "false": false, "0": false][cell] {
            return Self.item(usual, usual.signal, .flag(isOn))
        }
        // `9E2` may be a name, where text is possible.
        if let number = CSVNumber.decimal(cell, rules[index])
            ?? (usual.text == nil ? CSVNumber.bareExponent(cell) : nil)
        {
            return measured(number, usual, content)
        }
        // python-OBD prints the unit after the value: `21 degree_Celsius`. `7F` and `4A` may be hexadecimal
        // numbers, unless the column has temperatures or currents.
        if let (digits, unit) = CSVNumber.measure(cell),
            usual.unit == unit.unit || !cell.allSatisfy(\.isHexDigit)
        {
            guard let value = CSVNumber.decimal(digits, rules[index]),
                let channel = try channel(index, content, unit, &table)
            else { return nil }
            return measured(value, channel, content)
        }
        if usual.unit == "s", usual.dataID != nil, let passed = LogClock.duration(cell) {
            return measured(passed, usual, content)
        }
        // A number that is too large for Double is not a measurement, and neither is one that may be two.
        let isNumber =
            CSVReader.number(cell)?.isInfinite == true || CSVNumber.decimal(cell) != nil
        guard !isNumber, let text = usual.text else { return nil }
        return Self.item(usual, text, .text(CSVReader.undefused(cell)))
    }

    /// The degrees of a coordinate in degrees and minutes, such as `-3 51.24659`; nil for anything else.
    private static func degrees(_ cell: String) -> Double? {
        let parts = cell.split(separator: " ")
        guard parts.count == 2, let whole = Int(parts[0]), (-180...180).contains(whole),
            let minutes = CSVNumber.decimal(String(parts[1])), (0..<60).contains(minutes)
        else { return nil }
        let size = Double(abs(whole)) + minutes / 60
        return parts[0].hasPrefix("-") ? -size : size
    }

    private mutating func measured(
        _ value: Double, _ channel: Channel, _ content: WideColumns.Content
    ) -> DiagnosticItem? {
        let metric = channel.conversion.map { $0(value) } ?? value
        // The conversion may overflow.
        guard metric.isFinite else { return nil }
        if let limits = channel.limits, !limits.contains(metric), case .signal(let named) = content,
            source.names[named.name] == nil
        {
            misnamed.insert(named.name)
        }
        return Self.item(channel, channel.signal, .number(metric))
    }

    private static func item(
        _ channel: Channel, _ signal: SignalIndex, _ value: Reading.Value
    ) -> DiagnosticItem {
        .reading(
            Reading(
                ecu: channel.ecu, dataID: channel.dataID, signal: signal, value: value,
                raw: InlineBytes(), line: 0))
    }
}

extension LogProfile.Role {
    /// Whether a part of a position can have a value; phones write -1 for a speed that they do not know.
    fileprivate func allows(_ value: Double) -> Bool {
        switch self {
        case .course: (0...360).contains(value)
        case .speed, .accuracy: value >= 0
        default: true
        }
    }
}

extension Position {
    /// Takes a part in its metric unit.
    fileprivate mutating func take(_ role: LogProfile.Role, _ value: Double) {
        switch role {
        case .altitude: altitude = value
        case .course: course = value == 360 ? 0 : value
        case .speed: speed = value
        case .accuracy: accuracy = value
        case .latitude, .longitude, .nothing: break
        }
    }
}

extension Signal {
    /// The values that a rounded and converted number of this signal can have; nil if unlimited.
    var possibleValues: ClosedRange<Double>? {
        valueRange.map { $0.lowerBound - step * 1.01...$0.upperBound + step * 1.01 }
    }
}
