import Formats
import OBDCore

/// Reads the JSON Lines that obdscan writes.
struct JSONImport: ImportReader {
    /// The last line that was read, from 1.
    private var line = 0
    /// The beginning of an incomplete line.
    private var start: [UInt8] = []

    /// The size of the incomplete line; unit: bytes.
    var pending: Int { start.count }
    var pendingLine: Int { line + 1 }
    var endsInQuote: Bool { false }

    mutating func read(
        _ piece: ArraySlice<UInt8>, isLast: Bool, _ table: inout ImportTable,
        _ emit: (ImportEvent) throws -> Void
    ) throws {
        var rest = piece
        while let end = rest.firstIndex(of: 0x0A) {
            if start.isEmpty {
                try read(rest[..<end], &table, emit)
            } else {
                start += rest[..<end]
                try read(start[...], &table, emit)
                start.removeAll(keepingCapacity: true)
            }
            rest = rest[(end + 1)...]
        }
        start += rest
        if isLast, !start.isEmpty { try read(start[...], &table, emit) }
    }

    private mutating func read(
        _ text: ArraySlice<UInt8>, _ table: inout ImportTable, _ emit: (ImportEvent) throws -> Void
    ) throws {
        line += 1
        let isMarked = line == 1 && text.starts(with: [0xEF, 0xBB, 0xBF])
        let text = isMarked ? text.dropFirst(3) : text
        if text.allSatisfy({ $0 <= 0x20 }) { return }
        guard let object = JSONReader.object(text) else {
            throw ImportFault(line: line, reason: Self.reason(text))
        }
        if let event = try ImportedObject(object, line: line).event(&table) { try emit(event) }
    }

    /// Why a line is not a JSON object.
    private static func reason(_ text: ArraySlice<UInt8>) -> String {
        let numbers = text.split { !(($0 >= 0x30 && $0 <= 0x39) || "+-.eE".utf8.contains($0)) }
        let endless = numbers.first {
            $0.last.map { (0x30...0x39).contains($0) } ?? false
                && CSVReader.number(String(decoding: $0, as: UTF8.self))?.isInfinite == true
        }
        return endless.map { "\(String(decoding: $0, as: UTF8.self)) exceeds all numbers" }
            ?? "no JSON object"
    }
}
