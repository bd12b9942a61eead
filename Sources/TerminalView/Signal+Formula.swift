import Diagnostics
import Formats

extension Signal {
    /// The conversion from bits to the value: `16 bits × 0.25`.
    var formulaText: String {
        let bits = bitLength == 1 ? "1 bit" : "\(bitLength) bits"
        guard kind == .number else { return bits }
        var text = (isSigned ? "signed, " : "") + bits
        if multiplier != divisor {
            text +=
                divisor == 1
                ? " × \(plain(multiplier))" : " × \(plain(multiplier))/\(plain(divisor))"
        }
        if offset != 0 { text += (offset < 0 ? " − " : " + ") + plain(abs(offset)) }
        return text + (unit.isEmpty ? "" : " \(unit)")
    }
}

extension LiveModel.Row {
    /// Whether the row has a number to draw.
    var isPlottable: Bool { number != nil || count > 0 }
}
