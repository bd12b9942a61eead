import Formats

/// Parses numbers in logs, by one grammar for all formats.
///
/// A number has digits, optionally in groups of three (blanks, apostrophes, or whichever of comma and point
/// is not the decimal sign), one decimal sign and an exponent. An exponent has a sign, or digits after a
/// point before it, as in `1.5E7`: `7E8` is an identifier of a CAN bus and not 700 million.
enum CSVNumber {
    /// How a single comma before three digits reads.
    enum Comma {
        /// As the decimal sign, because commas do not separate the cells of the file.
        case isDecimal
        /// Unknown, because `1,726` may be 1.726 or 1726; such text is not read.
        case isUnclear
    }

    /// The number in a text; nil for any other text, and if it is not finite.
    static func decimal(_ text: some StringProtocol, comma: Comma = .isDecimal) -> Double? {
        let bytes = Array(text.utf8)
        // Nearly all cells are plain.
        if bytes.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E || $0 == 0x2D }) {
            guard bytes.count(where: { $0 == 0x2E }) < 2 else {
                return grouped(bytes, comma)
            }
            return finite(Double(String(decoding: bytes, as: UTF8.self)))
        }
        return grouped(bytes, comma)
    }

    /// The number at the beginning of a cell and the known unit after it; nil without either.
    ///
    /// Examples: `25%`, `21 degree_Celsius`, `1 726,5 rpm`, `900 1/min`.
    static func measure(
        _ cell: String, comma: Comma
    ) -> (number: Double, unit: ImportUnit.Conversion)? {
        guard cell.utf8.first.map({ $0 < 0x3A }) ?? false else { return nil }
        let letters = cell.firstIndex {
            !$0.isNumber && !$0.isWhitespace && !".,'’+-−eE".contains($0) || $0 == "°"
        }
        for end in [letters, cell.firstIndex(where: \.isWhitespace)] {
            guard let end else { continue }
            let unit = String(cell[end...]).withoutBlanks
            guard !unit.isEmpty, let conversion = ImportUnit.conversion(unit),
                let number = decimal(String(cell[..<end]).withoutBlanks, comma: comma)
            else { continue }
            return (number, conversion)
        }
        return nil
    }

    private static func finite(_ number: Double?) -> Double? {
        number.flatMap { $0.isFinite ? $0 : nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// The blanks and apostrophes that separate groups: their UTF-8 bytes.
    private static let groupSigns: [[UInt8]] = [
        [0x20], [0x27], [0xC2, 0xA0], [0xE2, 0x80, 0xAF], [0xE2, 0x80, 0x89], [0xE2, 0x80, 0x87],
        [0xE2, 0x80, 0x99],
    ]

    private static func grouped(_ bytes: [UInt8], _ comma: Comma) -> Double? {
        var rest = bytes[...]
        var result: [UInt8] = []
        if rest.first == 0x2D || rest.first == 0x2B {
            result.append(rest.removeFirst())
        } else if rest.starts(with: [0xE2, 0x88, 0x92]) {
            // The minus sign of typesetters.
            result.append(0x2D)
            rest = rest.dropFirst(3)
        }
        // Runs of digits, and the text between them.
        var runs: [ArraySlice<UInt8>] = []
        var signs: [[UInt8]] = []
        while true {
            let run = rest.prefix(while: isDigit)
            runs.append(run)
            rest = rest.dropFirst(run.count)
            guard let byte = rest.first, byte != 0x45, byte != 0x65 else { break }
            let sign: [UInt8]
            if byte == 0x2E || byte == 0x2C {
                sign = [byte]
            } else if let found = groupSigns.first(where: { rest.starts(with: $0) }) {
                sign = found
            } else {
                return nil
            }
            signs.append(sign)
            rest = rest.dropFirst(sign.count)
        }
        guard runs.contains(where: { !$0.isEmpty }) else { return nil }
        guard let isFraction = hasFraction(runs, signs, comma) else { return nil }
        let whole = isFraction ? runs.dropLast() : runs[...]
        for run in whole { result += run }
        if isFraction {
            result.append(0x2E)
            result += runs.last ?? []
        }
        if let exponent = exponent(rest, isFraction: isFraction) {
            result += exponent
        } else if !rest.isEmpty {
            return nil
        }
        return finite(Double(String(decoding: result, as: UTF8.self)))
    }

    /// Whether the last run of digits is a fraction; nil for text that is not a number.
    private static func hasFraction(
        _ runs: [ArraySlice<UInt8>], _ signs: [[UInt8]], _ comma: Comma
    ) -> Bool? {
        guard let last = signs.last else { return false }
        let isSign = last == [0x2E] || last == [0x2C]
        var groups = signs[...]
        var isFraction = false
        if isSign, signs.count(where: { $0 == last }) == 1 {
            // Without other signs, a comma before three digits may be a decimal comma or a separator, unless
            // only a zero is before it.
            if last == [0x2C], signs.count == 1, runs[1].count == 3, comma == .isUnclear {
                guard runs[0].elementsEqual([0x30]) || runs[0].isEmpty || runs[0].count > 3 else {
                    return nil
                }
            }
            isFraction = true
            groups = groups.dropLast()
        }
        guard groups.allSatisfy({ $0 == groups.first }) else { return nil }
        guard !groups.isEmpty else { return isFraction }
        let grouped = isFraction ? runs.dropLast() : runs[...]
        guard let first = grouped.first, (1...3).contains(first.count), first.first != 0x30,
            grouped.dropFirst().allSatisfy({ $0.count == 3 })
        else { return nil }
        return isFraction
    }

    /// `E-05`, `e+06`, and `E7` after a fraction; nil for anything else.
    private static func exponent(_ text: ArraySlice<UInt8>, isFraction: Bool) -> [UInt8]? {
        guard let first = text.first, first == 0x45 || first == 0x65 else { return nil }
        var digits = text.dropFirst()
        let hasSign = digits.first == 0x2D || digits.first == 0x2B
        if hasSign { digits = digits.dropFirst() }
        guard isFraction || hasSign, (1...3).contains(digits.count), digits.allSatisfy(isDigit)
        else { return nil }
        return Array(text)
    }
}
