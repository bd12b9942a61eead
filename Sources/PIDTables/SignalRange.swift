public import Diagnostics

extension Signal {
    /// The smallest and the largest value that the signal's bits can say, in its unit.
    ///
    /// Patterns at either end that stand for no value are left out. Nil for anything but numbers of
    /// 1 to 64 bits, and when no pattern is a value.
    public var valueRange: ClosedRange<Double>? {
        guard kind == .number, (1...64).contains(bitLength) else { return nil }
        let highest: UInt64 = bitLength == 64 ? .max : (1 << UInt64(bitLength)) - 1
        let sign: UInt64 = 1 << UInt64(bitLength - 1)
        guard let low = firstValue(from: isSigned ? sign : 0, upTo: isSigned ? highest : highest),
            let high = lastValue(from: isSigned ? sign - 1 : highest, downTo: 0)
        else { return nil }
        let ends = [number(raw: low), number(raw: high)].sorted()
        return ends[0]...ends[1]
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
