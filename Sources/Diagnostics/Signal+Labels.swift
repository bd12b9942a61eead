extension Signal {
    /// Whether the name of a raw value can be told from the number: a factor, and no more bits than a number holds
    /// exactly.
    public var distinguishesRawValues: Bool {
        kind == .number && formula == nil && multiplier != 0 && bitLength <= 53
    }

    /// The name of a value: that of an enumeration's code, or of the raw value of a number; nil without one.
    @inline(__always)
    public func label(of value: Reading.Value) -> String? {
        labels.isEmpty ? nil : knownLabel(of: value)
    }

    private func knownLabel(of value: Reading.Value) -> String? {
        switch value {
        case .label(let code): labels.first { $0.code == code }?.label
        case .number(let number) where distinguishesRawValues:
            labels.first { self.number(raw: $0.code) == number }?.label
        case .number, .flag, .supportMap, .text, .missing: nil
        }
    }

    /// The names by value instead of by raw bits, as far as the values are whole numbers from 0.
    ///
    /// A stored signal has no factor any more, so that only its values can have names.
    public var valueLabels: [(code: UInt64, label: String)] {
        guard kind == .number else { return labels }
        guard distinguishesRawValues else { return [] }
        return labels.compactMap { code, label in
            UInt64(exactly: number(raw: code)).map { ($0, label) }
        }
    }
}

extension Reading.Value {
    /// The code of an enumeration, or a number that is whole and not negative; nil for other values.
    package var whole: UInt64? {
        switch self {
        case .label(let code): code
        case .number(let number): UInt64(exactly: number)
        case .flag, .supportMap, .text, .missing: nil
        }
    }
}
