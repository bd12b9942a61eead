import Diagnostics
import Formats
import OBDCore
import TripImport

/// A CSV file to import: reading must end, line numbers must increase, and written rows must be
/// read back.
func readCSV(_ input: [UInt8]) {
    var csv = CSVReader(input)
    var last = 0
    // Use a heading as in an import, because the separator is detected in the heading.
    var written = Array("heading,of two\r\n".utf8)
    var rows: [[String]] = []
    while let row = csv.next() {
        require(csv.line > last, "line \(csv.line) after \(last)")
        last = csv.line
        // Control characters are made visible when they are written, so such rows differ.
        guard row.allSatisfy(isPlain) else { continue }
        rows.append(row)
        for (place, cell) in row.enumerated() {
            if place > 0 { written.append(0x2C) }
            FieldValue.text(cell).appendCSV(to: &written)
        }
        written += Array("\r\n".utf8)
    }
    require(last <= input.count { $0 == 0x0A } + 1, "line \(last) of too few")
    var again = CSVReader(written)
    require(again.next() == ["heading", "of two"], "another heading")
    for row in rows {
        let read = again.next()?.map(CSVReader.undefused)
        require(read == row.map(CSVReader.undefused), "\(row) became \(read ?? [])")
    }
    require(again.next() == nil, "a row more than was written")
}

private func isPlain(_ cell: String) -> Bool {
    cell.unicodeScalars.allSatisfy {
        !ControlCharacters.contains($0) || ["\t", "\r", "\n"].contains($0)
    }
}

/// A line of JSON to import: an object with finite numbers, or none; a part of an object is not
/// one.
func readJSON(_ input: [UInt8]) {
    guard let object = JSONReader.object(input[...]) else { return }
    require(object.values.allSatisfy(isFinite), "a number that is none")
    require(JSONReader.object([0x20] + input + [0x0A]) == object, "blanks around it matter")
    guard let end = input.lastIndex(of: 0x7D) else { fatalError("an object without an end") }
    require(JSONReader.object(input[..<end]) == nil, "an object without its end")
}

private func isFinite(_ value: JSONValue) -> Bool {
    switch value {
    case .number(let number): number.isFinite
    case .array(let values): values.allSatisfy(isFinite)
    case .object(let values): values.values.allSatisfy(isFinite)
    case .null, .bool, .string: true
    }
}

/// A file to import: pieces of any size must give the same result, and all values must be
/// plausible.
func readImport(_ input: [UInt8]) {
    var cutter = Cutter(input)
    let size = Int(cutter.byte())
    let file = cutter.rest()
    guard let format = ImportFormat(file) else { return }
    let whole = ImportRun(format, file, pieces: max(file.count, 1))
    let pieces = ImportRun(format, file, pieces: size % 32 + 1)
    require(whole.said == pieces.said, "pieces say something else")
    require(whole.fault == pieces.fault, "\(String(describing: pieces.fault)) in pieces")
    if let fault = whole.fault {
        // A line may end with a carriage return alone.
        let lines = file.count { $0 == 0x0A || $0 == 0x0D } + 1
        require((1...lines).contains(fault.line), "a fault in line \(fault.line) of \(lines)")
        require(!fault.reason.isEmpty, "a fault without words")
    }
}

/// Shared, because collecting the names of all signals takes longer than reading most files.
private let emptyTable = ImportTable(Tables.standard)

/// The result of a file up to its first fault.
private struct ImportRun {
    private(set) var said: [String] = []
    private(set) var fault: ImportFault?

    init(_ format: ImportFormat, _ file: [UInt8], pieces size: Int) {
        var reader = TripFileReader(format, emptyTable) { wall, _ in [wall] }
        do {
            for start in stride(from: 0, to: file.count, by: size) {
                try reader.read(file[start..<min(start + size, file.count)]) { take($0) }
            }
            try reader.finish { take($0) }
        } catch {
            fault = error as? ImportFault
            require(fault != nil, "another error than a fault: \(error)")
        }
        require(reader.table.table.signals.count == reader.table.count, "signals without a place")
    }

    private mutating func take(_ event: ImportEvent) {
        said.append("\(event)")
        guard case .entry(let entry, _) = event else { return }
        switch entry {
        case .position(let position):
            require(
                abs(position.latitude) <= 90 && abs(position.longitude) <= 180,
                "no place on earth")
        case .voltage(let volts): require(volts.isFinite, "a voltage of \(volts)")
        case .items(let items):
            for case .reading(let reading) in items {
                if case .number(let number) = reading.value {
                    require(number.isFinite, "a value of \(number)")
                }
            }
        case .codeList(_, _, let codes): require(codes >= 0, "\(codes) codes")
        case .event, .note, .vehicle, .together, .held, .settleHeld: break
        }
    }
}
