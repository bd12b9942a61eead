extension Signal {
    /// The smallest and the largest value that the signal's bits can represent, in its unit.
    ///
    /// Patterns at either end that mean no value are excluded. Nil for anything but numbers of 1 to 64 bits,
    /// and if no pattern is a value.
    public var valueRange: ClosedRange<Double>? {
        guard kind == .number, (1...64).contains(bitLength) else { return nil }
        if let formula { return range(by: formula) }
        let highest: UInt64 = bitLength == 64 ? .max : (1 << UInt64(bitLength)) - 1
        let sign: UInt64 = 1 << UInt64(bitLength - 1)
        guard let low = firstValue(from: isSigned ? sign : 0, upTo: isSigned ? highest : highest),
            let high = lastValue(from: isSigned ? sign - 1 : highest, downTo: 0)
        else { return nil }
        let ends = [number(raw: low), number(raw: high)].sorted()
        return ends[0]...ends[1]
    }

    /// The range of a number with a formula; nil if it depends on another signal or on floating point.
    private func range(by formula: Formula) -> ClosedRange<Double>? {
        guard formula.operand == nil else { return nil }
        if !formula.points.isEmpty {
            let values = formula.points.map(\.value).sorted()
            return values.first.flatMap { low in values.last.map { low...$0 } }
        }
        let highest: UInt64 = bitLength == 64 ? .max : (1 << UInt64(bitLength)) - 1
        switch formula.encoding {
        case .floatingPoint: return nil
        case .decimalDigits:
            let digits = (0..<bitLength / 4).reduce(0.0) { sum, _ in sum * 10 + 9 }
            let ends = [0, digits].map { $0 * multiplier / divisor + offset }.sorted()
            return ends[0]...ends[1]
        case .binary:
            // The value is linear between the ends of pieces, of gaps between them, and of either sign.
            let sign: UInt64 = isSigned ? 1 << UInt64(bitLength - 1) : 0
            if formula.isList {
                let values = formula.pieces.map(\.offset)
                return values.min().flatMap { low in values.max().map { low...$0 } }
            }
            var ends: Set<UInt64> = [0, highest, sign]
            if isSigned { ends.insert(sign - 1) }
            for piece in formula.pieces {
                ends.insert(piece.values.lowerBound)
                ends.insert(piece.values.upperBound)
                if piece.values.lowerBound > 0 { ends.insert(piece.values.lowerBound - 1) }
                if piece.values.upperBound < highest { ends.insert(piece.values.upperBound + 1) }
            }
            let values = ends.compactMap { end -> Double? in
                guard case .number(let number) = value(raw: end) else { return nil }
                return number
            }
            return values.min().flatMap { low in values.max().map { low...$0 } }
        }
    }

    /// The smallest difference between two values, in the signal's unit.
    public var step: Double { abs(multiplier / divisor) }

    private func firstValue(from first: UInt64, upTo last: UInt64) -> UInt64? {
        var raw = first
        while let none = pattern(at: raw) {
            guard none.last < last else { return nil }
            raw = none.last + 1
        }
        return raw
    }

    private func lastValue(from first: UInt64, downTo last: UInt64) -> UInt64? {
        var raw = first
        while let none = pattern(at: raw) {
            guard none.pattern > last else { return nil }
            raw = none.pattern - 1
        }
        return raw
    }

    private func pattern(at raw: UInt64) -> NotAvailable? {
        notAvailable.first { raw >= $0.pattern && raw <= $0.last }
    }
}
