import OBDCore

extension Signal {
    /// The signal's bits as an unsigned number.
    ///
    /// `data` begins with byte A. Nil if the data end before the signal, and for signals longer than 64 bits,
    /// which are not numbers.
    @inline(__always)
    public func raw(in data: some RandomAccessCollection<UInt8>) -> UInt64? {
        guard bitLength > 0, bitLength <= 64, bitOffset >= 0 else { return nil }
        let end = bitOffset &+ bitLength
        let first = bitOffset &>> 3
        let last = (end &- 1) &>> 3
        guard last < data.count else { return nil }
        let start = data.startIndex
        if isLittleEndian {
            return littleEndianRaw(in: data, first: first, last: last)
        }
        // Bits of up to nine bytes are shifted through; bits that leave at the top do not belong to the
        // signal.
        let spare = last &* 8 &+ 8 &- end
        var value: UInt64 = 0
        for index in first..<last {
            value = value &<< 8 | UInt64(data[data.index(start, offsetBy: index)])
        }
        let lowest = UInt64(data[data.index(start, offsetBy: last)])
        value = value &<< UInt64(8 &- spare) | lowest &>> UInt64(spare)
        return value & mask
    }

    private func littleEndianRaw(
        in data: some RandomAccessCollection<UInt8>, first: Int, last: Int
    ) -> UInt64 {
        let skipped = bitOffset & 7
        let start = data.startIndex
        var value: UInt64 = 0
        for index in first...last {
            let byte = UInt64(data[data.index(start, offsetBy: index)])
            let place = (index &- first) &* 8 &- skipped
            // Smart shifts, because a ninth byte is partly beyond the 64 bits.
            value |= place < 0 ? byte >> UInt64(-place) : byte << UInt64(place)
        }
        return value & mask
    }

    /// As many ones as the signal has bits.
    @inline(__always)
    var mask: UInt64 { bitLength >= 64 ? .max : (1 &<< UInt64(bitLength)) &- 1 }

    /// The meaning of raw bits: a value, or that there is none.
    ///
    /// Numbers are not clamped: the result is `raw × multiplier / divisor + offset`, or follows the
    /// ``formula``, without a formula's other signal. Text and bytes of up to 64 bits are read, too.
    @inline(__always)
    public func value(raw: UInt64) -> Reading.Value {
        if !notAvailable.isEmpty && isNotAvailable(raw) {
            return .missing(.notAvailable, code: nil)
        }
        switch kind {
        case .number:
            if let formula { return value(raw: raw, by: formula) }
            return .number(number(raw: raw))
        case .flag: return .flag(raw != 0)
        case .enumeration:
            for label in labels where label.code == raw { return .label(code: raw) }
            return .missing(.undefined, code: raw)
        case .supportMap: return .supportMap(raw: UInt32(truncatingIfNeeded: raw))
        case .code:
            guard raw != 0 else { return .missing(.notAvailable, code: nil) }
            return .text(DTC(UInt16(truncatingIfNeeded: raw)).text)
        case .text: return .text(Self.text(of: bytes(of: raw)))
        case .bytes: return .text(Hex.string(bytes(of: raw)))
        }
    }

    /// `raw × multiplier / divisor + offset` in the signal's unit.
    @inline(__always)
    public func number(raw: UInt64) -> Double {
        let number: Double
        if isSigned && bitLength > 0 && bitLength <= 64 {
            let spare = UInt64(64 &- bitLength)
            number = Double(Int64(bitPattern: raw &<< spare) &>> Int64(spare))
        } else {
            number = Double(raw)
        }
        return scaled(number, multiplier, divisor, offset)
    }

    /// Whether raw bits mean that there is no value.
    public func isNotAvailable(_ raw: UInt64) -> Bool {
        for none in notAvailable where raw >= none.pattern && raw <= none.last { return true }
        return false
    }

