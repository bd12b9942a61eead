import OBDCore
import TripExport

/// A CSV file to import: reading ends, its lines are counted, and what is written again is read the same.
func readCSV(_ input: [UInt8]) {
    var csv = CSVReader(input)
    var last = 0
    // What an import would do: separators tell cells apart only where the heading has some.
    var written = Array("heading,of two\r\n".utf8)
    var rows: [[String]] = []
    while let row = csv.next() {
        require(csv.line > last, "line \(csv.line) after \(last)")
        last = csv.line
        // Steering characters are made visible where they are written.
        guard row.allSatisfy(isPlain) else { continue }
        rows.append(row)
        CSVRow.append(row, to: &written)
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
        !SteeringText.contains($0) || ["\t", "\r", "\n"].contains($0)
    }
}

/// A line of JSON to import: an object or none, its numbers finite, and no part of it is one.
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
