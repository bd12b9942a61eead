import Diagnostics
import OBDCore
import TripExport

/// Reads tables with a column a signal: Torque's logs, those of scripts around python-OBD, our own.
struct WideImport {
    /// A column that readings come from, prepared once.
    private struct Channel {
        var signal: SignalIndex
        var text: SignalIndex
        var ecu: ECUAddress?
        var dataID: DataID?
        var conversion: ImportUnit.Conversion?
    }

    private(set) var csv = CSVReader()
    private let time: WideTime
    private var header: [String] = []
    private var columns: WideColumns?
    private var channels: [Channel?] = []
    /// The vehicle of the trip, once a row has told it.
    private var vin: VIN?

    init(_ time: WideTime) { self.time = time }

    mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        csv.append(piece)
        if isLast { csv.finish() }
        while let row = csv.next() {
            guard let columns else {
                guard try begin(row, &table, emit) else {
                    throw ImportFault(line: csv.line, reason: "no column holds a time")
                }
                continue
            }
            // Torque writes its heading again when it goes on, perhaps with other columns.
            if row.count > 1, row[0].withoutBlanks == header[0].withoutBlanks,
                try begin(row, &table, emit)
            {
                continue
            }
            guard row.count == columns.contents.count else {
                throw ImportFault(
                    line: csv.line,
                    reason: "\(row.count) cells, the heading has \(columns.contents.count)")
            }
            try read(row, columns, emit)
        }
    }

    /// Begins a trip with a heading; false where the row is none.
    private mutating func begin(
        _ row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws -> Bool {
        guard let found = WideColumns(row) else { return false }
        channels = try Self.prepare(found, &table, line: csv.line)
        (header, columns) = (row, found)
        vin = nil
        try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        return true
    }

    private static func prepare(
        _ columns: WideColumns, _ table: inout ImportTable, line: Int
    ) throws -> [Channel?] {
        try columns.contents.map { content in
            if case .vin = content {
                let text = table.place("VIN", "Vehicle identification number", "", .text)
                return Channel(signal: text, text: text, ecu: nil, dataID: nil, conversion: nil)
            }
            guard case .signal(let ecu, let name, let unit, let pid) = content else { return nil }
            let known = pid.flatMap { table.known(pid: $0) } ?? table.known(name)
            let conversion = table.conversion(unit, of: known?.signal)
            if conversion == nil, ImportUnit.isAmbiguous(unit) {
                throw ImportFault(line: line, reason: table.fault(unit, of: name))
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

    private mutating func read(
        _ row: [String], _ columns: WideColumns, _ emit: (ImportEvent) throws -> Void
    ) throws {
        var moment: UTC?
        var numbers: [Double?] = []
        numbers.reserveCapacity(row.count)
        for (cell, content) in zip(row, columns.contents) {
            if case .time = content {
                guard let found = time.utc(cell.withoutBlanks) else {
                    throw ImportFault(line: csv.line, reason: "time \"\(cell)\" is no date")
                }
                moment = found
            }
            numbers.append(Self.number(cell, hasDecimalComma: csv.hasDecimalComma))
        }
        guard let moment else { return }
        let isNewVehicle = try takeVehicle(row, columns, at: moment, emit)
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
            case .altitude(let metres): altitude = value.map { $0 * metres }
            case .course: course = value.flatMap { (0..<360).contains($0) ? $0 : nil }
            case .groundSpeed: speed = value.flatMap { $0 >= 0 ? $0 * 3.6 : nil }
            case .voltage: if let value { try emit(.entry(.voltage(value), at: moment)) }
            case .vin:
                // What every row repeats is one reading.
                let isKnown = VIN(row[index].withoutBlanks) != nil && !isNewVehicle
                guard !isKnown, let channel = channels[index],
                    let item = Self.reading(row[index].withoutBlanks, nil, channel)
                else { continue }
                items.append(item)
            case .signal:
                guard let channel = channels[index],
                    let item = Self.reading(row[index].withoutBlanks, value, channel)
                else { continue }
                items.append(item)
            }
        }
        if !items.isEmpty { try emit(.entry(.items(items), at: moment)) }
        // No fix is written as 0, 0 by some.
        if let latitude, let longitude, latitude != 0 || longitude != 0 {
            guard var position = Position(latitude: latitude, longitude: longitude) else {
                throw ImportFault(
                    line: csv.line, reason: "\(latitude), \(longitude) is no place on earth")
            }
            (position.altitude, position.course, position.speed) = (altitude, course, speed)
            try emit(.entry(.position(position), at: moment))
        }
    }

    /// Tells the vehicle of a row; another one than before has a trip of its own.
    private mutating func takeVehicle(
        _ row: [String], _ columns: WideColumns, at moment: UTC,
        _ emit: (ImportEvent) throws -> Void
    ) throws -> Bool {
        let before = vin
        for (cell, content) in zip(row, columns.contents) {
            guard case .vin = content, let found = VIN(cell.withoutBlanks), found != vin else {
                continue
            }
            if vin != nil { try emit(.trip(name: nil, tags: [], vin: nil, start: nil)) }
            vin = found
            try emit(.entry(.vehicle(found), at: moment))
        }
        return vin != before
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
        return CSVReader.number(first).flatMap { $0.isFinite ? $0 : nil }
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
        let metric = conversion.map { $0(value) } ?? value
        // A unit may take a number beyond all numbers.
        return metric.isFinite ? reading(channel.signal, .number(metric)) : nil
    }
}
