public import Diagnostics
import Glibc
public import OBDCore

extension PIDTables {
    /// The embedded table with only the records that `isWanted` accepts.
    ///
    /// Other records are skipped without parsing: one record needs a fiftieth of the time for all.
    public static func excerpt(
        where isWanted: (DataID) -> Bool
    ) throws(TableError) -> PIDTable {
        var table = PIDTable()
        table.add(
            adapterVoltageID, name: Signal.adapterVoltage.name, length: 0...0,
            signals: [.adapterVoltage])
        for (path, contents) in embeddedTexts() {
            guard let text = TableExcerpt.text(of: contents, where: isWanted) else { continue }
            let file = TableFile(path: path, embedded: text)
            for record in try TableReader.records(of: file, detail: .decoding) {
                table.add(record)
            }
        }
        return table
    }
}

/// Extracts records from a table's text without parsing it.
enum TableExcerpt {
    /// The text before the first record of `contents`, which applies to all records, and the wanted records;
    /// nil if there are none.
    ///
    /// A record begins with a line that starts with the word `record`.
    static func text(of contents: StaticString, where isWanted: (DataID) -> Bool) -> [UInt8]? {
        contents.withUTF8Buffer { all in
            var kept: [UInt8]?
            var defaults = 0..<0
            // The start of the wanted records; nil while skipping.
            var wanted: Int?
            var sawRecord = false
            var start = 0
            while start < all.count {
                if isRecord(all, start) {
                    if !sawRecord { defaults = 0..<start }
                    sawRecord = true
                    if let first = wanted { kept?.append(contentsOf: all[first..<start]) }
                    wanted = nil
                    if let id = identifier(all, start), isWanted(id) {
                        if kept == nil { kept = Array(all[defaults]) }
                        wanted = start
                    }
                }
                start = endOfLine(all, start)
            }
            if let first = wanted { kept?.append(contentsOf: all[first...]) }
            return kept
        }
    }

    private static let keyword: StaticString = "record "

    private static func isRecord(_ all: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        // Most lines begin with a blank.
        guard all[start] == 0x72, all.count - start > keyword.utf8CodeUnitCount,
            let line = all.baseAddress
        else { return false }
        return memcmp(line + start, keyword.utf8Start, keyword.utf8CodeUnitCount) == 0
    }

    /// The identifier of the record whose line begins at `start`; nil if it has none, which is reported when
    /// the whole table is read.
    private static func identifier(_ all: UnsafeBufferPointer<UInt8>, _ start: Int) -> DataID? {
        var numbers: [UInt32] = [0]
        for byte in all[(start + keyword.utf8CodeUnitCount)...] {
            if byte == 0x3A {
                numbers.append(0)
            } else if let digit = Hex.value(byte) {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] << 4 | UInt32(digit)
            } else {
                break
            }
        }
        guard numbers.count == 2 else { return nil }
        return DataID(Service(UInt8(truncatingIfNeeded: numbers[0])), numbers[1])
    }

    /// The start of the next line after the one at `start`.
    private static func endOfLine(_ all: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        guard let first = all.baseAddress,
            let end = memchr(first + start, 0x0A, all.count - start)
        else { return all.count }
        return UnsafeRawPointer(first).distance(to: UnsafeRawPointer(end)) + 1
    }
}
