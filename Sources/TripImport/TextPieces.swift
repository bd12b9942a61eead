import OBDCore

/// Converts a text file to UTF-8 in pieces, from UTF-16 and Windows-1252.
///
/// A byte order mark shows UTF-16, and so do zeros in every second byte. In any other file the first bytes
/// that are not ASCII decide: they are UTF-8, or Windows-1252, which contains Latin-1. Carriage returns become line
/// feeds if no line feed ends the first line.
package struct TextPieces {
    private enum Encoding { case unknown, ascii, utf8, windows, littleEndian, bigEndian }
    private var encoding = Encoding.unknown
    /// Bytes that wait for the next piece: a beginning that is too short, or a part of a character.
    private var waiting: [UInt8] = []
    /// An odd byte at the end of the last piece in UTF-16.
    private var odd: UInt8?
    /// The first half of a surrogate pair.
    private var high: UInt16?
    /// Whether lines end with a carriage return alone, as on old Macs; nil before the first end of a line.
    private var endsWithReturn: Bool?
    /// Text that may be the first half of a line end.
    private var held: [UInt8] = []
    /// Zeros in every second of so many bytes show UTF-16.
    private static let lookAhead = 512

    /// Starts at the beginning of a file.
    package init() {}

    /// Converts a complete beginning of a file.
    static func decoded(_ beginning: [UInt8]) -> [UInt8] {
        var pieces = TextPieces()
        return Array(pieces.read(beginning[...], isLast: true))
    }

    /// Converts the next piece.
    package mutating func read(_ piece: ArraySlice<UInt8>, isLast: Bool) -> ArraySlice<UInt8> {
        withLineFeeds(decoded(piece, isLast: isLast), isLast: isLast)
    }

    // MARK: Line ends

    /// Replaces carriage returns in a file without line feeds; the first line end decides.
    ///
    /// Text in quotes may have carriage returns, so that those of other files are kept.
    private mutating func withLineFeeds(
        _ text: ArraySlice<UInt8>, isLast: Bool
    ) -> ArraySlice<UInt8> {
        if endsWithReturn == nil {
            var start = text
            if !held.isEmpty { (start, held) = ((held + text)[...], []) }
            guard let first = start.firstIndex(of: 0x0D), !start.contains(0x0A) else {
                if start.contains(0x0A) { endsWithReturn = false }
                return start
            }
            // A line feed may follow in the next piece.
            if first == start.endIndex - 1, !isLast {
                held = Array(start)
                return []
            }
            endsWithReturn = true
            return Self.replaced(start)
        }
        return endsWithReturn == true ? Self.replaced(text) : text
    }

    private static func replaced(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.map { $0 == 0x0D ? 0x0A : $0 }[...]
    }

    // MARK: Encodings

    private mutating func decoded(
        _ piece: ArraySlice<UInt8>, isLast: Bool
    ) -> ArraySlice<UInt8> {
        var piece = piece
        if !waiting.isEmpty {
            piece = waiting + piece
            waiting = []
        }
        if encoding == .unknown {
            guard piece.count >= Self.lookAhead || isLast else {
                waiting = Array(piece)
                return []
            }
            encoding = Self.encoding(piece)
        }
        if encoding == .ascii {
            guard let first = piece.firstIndex(where: { $0 >= 0x80 }) else { return piece }
            guard let isUTF8 = Self.isUTF8(piece[first...], isLast: isLast) else {
                waiting = Array(piece[first...])
                return piece[..<first]
            }
            encoding = isUTF8 ? .utf8 : .windows
        }
        switch encoding {
        case .unknown, .ascii, .utf8: return piece
        case .windows: return Self.windows(piece)
        case .littleEndian, .bigEndian: return utf16(piece, isLast: isLast)
        }
    }

    /// The encoding that a beginning shows.
    private static func encoding(_ piece: ArraySlice<UInt8>) -> Encoding {
        if piece.starts(with: [0xFF, 0xFE]) { return .littleEndian }
        if piece.starts(with: [0xFE, 0xFF]) { return .bigEndian }
        var zeros = (even: 0, odd: 0)
        let start = piece.prefix(lookAhead)
        for (place, byte) in start.enumerated() where byte == 0 {
            if place % 2 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
        }
        // Some adapters send single zeros, which are many among the bytes of a short text.
        let fewest = start.count < lookAhead ? 4 : 16
        guard (zeros.even + zeros.odd) * fewest >= start.count, start.count > 1 else {
            return .ascii
        }
        if zeros.even == 0 { return .littleEndian }
        return zeros.odd == 0 ? .bigEndian : .ascii
    }

    /// Whether the first character is UTF-8; nil if the piece ends within the character.
    private static func isUTF8(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Bool? {
        let length: Int
        switch bytes.first ?? 0 {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return false
        }
        let character = bytes.prefix(length)
        guard character.dropFirst().allSatisfy({ (0x80...0xBF).contains($0) }) else { return false }
        if character.count == length { return String(validating: character, as: UTF8.self) != nil }
        // A program that was ended may have written half a character.
        return isLast ? true : nil
    }

    // MARK: Windows-1252

    private static func windows(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        result.reserveCapacity(piece.count + piece.count / 8)
        for byte in piece {
            if byte < 0x80 {
                result.append(byte)
            } else {
                append(Windows1252.character(byte), to: &result)
            }
        }
        return result[...]
    }

    // MARK: UTF-16

    private mutating func utf16(_ piece: ArraySlice<UInt8>, isLast: Bool) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        result.reserveCapacity(piece.count / 2)
        for byte in piece {
            guard let first = odd else {
                odd = byte
                continue
            }
            odd = nil
            let unit =
                encoding == .littleEndian
                ? UInt16(byte) << 8 | UInt16(first) : UInt16(first) << 8 | UInt16(byte)
            append(unit, to: &result)
        }
        if isLast, odd != nil || high != nil {
            Self.append("\u{FFFD}", to: &result)
            (odd, high) = (nil, nil)
        }
        return result[...]
    }

    private mutating func append(_ unit: UInt16, to result: inout [UInt8]) {
        if let first = high {
            high = nil
            if (0xDC00..<0xE000).contains(unit) {
                let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
                Self.append(Unicode.Scalar(value) ?? "\u{FFFD}", to: &result)
                return
            }
            Self.append("\u{FFFD}", to: &result)
        }
        switch unit {
        case 0xD800..<0xDC00: high = unit
        // The byte order mark is not text.
        case 0xFEFF: break
        default: Self.append(Unicode.Scalar(unit) ?? "\u{FFFD}", to: &result)
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to result: inout [UInt8]) {
        result.append(contentsOf: Array(String(Character(scalar)).utf8))
    }
}
