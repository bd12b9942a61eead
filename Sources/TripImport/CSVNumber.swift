import Formats

/// Parses numbers in logs, by one grammar for all formats.
///
/// A number has digits, optionally in groups (separated by blanks, apostrophes, or whichever of comma and
/// point is not the decimal sign), one decimal sign and an exponent. Groups have three digits; in India,
/// groups before the last have two. An exponent has a sign, or digits after a point before it, as in
/// `1.5E7`: `7E8` is an identifier of a CAN bus and not 700 million.
enum CSVNumber {
    /// The number in a text; nil for any other text, and if it is not finite.
    ///
    /// Without a `rule`, a single point or comma is the decimal sign.
    static func decimal(_ text: some StringProtocol, _ rule: DecimalRule = .any) -> Double? {
        let bytes = Array(text.utf8)
        // Nearly all cells are plain.
        if let fraction = plainFraction(bytes), fraction != 3 || rule.point == .decimal {
            return double(bytes)
        }
        return Spelling(bytes)?.number(rule)
    }

    /// The number in `9e2`, which is one where only numbers are possible; nil for any other text.
    static func bareExponent(_ text: String) -> Double? {
        guard let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }),
            Int(text[..<mark]) != nil, case let power = text[mark...].dropFirst(),
            (1...3).contains(power.count), power.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return double(Array(text.utf8))
    }

    /// The decimal sign that a text shows, and the sign that it leaves unclear.
    static func signs(_ text: some StringProtocol) -> (shown: DecimalSigns, unclear: DecimalSigns) {
        guard let spelling = Spelling(Array(text.utf8)) else { return ([], []) }
        return (spelling.shown, spelling.unclear)
    }

    /// The number at the beginning of a cell and the known unit after it; nil without either.
    ///
    /// Examples: `25%`, `%25`, `21 degree_Celsius`, `1 726,5 rpm`, `900 1/min`.
    static func measure(_ cell: String) -> (digits: String, unit: ImportUnit.Conversion)? {
        // Turkish and Basque write the sign first.
        let cell = cell.hasPrefix("%") ? String(cell.dropFirst()) + "%" : cell
        guard cell.utf8.first.map({ $0 < 0x3A }) ?? false else { return nil }
        let letters = cell.firstIndex {
            !$0.isNumber && !$0.isWhitespace && !".,'’+-−eE".contains($0) || $0 == "°"
        }
        for end in [letters, cell.firstIndex(where: \.isWhitespace)] {
            guard let end else { continue }
            let unit = String(cell[end...]).withoutBlanks
            let digits = String(cell[..<end]).withoutBlanks
            guard !unit.isEmpty, let conversion = ImportUnit.conversion(unit),
                decimal(digits) != nil
            else { continue }
            return (digits, conversion)
        }
        return nil
    }

    /// The number of digits after the point if all other characters are digits; -1 without a point.
    private static func plainFraction(_ bytes: [UInt8]) -> Int? {
        var point: Int?
        for (place, byte) in bytes.enumerated() {
            if byte == 0x2E, point == nil {
                point = place
            } else if byte < 0x30 || byte > 0x39, byte != 0x2D {
                return nil
            }
        }
        return point.map { bytes.count - 1 - $0 } ?? -1
    }

    fileprivate static func double(_ bytes: [UInt8]) -> Double? {
        Double(String(decoding: bytes, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The parts of a number.
    private struct Spelling {
        private var sign: [UInt8] = []
        /// The digits before and after each sign between them.
        private var runs: [ArraySlice<UInt8>] = []
        private var exponent: [UInt8] = []
        /// The sign before the last run, if it can only be the decimal one.
        private var hasFraction = false
        /// The decimal sign that this number shows.
        var shown: DecimalSigns = []
        /// The sign that may be the decimal one or separate groups.
        var unclear: DecimalSigns = []

        init?(_ bytes: [UInt8]) {
            let bytes = bytes.allSatisfy { $0 < 0x80 } ? bytes : CSVNumber.inASCII(bytes)
            var rest = bytes[...]
            if rest.first == 0x2D || rest.first == 0x2B { sign.append(rest.removeFirst()) }
            var signs: [UInt8] = []
            while true {
                let run = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
                runs.append(run)
                rest = rest.dropFirst(run.count)
                guard let next = rest.first, next != 0x45, next != 0x65 else { break }
                guard [0x2E, 0x2C, 0x20, 0x27].contains(next) else { return nil }
                signs.append(next)
                rest = rest.dropFirst()
            }
            guard runs.contains(where: { !$0.isEmpty }), takeSigns(signs) else { return nil }
            if !rest.isEmpty {
                guard isExponent(rest) else { return nil }
                if !unclear.isEmpty {
                    // Groups have no exponent.
                    (shown, unclear, hasFraction) = (unclear, [], true)
                }
                exponent = Array(rest)
            }
        }

        /// The number by a rule; nil if the rule does not settle the sign.
        func number(_ rule: DecimalRule) -> Double? {
            var isFraction = hasFraction
            if !unclear.isEmpty {
                switch unclear == .point ? rule.point : rule.comma {
                case .decimal: isFraction = true
                case .group: isFraction = false
                case .unclear: return nil
                }
            }
            var digits = sign
            for run in isFraction ? runs.dropLast() : runs[...] { digits += run }
            if isFraction {
                digits.append(0x2E)
                digits += runs.last ?? []
            }
            return CSVNumber.double(digits + exponent)
        }

        /// Finds the decimal sign; false for text that is not a number.
        private mutating func takeSigns(_ signs: [UInt8]) -> Bool {
            guard let last = signs.last else { return true }
            let decimal: DecimalSigns = last == 0x2E ? .point : last == 0x2C ? .comma : []
            var groups = signs[...]
            if !decimal.isEmpty, signs.count(where: { $0 == last }) == 1 {
                let mayBeGroup =
                    signs.count == 1 && runs[1].count == 3 && (1...3).contains(runs[0].count)
                    && runs[0].first != 0x30
                if mayBeGroup {
                    unclear = decimal
                    return true
                }
                (shown, hasFraction) = (decimal, true)
                groups = groups.dropLast()
            } else if !decimal.isEmpty {
                // A repeated sign separates groups.
                shown = decimal == .point ? .comma : .point
            }
            guard let separator = groups.first else { return true }
            let grouped = hasFraction ? runs.dropLast() : runs[...]
            guard groups.allSatisfy({ $0 == separator }), let first = grouped.first,
                (1...3).contains(first.count), first.first != 0x30, grouped.last?.count == 3
            else { return false }
            let inner = grouped.dropFirst().dropLast()
            return inner.allSatisfy { $0.count == 3 }
                || separator == 0x2C && first.count < 3 && inner.allSatisfy { $0.count == 2 }
        }

        /// `E-05`, `e+06`, and `E7` after a fraction.
        private func isExponent(_ text: ArraySlice<UInt8>) -> Bool {
            var digits = text.dropFirst()
            let hasSign = digits.first == 0x2D || digits.first == 0x2B
            if hasSign { digits = digits.dropFirst() }
            return (hasFraction || !unclear.isEmpty || hasSign) && (1...3).contains(digits.count)
                && digits.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
        }
    }

    /// The digits and signs of other scripts and of typesetters in ASCII; any other text unchanged.
    private static func inASCII(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case ..<0x80: result.append(UInt8(truncatingIfNeeded: scalar.value))
            // Narrow and other blanks that do not break.
            case 0xA0, 0x2007, 0x2009, 0x202F: result.append(0x20)
            // The apostrophe of Switzerland and the separator of Arabic.
            case 0x2019, 0x066C: result.append(0x27)
            case 0x066B: result.append(0x2C)
            case 0x2212: result.append(0x2D)
            // Marks of the direction of writing.
            case 0x200E, 0x200F, 0x061C: break
            default:
                guard scalar.properties.numericType == .decimal,
                    let digit = scalar.properties.numericValue, (0...9).contains(digit)
                else { return bytes }
                result.append(0x30 + UInt8(digit))
            }
        }
        return result
    }
}