    /// The signal's value in a record whose data is `data`, byte A first.
    ///
    /// Support flags and conditions are ignored; ``PIDTable/value(of:in:)`` checks them.
    public func value(in data: some RandomAccessCollection<UInt8>) -> Reading.Value {
        if let part { return value(ofPart: part, in: data) }
        if kind == .text || kind == .bytes {
            guard bitOffset >= 0, bitLength > 0, bitOffset & 7 == 0, bitLength & 7 == 0,
                data.count >= (bitOffset + bitLength) / 8
            else { return .missing(.tooShort, code: nil) }
            let field = data.dropFirst(bitOffset / 8).prefix(bitLength / 8)
            if bitLength <= 64, let raw = raw(in: data), isNotAvailable(raw) {
                return .missing(.notAvailable, code: nil)
            }
            if kind == .text { return .text(Self.text(of: field)) }
            return .text(isLittleEndian ? Hex.string(Array(field.reversed())) : Hex.string(field))
        }
        guard let raw = raw(in: data) else { return .missing(.tooShort, code: nil) }
        return value(raw: raw)
    }

    /// Text and bytes that are shorter than the longest in their record.
    ///
    /// Nil for any other signal, and if the record ends before the signal.
    public func shortText(in data: some RandomAccessCollection<UInt8>) -> Reading.Value? {
        guard kind == .text || kind == .bytes, bitOffset >= 0, bitOffset & 7 == 0 else {
            return nil
        }
        let field = data.dropFirst(bitOffset / 8)
        guard !field.isEmpty else { return nil }
        return .text(kind == .text ? Self.text(of: field) : Hex.string(Array(field)))
    }

    /// One part of a text; `.missing` if the text has fewer parts.
    private func value(
        ofPart part: Int, in data: some RandomAccessCollection<UInt8>
    ) -> Reading.Value {
        guard bitOffset >= 0, bitOffset & 7 == 0, data.count > bitOffset / 8 else {
            return .missing(.tooShort, code: nil)
        }
        let field = data.dropFirst(bitOffset / 8).prefix(bitLength / 8)
        let parts = field.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard part <= parts.count else { return .missing(.notAvailable, code: nil) }
        let text = Self.text(of: Array(parts[part - 1]))
        return text.isEmpty ? .missing(.notAvailable, code: nil) : .text(text)
    }

    private func bytes(of raw: UInt64) -> [UInt8] {
        let count = (min(bitLength, 64) + 7) / 8
        return (0..<max(count, 0)).map {
            UInt8(truncatingIfNeeded: raw >> UInt64((count - 1 - $0) * 8))
        }
    }

    /// ASCII text without the padding zeros and blanks; unprintable bytes are shown as `\xHH`.
    static func text(of bytes: some Collection<UInt8>) -> String {
        var kept = Array(bytes)
        while let last = kept.last, last == 0 || last == 0x20 { kept.removeLast() }
        var text = ""
        for byte in kept.drop(while: { $0 == 0 }) {
            if byte >= 0x20 && byte < 0x7F {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + Hex.string([byte])
            }
        }
        return text
    }
}

extension PIDTable {
    /// The greatest number of conditions in a chain, in which each condition depends on the next.
    public static let deepestCondition = 64

    /// The value of one signal in its record's data, beginning with byte A.
    ///
    /// `missing(.notSupported)` if the signal's support flag is 0. Nil if the signal's condition is not met,
    /// because the record then has other content at this position.
    public func value(
        of index: SignalIndex, in data: some RandomAccessCollection<UInt8>
    ) -> Reading.Value? {
        let place = Int(index.rawValue)
        guard signals.indices.contains(place) else { return nil }
        if let flag = signals[place].supportFlag {
            guard let set = self[flag].raw(in: data) else { return .missing(.tooShort, code: nil) }
            if set == 0 { return .missing(.notSupported, code: nil) }
        }
        var next = signals[place].condition
        // A table names more nested conditions than any vehicle has only if they are a circle.
        var depth = 0
        while let condition = next {
            guard let decisive = self[condition.signal].raw(in: data) else {
                return .missing(.tooShort, code: nil)
            }
            guard condition.isMet(by: decisive), depth < Self.deepestCondition else { return nil }
            next = self[condition.signal].condition
            depth += 1
        }
        let value = signals[place].value(in: data)
        if case .number(let number) = value, let operand = signals[place].formula?.operand {
            return combined(number, with: operand, in: data)
        }
        return value
    }
}
