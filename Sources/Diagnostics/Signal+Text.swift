public import OBDCore

extension Signal {
    /// The value in words, with its unit: `1726 rpm`, `3 (Drive)`, `on`, `not available`.
    public func text(of value: Reading.Value) -> String {
        switch value {
        case .number(let number):
            let whole = Int64(exactly: number).map(String.init) ?? "\(number)"
            let name = label(of: value).map { " (\($0))" } ?? ""
            return (unit.isEmpty ? whole : "\(whole) \(unit)") + name
        case .flag(let isSet): return isSet ? "on" : "off"
        case .label(let code):
            return labels.first { $0.code == code }?.label ?? "code \(code)"
        case .text(let text): return text
        case .supportMap(let raw): return Hex.string(raw, digits: 8)
        case .missing(let reason, _): return reason.words
        }
    }
}

extension Reading.Missing {
    /// The reason in words.
    fileprivate var words: String {
        switch self {
        case .notSupported: "not supported"
        case .notAvailable: "not available"
        case .tooShort: "the record is too short"
        case .undefined: "undefined"
        }
    }
}

extension CodeReport: CustomStringConvertible {
    /// `7E8 stored P0301`.
    public var description: String {
        [ecu?.description, kind.rawValue, code.text].compactMap(\.self).joined(separator: " ")
    }
}

extension ResponseDecoder {
    /// The readings in a message.
    ///
    /// ``decode(_:in:_:)`` also gives codes, refusals and errors.
    public mutating func readings(of message: ECUMessage, in exchange: Exchange) -> [Reading] {
        var items: [DiagnosticItem] = []
        decode(message, in: exchange, &items)
        return items.compactMap { item in
            if case .reading(let reading) = item { reading } else { nil }
        }
    }
}
