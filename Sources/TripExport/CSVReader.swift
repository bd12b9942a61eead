/// Reads the rows of CSV (RFC 4180), CR LF or LF, one after the other.
///
/// Cells are separated by commas, or by semicolons where the first line has these alone. A quote that
/// is never closed takes the rest of the file into its cell.
public struct CSVReader {
    private let bytes: [UInt8]
    private var place: Int
    private var nextLine = 1
    private let separator: UInt8
    /// The line that the last row began on, from 1.
    public private(set) var line = 0

    /// A reader of a whole file; a byte order mark is passed over.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
        place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes.prefix { $0 != 0x0A }
        // Spreadsheets of half of Europe write semicolons.
        separator = first.contains(0x2C) || !first.contains(0x3B) ? 0x2C : 0x3B
    }

    /// Whether numbers may have a comma: it separates no cells.
    public var hasDecimalComma: Bool { separator == 0x3B }

    /// The next row that is not empty; nil at the end.
    public mutating func next() -> [String]? {
        while place < bytes.count {
            line = nextLine
            let row = row()
            if row != [""] { return row }
        }
        return nil
    }

    private mutating func row() -> [String] {
        var cells: [String] = []
        var cell: [UInt8] = []
        var isQuoted = false
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == 0x0A { nextLine += 1 }
            if isQuoted {
                if byte != 0x22 {
                    cell.append(byte)
                } else if place < bytes.count, bytes[place] == 0x22 {
                    cell.append(0x22)
                    place += 1
                } else {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case 0x22 where cell.isEmpty: isQuoted = true
            case separator:
                cells.append(String(decoding: cell, as: UTF8.self))
                cell.removeAll(keepingCapacity: true)
            case 0x0A:
                if cell.last == 0x0D { cell.removeLast() }
                cells.append(String(decoding: cell, as: UTF8.self))
                return cells
            default: cell.append(byte)
            }
        }
        if cell.last == 0x0D { cell.removeLast() }
        cells.append(String(decoding: cell, as: UTF8.self))
        return cells
    }

    /// Text as it was before an apostrophe defused it for spreadsheets.
    public static func undefused(_ text: String) -> String {
        let bytes = text.utf8.prefix(2)
        guard bytes.first == 0x27, let second = bytes.dropFirst().first,
            [0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D].contains(second)
        else { return text }
        return String(text.dropFirst())
    }
}
