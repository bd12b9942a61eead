import Formats
import OBDCore

/// Reads obdscan's CSV with one line per reading.
struct LongImport: CSVImport {
    var csv = CSVReader()
    /// Converts times since the trip's start, and local ones.
    private var time: LogClock
    var clock: LogClock? { time }
    private var header: [String]?
    /// The trip in the last line.
    private var trip: JSONValue?
    private var vin: VIN?

    init(_ time: LogClock) { self.time = time }

    mutating func read(
        row: [String], _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        guard let header else {
            header = row
            return
        }
        if row == header { return }
        try check(row, has: header.count)
        let keys = try keys(header, row, table)
        if let number = keys["trip"], number != trip {
            (trip, vin) = (number, nil)
            try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        } else if time.hasRestarted {
            vin = nil
            try emit(.trip(name: nil, tags: [], vin: nil, start: nil))
        }
        let object = ImportedObject(keys, line: csv.line)
        // Our lines have no column for the VIN, but contain the vehicle's answer to the request for
        // it.
        if vin == nil, object.text("signal") == "VIN", let found = object.text("value"),
            let told = VIN(found)
        {
            vin = told
            try emit(.entry(.vehicle(told), at: try object.time()))
        }
        if let found = object.text("vin").flatMap({ VIN($0) }), found != vin {
            if vin != nil { try emit(.trip(name: nil, tags: [], vin: nil, start: nil)) }
            vin = found
            try emit(.entry(.vehicle(found), at: try object.time()))
        }
        if let event = try object.event(&table) { try emit(event) }
    }

    /// Converts the cells of a row to the equivalent JSON object.
    private mutating func keys(
        _ header: [String], _ row: [String], _ table: ImportTable
    ) throws -> [String: JSONValue] {
        var keys: [String: JSONValue] = [:]
        for (name, cell) in zip(header, row) where !cell.isEmpty {
            keys[name] = .string(CSVReader.undefused(cell))
        }
        keys["value"] = Self.value(keys, table)
        if let text = keys["time"]?.string, !text.hasSuffix("Z") {
            if time.needsDay(text) { throw ImportFault.noDay(line: csv.line) }
            // A time without a zone is a local one.
            guard let utc = time.utc(text, line: csv.line) else {
                throw time.fault(text, line: csv.line)
            }
            keys["time"] = .string(utc.text)
        }
        for name in ["code", "frame"] {
            guard let text = keys[name]?.string else { continue }
            guard let number = CSVReader.number(text) else {
                throw ImportFault(line: csv.line, reason: "\(name) \"\(text)\" is not a number")
            }
            keys[name] = .number(number)
        }
        return keys
    }

    /// CSV does not distinguish numbers from text, so use the kind of signal, or the text itself.
    private static func value(_ keys: [String: JSONValue], _ table: ImportTable) -> JSONValue {
        guard let text = keys["value"]?.string else { return .null }
        let kind = keys["signal"]?.string.flatMap { table.known($0)?.signal.kind }
        switch kind {
        case .text, .code, .bytes: return .string(text)
        case .number, .flag, .enumeration, .supportMap, nil: break
        }
        if keys["code"] != nil { return .string(text) }
        if text == "true" || text == "false" { return .bool(text == "true") }
        // Our exports have a decimal point; "inf", "nan", "0x10" and "7E8" are text.
        let isPlain = text.utf8.allSatisfy {
            $0 < 0x3A && $0 != 0x2C && $0 > 0x20 || $0 | 0x20 == 0x65
        }
        if isPlain, let number = CSVNumber.decimal(text) { return .number(number) }
        // A number that is too large for Double is not a measurement.
        return isPlain && CSVReader.number(text)?.isInfinite == true ? .null : .string(text)
    }
}
