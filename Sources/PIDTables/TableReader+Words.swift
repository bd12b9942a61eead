import Diagnostics
import OBDCore

/// The words and numbers of a line.
extension TableReader {
    @inline(__always)
    func word(_ range: Range<Int>) -> ArraySlice<UInt8> { text[range] }

    /// The word at a position in the line; throws a fault that names the missing word.
    func word(at position: Int, _ what: String) throws(TableError) -> Range<Int> {
        guard words.indices.contains(position) else { throw fault(.missing(what)) }
        return words[position]
    }

    /// Throws if there are words after the one at `position`.
    func nothing(after position: Int) throws(TableError) {
        guard words.count > position + 1 else { return }
        throw fault(.unexpected(string(words[position + 1]), after: string(words[position])))
    }

    /// The text after ` : `, which is required.
    func name() throws(TableError) -> String {
        guard let prose, !prose.isEmpty else { throw fault(.missing("the text after ` : `")) }
        return try checked(prose)
    }

    /// A fault in the current line.
    func fault(_ fault: TableError.Fault) -> TableError {
        TableError(file: file, line: line, fault)
    }

    /// A word for a message; invalid UTF-8 becomes replacement characters.
    func string(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }

    /// A text of the table, which has to be UTF-8.
    func checked(_ range: Range<Int>) throws(TableError) -> String {
        if isUTF8 { return String(decoding: text[range], as: UTF8.self) }
        guard let string = String(validating: text[range], as: UTF8.self) else {
            throw fault(.notUTF8)
        }
        return string
    }

    // MARK: Numbers

    /// The two ends of `LOW..HIGH`; nil if there are no dots.
    func bounds(_ range: Range<Int>) -> (Range<Int>, Range<Int>)? {
        var index = range.lowerBound
        while index + 1 < range.upperBound {
            if text[index] == 0x2E, text[index + 1] == 0x2E {
                return (range.lowerBound..<index, index + 2..<range.upperBound)
            }
            index += 1
        }
        return nil
    }

    /// A decimal number without a sign, with at most 9 digits.
    func unsigned(_ range: Range<Int>) -> Int? {
        guard !range.isEmpty, range.count <= 9 else { return nil }
        var value = 0
        for index in range {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// A decimal number with optional sign, decimals and exponent; nil beyond 1e60 and below 1e-60.
    ///
    /// Fifteen digits and a power of ten are exact, so the quotient is the nearest number. Longer numbers and
    /// exponents are left to the library, which also rounds to the nearest.
    func decimal(_ range: Range<Int>) -> (value: Double, decimals: Int)? {
        var index = range.lowerBound
        var isNegative = false
        if index < range.upperBound, text[index] == 0x2D {
            isNegative = true
            index += 1
        }
        var (digits, decimals, mantissa) = (0, 0, Int64(0))
        var isFraction = false
        while index < range.upperBound {
            let byte = text[index]
            if byte == 0x2E, !isFraction {
                isFraction = true
            } else {
                let digit = byte &- 0x30
                guard digit < 10, digits < 15 else { return longDecimal(range) }
                mantissa = mantissa * 10 + Int64(digit)
                digits += 1
                if isFraction { decimals += 1 }
            }
            index += 1
        }
        guard digits > 0 else { return nil }
        var power = 1.0
        for _ in 0..<decimals { power *= 10 }
        return (Double(isNegative ? -mantissa : mantissa) / power, decimals)
    }

    /// `6.02214076e-23`, `0.12345678901234567`.
    private func longDecimal(_ range: Range<Int>) -> (value: Double, decimals: Int)? {
        let mark = range.first { text[$0] | 0x20 == 0x65 }
        let end = mark ?? range.upperBound
        var first = range.lowerBound
        if first < end, text[first] == 0x2D { first += 1 }
        var (digits, decimals) = (0, 0)
        var (isFraction, isZero) = (false, true)
        for byte in text[first..<end] {
            switch byte {
            case 0x30...0x39:
                digits += 1
                if isFraction { decimals += 1 }
                if byte != 0x30 { isZero = false }
            case 0x2E where !isFraction: isFraction = true
            default: return nil
            }
        }
        var exponent = 0
        if let mark {
            guard let written = Int(string(mark + 1..<range.upperBound)),
                (-999...999).contains(written)
            else {
                return nil
            }
            exponent = written
        }
        // With these limits, no data can combine a factor, an offset and another signal into an infinite
        // number.
        guard digits > 0, let value = Double(string(range)),
            isZero || (1e-60...1e60).contains(value.magnitude)
        else { return nil }
        return (value, max(0, decimals - exponent))
    }

    /// A hexadecimal number of at most 16 digits.
    func hex(_ range: Range<Int>) -> UInt64? {
        guard !range.isEmpty, range.count <= 16 else { return nil }
        var value: UInt64 = 0
        for index in range {
            guard let nibble = Hex.value(text[index]) else { return nil }
            value = value << 4 | UInt64(nibble)
        }
        return value
    }

    /// `01:0C`, `CAN:1A0`.
    func dataID(_ range: Range<Int>) -> DataID? {
        let service = word(range).prefix { $0 != 0x3A }
        if service.elementsEqual("CAN".utf8) || service.elementsEqual("FD".utf8) {
            return DataID(string(range))
        }
        guard let colon = range.first(where: { text[$0] == 0x3A }),
            (1...2).contains(colon - range.lowerBound),
            (1...6).contains(range.upperBound - colon - 1),
            let service = hex(range.lowerBound..<colon),
            let id = hex(colon + 1..<range.upperBound)
        else { return nil }
        return DataID(
            Service(UInt8(truncatingIfNeeded: service)), UInt32(truncatingIfNeeded: id))
    }
}
