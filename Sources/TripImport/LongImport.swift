import Formats
import OBDCore

/// Reads the CSV with a line per reading that obdscan writes.
struct LongImport: CSVImport {
    var csv = CSVReader()
    private var header: [String]?
    /// What the last line says of its trip.
    private var trip: JSONValue?
    /// The vehicle that the lines tell.
    private var vin: VIN?

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
        }
        let object = ImportedObject(keys, line: csv.line)
        // Our own lines have no column for it, but what the vehicle said when it was asked.
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

    /// The cells of a row as the object of JSON Lines that says the same.
    private func keys(
        _ header: [String], _ row: [String], _ table: ImportTable
    ) throws -> [String: JSONValue] {
        var keys: [String: JSONValue] = [:]
        for (name, cell) in zip(header, row) where !cell.isEmpty {
            keys[name] = .string(CSVReader.undefused(cell))
        }
        keys["value"] = Self.value(keys, table)
        for name in ["code", "frame"] {
            guard let text = keys[name]?.string else { continue }
            guard let number = CSVReader.number(text) else {
                throw ImportFault(line: csv.line, reason: "\(name) \"\(text)\" is not a number")
            }
            keys[name] = .number(number)
        }
        return keys
    }

    /// CSV does not tell numbers from text; the signal does, or the text itself.
    private static func value(_ keys: [String: JSONValue], _ table: ImportTable) -> JSONValue {
        guard let text = keys["value"]?.string else { return .null }
        let kind = keys["signal"]?.string.flatMap { table.known($0)?.signal.kind }
        switch kind {
        case .text, .code, .bytes: return .string(text)
        case .number, .flag, .enumeration, .supportMap, nil: break
        }
        if keys["code"] != nil { return .string(text) }
        if text == "true" || text == "false" { return .bool(text == "true") }
        // "inf", "nan" and "0x10" are not decimals.
        let isDecimal = text.utf8.allSatisfy { $0 < 0x3A || $0 == 0x65 || $0 == 0x45 }
        guard isDecimal, let number = CSVReader.number(text) else { return .string(text) }
        // What no number can be that large was not measured.
        return number.isFinite ? .number(number) : .null
    }
}
