import OBDCore

/// The lines of a text file in UTF-8, else in Windows-1252; a byte order mark shows UTF-16.
struct SourceLines {
    /// The lines without line ends.
    private(set) var lines: [String] = []

    init(_ bytes: [UInt8]) {
        var body = bytes[...]
        if let text = Self.utf16(bytes) { body = Array(text.utf8)[...] }
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { body = body.dropFirst(3) }
        // Old Macs ended lines with a carriage return alone.
        let end: UInt8 = body.contains(0x0A) ? 0x0A : 0x0D
        for line in body.split(separator: end, omittingEmptySubsequences: false) {
            var cut = line
            while cut.last == 0x0D { cut.removeLast() }
            lines.append(Self.text(cut))
        }
    }

    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Windows1252.character(byte)) }
        return String(text)
    }

    /// The text of a file that begins with a byte order mark of UTF-16; nil for any other file.
    private static func utf16(_ bytes: [UInt8]) -> String? {
        let isLittle = bytes.starts(with: [0xFF, 0xFE])
        guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// The cells of a line of comma-separated values, without surrounding blanks.
    ///
    /// Quotes may follow blanks, be inside a cell, or be doubled.
    static func cells(_ line: String) -> [String] {
        let bytes = Array(line.utf8)
        var cells: [String] = []
        var place = 0
        func isBlank(_ index: Int) -> Bool {
            index < bytes.count && (bytes[index] == 0x20 || bytes[index] == 0x09)
        }
        /// Whether only blanks come before the next comma.
        func ends(_ index: Int) -> Bool {
            var index = index
            while isBlank(index) { index += 1 }
            return index >= bytes.count || bytes[index] == 0x2C
        }
        while true {
            while isBlank(place) { place += 1 }
            var cell: [UInt8] = []
            if place < bytes.count, bytes[place] == 0x22 {
                place += 1
                while place < bytes.count {
                    guard bytes[place] == 0x22 else {
                        cell.append(bytes[place])
                        place += 1
                        continue
                    }
                    if ends(place + 1) {
                        place += 1
                        break
                    }
                    cell.append(0x22)
                    place += 1
                    if place < bytes.count, bytes[place] == 0x22 {
                        place += 1
                        if ends(place) { break }
                    }
                }
            }
            while place < bytes.count, bytes[place] != 0x2C {
                cell.append(bytes[place])
                place += 1
            }
            var text = Text.trimmed(String(decoding: cell, as: UTF8.self))
            // The cell was quoted twice, so the inner quotes are part of the text.
            if text.utf8.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
                text = Text.trimmed(String(text.dropFirst().dropLast()))
            }
            cells.append(text)
            guard place < bytes.count, cells.count < 64 else { return cells }
            place += 1
        }
    }
}

extension Text {
    /// The text without blanks at both ends.
    static func trimmed(_ text: String) -> String {
        var cut = text[...]
        while let first = cut.first, first.isWhitespace { cut.removeFirst() }
        while let last = cut.last, last.isWhitespace { cut.removeLast() }
        return String(cut)
    }
}
