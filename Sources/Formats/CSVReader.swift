/// Reads the rows of CSV (RFC 4180) with CR LF or LF from a file in pieces.
///
/// Cells are separated by commas, else by semicolons, else by tabs: the first line decides. A row
/// with an unclosed quote is not returned: ``endsInQuote``.
public struct CSVReader {
    private var bytes: [UInt8] = []
    private var place = 0
    private var isFinished = false
    private var nextLine = 1
    /// Nil until the first line is complete.
    private var separator: UInt8?
    /// The first line of the last row, from 1.
    public private(set) var line = 0

    // The current row.
    private var hasBegun = false
    private var cells: [String] = []
    private var cell: [UInt8] = []
    /// Whether the position is within quotes; with `sawQuote`, the last byte was the closing quote
    /// or the first of two.
    private var isQuoted = false
    private var sawQuote = false

    /// A reader of a file in pieces, see ``append(_:)``.
    public init() {}

    /// A reader of a whole file.
    public init(_ bytes: [UInt8]) {
        append(bytes[...])
        finish()
    }

    /// Whether numbers may have a decimal comma, because commas do not separate cells.
    public var hasDecimalComma: Bool { separator.map { $0 != 0x2C } ?? false }

    /// Whether the file ended within a quote; ``line`` is the line of its row.
    public var endsInQuote: Bool {
        isFinished && place == bytes.count && hasBegun && isQuoted && !sawQuote
    }

    /// Whether the file ended within a quote that was opened on its last line.
    public var endsInCutRow: Bool { endsInQuote && nextLine == line }

    /// The size of the buffered incomplete row; unit: bytes.
    public var pending: Int { cell.count + cells.count + bytes.count - place }

    /// Adds the next piece of the file.
    public mutating func append(_ piece: ArraySlice<UInt8>) {
        if place > 0 {
            bytes.removeFirst(place)
            place = 0
        }
        bytes += piece
        if separator == nil, piece.contains(0x0A) { begin() }
    }

    /// Marks the end of the file.
    public mutating func finish() {
        isFinished = true
        if separator == nil { begin() }
    }

    /// Skips a byte order mark and finds the separator.
    private mutating func begin() {
        place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = bytes.prefix { $0 != 0x0A }
        var isQuoted = false
        let outside = first.filter { byte in
            if byte == 0x22 { isQuoted.toggle() }
            return !isQuoted
        }
        // Spreadsheets in many European countries use semicolons.
        let separators: [UInt8] = [0x2C, 0x3B, 0x09]
        separator =
            separators.first(where: outside.contains)
            ?? separators.first(where: first.contains) ?? 0x2C
    }

    /// The next complete and non-empty row; nil if there is none yet.
    public mutating func next() -> [String]? {
        guard let separator else { return nil }
        while let row = row(separator) {
            if row != [""] { return row }
        }
        return nil
    }

    private mutating func row(_ separator: UInt8) -> [String]? {
        if !hasBegun, place < bytes.count {
            line = nextLine
            hasBegun = true
        }
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == 0x0A { nextLine += 1 }
            if isQuoted {
                if sawQuote, byte == 0x22 {
                    cell.append(0x22)
                    sawQuote = false
                    continue
                }
                if !sawQuote {
                    if byte == 0x22 { sawQuote = true } else { cell.append(byte) }
                    continue
                }
                (isQuoted, sawQuote) = (false, false)
            } else if byte == 0x22, cell.allSatisfy({ $0 == 0x20 }) {
                // Some programs write a blank after the separator.
                cell.removeAll(keepingCapacity: true)
                isQuoted = true
                continue
            }
            switch byte {
            case separator: endCell()
            case 0x0A: return endRow()
            default: cell.append(byte)
            }
        }
        return isFinished && hasBegun && !endsInQuote ? endRow() : nil
    }

    private mutating func endCell() {
        cells.append(String(decoding: cell, as: UTF8.self))
        cell.removeAll(keepingCapacity: true)
    }

    private mutating func endRow() -> [String] {
        if cell.last == 0x0D { cell.removeLast() }
        endCell()
        defer { (cells, hasBegun, isQuoted, sawQuote) = ([], false, false, false) }
        return cells
    }

    /// The number in a cell; nil for any other text.
    ///
    /// `Double(_:)` alone would ignore everything from a NUL on.
    public static func number(_ cell: String) -> Double? {
        cell.utf8.contains(0) ? nil : Double(cell)
    }

    /// The text without the apostrophe that protects it from spreadsheets.
    public static func undefused(_ text: String) -> String {
        let bytes = text.utf8.prefix(2)
        guard bytes.first == 0x27, let second = bytes.dropFirst().first,
            [0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D].contains(second)
        else { return text }
        return String(text.dropFirst())
    }
}
