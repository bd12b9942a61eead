extension Signal {
    /// A formula for numbers that need more than one factor and offset.
    public struct Formula: Hashable, Sendable {
        /// How the raw bits encode a number.
        public enum Encoding: Hashable, Sendable {
            /// Binary, with or without a sign.
            case binary
            /// Two decimal digits per byte.
            case decimalDigits
            /// IEEE 754 with 32 or 64 bits.
            case floatingPoint
        }

        /// Other factors for a range of raw values.
        public struct Piece: Hashable, Sendable {
            /// The range of raw bits (unsigned).
            public var values: ClosedRange<UInt64>
            /// The factor's numerator.
            public var multiplier: Double
            /// The factor's denominator, never 0.
            public var divisor: Double
            /// Added after scaling.
            public var offset: Double

            /// A range with its factor and offset.
            public init(
                values: ClosedRange<UInt64>, multiplier: Double = 1, divisor: Double = 1,
                offset: Double = 0
            ) {
                self.values = values
                self.multiplier = multiplier
                self.divisor = divisor
                self.offset = offset
            }
        }

        /// A point of a curve, with straight lines between the points.
        public struct Point: Hashable, Sendable {
            /// The raw bits (unsigned).
            public var raw: UInt64
            /// The value at this point, in the signal's unit.
            public var value: Double

            /// A point of a curve.
            public init(raw: UInt64, value: Double) {
                self.raw = raw
                self.value = value
            }
        }

        /// Another signal of the record by which the scaled number is multiplied or divided.
        public struct Operand: Hashable, Sendable {
            /// The other signal, which is a number.
            public var signal: SignalIndex
            /// Whether to divide instead of multiply.
            public var divides: Bool

            /// Another signal to multiply or divide by.
            public init(signal: SignalIndex, divides: Bool) {
                self.signal = signal
                self.divides = divides
            }
        }

        /// How the bits encode the number.
        public var encoding = Encoding.binary
        /// Ranges with their own factors; all other values use the signal's factor.
        public var pieces: [Piece] = []
        /// Whether raw values outside ``pieces`` have no value, because the number is from a list.
        public var isList = false
        /// A curve instead of factors, ascending; there is no value outside it.
        public var points: [Point] = []
        /// The signal by which the scaled number is multiplied or divided.
        public var operand: Operand?

        /// A formula with factor and offset only.
        public init() {}
    }

    /// The decoded number before scaling; nil if the bits are not a number.
    func coded(_ raw: UInt64, _ encoding: Formula.Encoding) -> Double? {
        switch encoding {
        case .binary:
            guard isSigned, (1...64).contains(bitLength) else { return Double(raw) }
            let spare = UInt64(64 - bitLength)
            return Double(Int64(bitPattern: raw << spare) >> Int64(spare))
        case .decimalDigits:
            var (number, place) = (0.0, 1.0)
            for digit in stride(from: 0, to: UInt64(min(bitLength, 64)), by: 4) {
                let nibble = raw >> digit & 0xF
                guard nibble < 10 else { return nil }
                number += Double(nibble) * place
                place *= 10
            }
            return number
        case .floatingPoint:
            if bitLength == 64 {
                let number = Double(bitPattern: raw)
                return number.isFinite ? number : nil
            }
            let number = Float(bitPattern: UInt32(truncatingIfNeeded: raw))
            return number.isFinite ? Double(number) : nil
        }
    }

    /// The value of a number that needs a formula.
    func value(raw: UInt64, by formula: Formula) -> Reading.Value {
        guard let coded = coded(raw, formula.encoding) else {
            // Not a decimal digit, not a number, or infinite.
            return formula.encoding == .floatingPoint
                ? .missing(.notAvailable, code: nil) : .missing(.undefined, code: raw)
        }
        if !formula.points.isEmpty {
            return interpolated(coded, formula.points).map { .number($0) }
                ?? .missing(.undefined, code: raw)
        }
        for piece in formula.pieces where piece.values.contains(raw) {
            return .number(
                scaled(coded, piece.multiplier, piece.divisor, piece.offset))
        }
        if formula.isList { return .missing(.undefined, code: raw) }
        return .number(scaled(coded, multiplier, divisor, offset))
    }

    private func interpolated(_ coded: Double, _ points: [Formula.Point]) -> Double? {
        var before: (at: Double, value: Double)?
        for point in points {
            guard let place = self.coded(point.raw, .binary) else { return nil }
            if coded == place { return point.value }
            if let before, before.at < coded, coded < place {
                return before.value
                    + (point.value - before.value) * (coded - before.at) / (place - before.at)
            }
            before = (place, point.value)
        }
        return nil
    }
}

extension PIDTable {
    /// `number` multiplied or divided by another signal in its record.
    ///
    /// There is no result if the other signal has no value, or is 0 as a divisor.
    func combined(
        _ number: Double, with operand: Signal.Formula.Operand,
        in data: some RandomAccessCollection<UInt8>
    ) -> Reading.Value {
        switch self[operand.signal].value(in: data) {
        case .number(let other) where !operand.divides: .number(number * other)
        case .number(let other) where other != 0: .number(number / other)
        case .missing(.tooShort, _): .missing(.tooShort, code: nil)
        case .number, .flag, .label, .text, .supportMap, .missing:
            .missing(.notAvailable, code: nil)
        }
    }
}

/// `number × multiplier / divisor + offset`, rounded once.
///
/// 1567 tenths minus 40 are 116.7, which differs from 156.7 minus 40.
@inline(__always)
func scaled(_ number: Double, _ multiplier: Double, _ divisor: Double, _ offset: Double) -> Double {
    offset == 0
        ? number * multiplier / divisor : (number * multiplier + offset * divisor) / divisor
}
