import Diagnostics
import Formats
import OBDCore

/// Reads Car Scanner's logs with one row per reading: seconds, name, value, unit, optionally a
/// position.
struct CarScannerImport: CSVImport {
    /// The signals for a name and a unit.
    private struct Channel {
        var signal: SignalIndex
        /// The signal for cells with text; nil if all cells are numbers.
        var text: SignalIndex?
        var dataID: DataID?
        var conversion: ImportUnit.Conversion?
        /// The name and the possible values of a PID.
        var limits: (name: String, values: ClosedRange<Double>)?
    }

    private struct Key: Hashable {
        var name: String
        var unit: String
    }

    var csv = CSVReader()
    private(set) var skipped = SkippedLines()
    var skipsCutRow: Bool { true }
    private var time: LogClock
    var clock: LogClock? { time }
    private(set) var misnamed: Set<String> = []
    var mayTranslate: Bool { true }
    private(set) var grammar = NumberGrammar(isCommaSeparated: false)
    private let source: ImportSource
    private var header: [String] = []
    private var channels: [Key: Channel] = [:]
    /// Whether the first row has shown from when its seconds count.
    private var hasBegun = false
    /// Whether the last heading has rows with a time.
    private var hasRows = false
    private var lastPlace: Position?

    init(_ time: LogClock, _ source: ImportSource) {
        self.time = time
        self.time.form = .sinceStart(second: 1)
        self.source = source
    }

    /// Whether a row is the heading of such a file.
    static func isHeading(_ row: [String]) -> Bool {
        let names = row.map { $0.withoutBlanks.lowercased() }
        return names.starts(with: ["seconds", "pid", "value", "units"])
    }

    mutating func skip(_ fault: ImportFault) { skipped.add(fault) }

    mutating func read(
        row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        if Self.isHeading(row) {
            time.partBegins()
            hasRows = false
            header = row.map { $0.withoutBlanks.lowercased() }
            try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
            return
        }
        guard row.count >= 4, let seconds = seconds(row[0].withoutBlanks) else {
            return skipped.add(
                ImportFault(line: csv.line, reason: "not seconds, name, value and unit"))
        }
        guard let moment = try moment(seconds) else {
            return skipped.add(
                ImportFault(line: csv.line, reason: "\"\(row[0])\" is not a time in seconds"))
        }
        if time.hasRestarted, hasRows { try emit(.trip(name: nil, tags: [], vin: nil, start: nil)) }
        hasRows = true
        let name = row[1].withoutBlanks
        let channel = try channel(name, row[3].withoutBlanks, &table)
        if let item = item(row[2].withoutBlanks, name, channel) {
            try emit(.entry(.items([item]), at: moment))
        }
        if let place = place(row), place != lastPlace {
            lastPlace = place
            try emit(.entry(.position(place), at: moment))
        }
    }

    private mutating func seconds(_ cell: String) -> Double? {
        grammar.take(cell, of: header.first ?? "", isAside: true)
        return CSVNumber.decimal(cell)
    }

    /// The time for seconds since midnight or the start of the program; more of them than days have count
    /// from 1970.
    private mutating func moment(_ seconds: Double) throws -> UTC? {
        if seconds > 1e8 { return time.utc("\(seconds)", line: csv.line) }
        guard let beginning = time.beginning else { throw ImportFault.noDay(line: csv.line) }
        if !hasBegun {
            hasBegun = true
            if Self.countsFromMidnight(seconds, beginning) { time.countFromMidnight() }
        }
        return time.afterBeginning(seconds, line: csv.line)
    }

    /// Whether the seconds of the first row count from midnight; in logs of 2019 the seconds count from the
    /// start of the program.
    ///
    /// The time in the file name shows which: if they count from midnight, it is near the time of the first
    /// row, which may be after the next midnight.
    private static func countsFromMidnight(_ seconds: Double, _ beginning: WallClock) -> Bool {
        guard let began = beginning.seconds else { return true }
        return abs(seconds - began) < 3600 || (0..<120).contains(seconds + 86_400 - began)
    }

    private mutating func channel(
        _ name: String, _ unit: String, _ table: inout ImportTable
    ) throws -> Channel {
        let key = Key(name: name, unit: unit)
        if let found = channels[key] { return found }
        let known =
            if let given = source.names[name] {
                table.known(given)
            } else {
                source.findings.misnamed.contains(name)
                    ? nil : table.known(name, pid: WideNames.pid(name))
            }
        let conversion = table.conversion(unit, of: known?.signal)
        if conversion == nil, ImportUnit.isAmbiguous(unit) {
            throw table.fault(unit, of: name, line: csv.line)
        }
        let channel: Channel
        if let known, unit.isEmpty || conversion?.unit == known.signal.unit {
            let signal = known.signal
            channel = Channel(
                signal: table.place(
                    signal.id, signal.name, signal.unit,
                    signal.kind == .number ? .number : .text),
                text: table.textPlace(signal),
                dataID: known.dataID, conversion: conversion,
                limits: signal.possibleValues.map { (name, $0) })
        } else {
            let other = known == nil ? conversion : ImportUnit.conversion(unit)
            let shown = other?.unit ?? unit
            channel = Channel(
                signal: table.place(name, name, shown, .number),
                text: table.textPlace(name, unit: shown), dataID: nil, conversion: other)
        }
        // A file of random data may have as many names as rows.
        if channels.count > 10_000 { channels.removeAll() }
        channels[key] = channel
        return channel
    }

    private mutating func item(
        _ cell: String, _ name: String, _ channel: Channel
    ) -> DiagnosticItem? {
        if cell.isEmpty { return nil }
        grammar.take(cell, of: name) { number in
            channel.limits?.values.contains(channel.conversion?(number) ?? number) ?? true
        }
        let rule = source.findings.numbers?.rule(name) ?? grammar.usual
        let value: Reading.Value
        let signal: SignalIndex
        if let plain = CSVNumber.decimal(cell, rule)
            ?? (channel.text == nil ? CSVNumber.bareExponent(cell) : nil),
            case let number = channel.conversion.map({ $0(plain) }) ?? plain, number.isFinite
        {
            (value, signal) = (.number(number), channel.signal)
            if let limits = channel.limits, !limits.values.contains(number) {
                misnamed.insert(limits.name)
            }
        } else if CSVNumber.decimal(cell) == nil, !LogProfile.isNothing(cell),
            CSVReader.number(cell) == nil, let text = channel.text
        {
            (value, signal) = (.text(CSVReader.undefused(cell)), text)
        } else {
            skipped.add(cell: cell, of: name, line: csv.line)
            return nil
        }
        return .reading(
            Reading(
                ecu: nil, dataID: channel.dataID, signal: signal, value: value, raw: InlineBytes(),
                line: 0))
    }

    /// The position of a row; the program spells its heading LONGTITUDE.
    private mutating func place(_ row: [String]) -> Position? {
        func number(_ name: String) -> Double? {
            guard let column = header.firstIndex(of: name), column < row.count,
                case let cell = row[column].withoutBlanks, !cell.isEmpty
            else { return nil }
            let number = CSVNumber.decimal(cell)
            if number == nil { skipped.add(cell: cell, of: name, line: csv.line) }
            return number
        }
        guard let latitude = number("latitude"),
            let longitude = number("longtitude") ?? number("longitude")
        else { return nil }
        return skipped.position(latitude, longitude, line: csv.line)
    }
}
