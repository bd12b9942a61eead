/// Converts a file in UTF-16 to UTF-8 in pieces; other files pass unchanged.
package struct UTF16Pieces {
    private enum Encoding { case unknown, utf8, littleEndian, bigEndian }
    private var encoding = Encoding.unknown
    /// An odd byte at the end of the last piece.
    private var odd: UInt8?
    /// The first half of a surrogate pair.
    private var high: UInt16?

    /// A file of which nothing was read.
    package init() {}

    /// Converts a complete beginning of a file.
    static func decoded(_ beginning: [UInt8]) -> [UInt8] {
        var pieces = UTF16Pieces()
        return Array(pieces.read(beginning[...], isLast: true))
    }

    /// Converts the next piece.
    package mutating func read(_ piece: ArraySlice<UInt8>, isLast: Bool) -> ArraySlice<UInt8> {
        var piece = piece
        if encoding == .unknown {
            // The byte order mark has two bytes.
            if let odd {
                piece = [odd] + piece
                self.odd = nil
            }
            guard piece.count > 1 || isLast else {
                odd = piece.first
                return []
            }
            if piece.starts(with: [0xFF, 0xFE]) {
                encoding = .littleEndian
            } else if piece.starts(with: [0xFE, 0xFF]) {
                encoding = .bigEndian
            } else {
                encoding = .utf8
            }
        }
        guard encoding == .littleEndian || encoding == .bigEndian else { return piece }
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
            append(scalar: "\u{FFFD}", to: &result)
            (odd, high) = (nil, nil)
        }
        return result[...]
    }

    private mutating func append(_ unit: UInt16, to result: inout [UInt8]) {
        if let first = high {
            high = nil
            if (0xDC00..<0xE000).contains(unit) {
                let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
                append(scalar: Unicode.Scalar(value) ?? "\u{FFFD}", to: &result)
                return
            }
            append(scalar: "\u{FFFD}", to: &result)
        }
        switch unit {
        case 0xD800..<0xDC00: high = unit
        // The byte order mark is not text.
        case 0xFEFF: break
        default: append(scalar: Unicode.Scalar(unit) ?? "\u{FFFD}", to: &result)
        }
    }

    private func append(scalar: Unicode.Scalar, to result: inout [UInt8]) {
        result.append(contentsOf: Array(String(Character(scalar)).utf8))
    }
}
