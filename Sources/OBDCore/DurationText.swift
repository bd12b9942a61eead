extension Duration {
    /// Reads `90`, `90s`, `10m`, `1h30m` or `500ms`; nil for anything else, including an empty text.
    public init?(text: String) {
        var total = Duration.zero
        var rest = text[...]
        var isFirst = true
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let number = Double(digits), number.isFinite, number < 1e9 else { return nil }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count)
            let seconds: Double
            switch unit {
            case "ms": seconds = 0.001
            case "s": seconds = 1
            case "m", "min": seconds = 60
            case "h": seconds = 3600
            case "d": seconds = 86_400
            case "" where isFirst && rest.isEmpty: seconds = 1
            default: return nil
            }
            total += .seconds(number * seconds)
            isFirst = false
        }
        guard !isFirst, total > .zero else { return nil }
        self = total
    }
}
