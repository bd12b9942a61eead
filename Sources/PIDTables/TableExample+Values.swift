import Diagnostics
import OBDCore

extension TableExample.Value {
    /// Whether a decoded value is equal to the one in the example, to the precision of its digits.
    func agrees(with decoded: Reading.Value?, raw: UInt64?) -> Bool {
        switch (self, decoded) {
        case (.number(let said, let decimals), .number(let number)?):
            // Half a unit of the last digit, and the possible rounding error in binary.
            abs(number - said) <= Self.unit(decimals: decimals) / 2 + abs(said) * 1e-12
        case (.flag(let said), .flag(let flag)?):
            said == flag
        case (.raw(let said), .label(let code)?):
            said == code
        case (.raw(let said), .supportMap?):
            said == raw
        case (.text(let said), .text(let text)?):
            said == text.replacing(" ", with: "_")
        case (.missing(let said), .missing(let missing, _)?):
            said == missing
        case (.absent, nil):
            true
        case (_, _):
            false
        }
    }

    /// Whether a number is exact, so that more digits would not change it.
    func isExactly(_ decoded: Reading.Value?) -> Bool {
        guard case .number(let said, _) = self, case .number(let number)? = decoded else {
            return false
        }
        return said == number
    }

    /// One unit of the last digit.
    static func unit(decimals: Int) -> Double {
        var unit = 1.0
        for _ in 0..<decimals { unit /= 10 }
        return unit
    }

    /// The value in the notation of tables, without unnecessary decimals.
    public var text: String {
        switch self {
        case .number(let number, _):
            number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
        case .flag(let flag): flag ? "1" : "0"
        case .raw(let raw): String(raw, radix: 16, uppercase: true)
        case .text(let text): text
        case .missing(.notAvailable): "none"
        case .missing(.notSupported): "unsupported"
        case .missing(.tooShort): "short"
        case .missing(.undefined): "undefined"
        case .absent: "absent"
        }
    }
}

extension TableExample {
    /// A decoded value in the notation of tables.
    static func text(_ decoded: Reading.Value?) -> String {
        switch decoded {
        case nil: Value.absent.text
        case .number(let number)?: Value.number(number, decimals: 0).text
        case .flag(let flag)?: Value.flag(flag).text
        case .label(let code)?: Value.raw(code).text
        case .supportMap(let raw)?: Value.raw(UInt64(raw)).text
        case .text(let text)?: text
        case .missing(let missing, _)?: Value.missing(missing).text
        }
    }
}
