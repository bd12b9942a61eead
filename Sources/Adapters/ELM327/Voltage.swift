/// Reads what `AT RV` prints: `12.4V`.
package enum Voltage {
    /// The voltage in V; nil for anything else.
    ///
    /// Adapters measure less than 100 V. Without a unit there have to be decimals: `12` may be the
    /// rest of `12.4V`.
    package static func read(_ text: Span<UInt8>, unitIsOptional: Bool) -> Double? {
        var whole = 0.0
        var weight = 0.0
        var digits = 0
        var hasUnit = false
        for index in text.indices {
            let byte = text[index]
            switch byte {
            case 0x30...0x39 where !hasUnit && digits < 6:
                digits += 1
                if weight == 0 {
                    whole = whole * 10 + Double(byte - 0x30)
                } else {
                    // Kept as an integer, so that the result is the closest number to 12.4.
                    whole = whole * 10 + Double(byte - 0x30)
                    weight *= 10
                }
            case UInt8(ascii: ".") where weight == 0 && digits > 0 && !hasUnit: weight = 1
            case UInt8(ascii: "V"), UInt8(ascii: "v"):
                guard !hasUnit, digits > 0 else { return nil }
                hasUnit = true
            case 0x20, 0x09: continue
            default: return nil
            }
        }
        guard digits > 0, weight != 1, hasUnit || unitIsOptional && weight > 1 else { return nil }
        let voltage = weight > 1 ? whole / weight : whole
        return voltage < 100 ? voltage : nil
    }
}
