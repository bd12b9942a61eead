import Diagnostics
import OBDCore

/// A value for people, with its unit.
public struct ValueText: Hashable, Sendable {
    /// The value without its unit.
    public var value: String
    /// The value's unit; empty without one.
    public var unit: String
    /// The name that the table has for the number's raw value; nil without one.
    public var label: String?
    /// Whether `value` is a number, which is aligned to the right.
    public var isNumber: Bool
    /// Whether there is no value; `value` is then the reason.
    public var isMissing: Bool

    /// The text for `reading` of `signal` in `units`.
    public init(_ reading: Reading, _ signal: Signal, _ units: UnitSystem) {
        isNumber = false
        isMissing = false
        unit = ""
        switch reading.value {
        case .number(let metric):
            let conversion = units.conversion(from: signal.unit)
            isNumber = true
            value = numberText(
                conversion.map { $0(metric) } ?? metric,
                step: signal.shownStep * (conversion?.factor ?? 1))
            unit = conversion?.unit ?? signal.unit
            label = signal.label(of: reading.value).map { printable($0) }
        case .flag(let flag): value = flag ? "on" : "off"
        case .label(let code): value = ReadingText.label(code, of: signal) ?? "code \(code)"
        case .text(let text): value = text.isEmpty ? "—" : printable(text)
        case .supportMap(let raw):
            value = ReadingText.supportMap(raw, base: reading.dataID?.id ?? 0)
        case .missing(let why, let code):
            isMissing = true
            // The code of the freeze frame: without a code, there is no frame.
            let isNoFrame =
                why == .notAvailable && reading.dataID == DataID(.freezeFrame, 0x02)
            value = isNoFrame ? "no frame stored" : why.text + (code.map { " (code \($0))" } ?? "")
        }
    }

    /// Value, unit and name together: `1726.0 rpm`, `3 (Drive)`.
    public var joined: String { remark.isEmpty ? value : value + " " + remark }

    /// The text after the value: its unit, and the name of the number in brackets.
    public var remark: String {
        [unit, label.map { "(\($0))" } ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension Reading.Missing {
    /// The reason for people.
    public var text: String {
        switch self {
        case .notSupported: "not supported"
        case .notAvailable: "not available"
        case .tooShort: "too short"
        case .undefined: "undefined"
        }
    }
}

extension Signal {
    /// The change of the value per raw bit step; unit: that of the signal.
    ///
    /// 0 for a floating point number, which has no such step.
    public var shownStep: Double {
        if formula?.encoding == .floatingPoint { return 0 }
        // The voltage at the adapter is received as text with one decimal.
        return bitLength == 0 ? 0.1 : abs(multiplier / divisor)
    }
}
