/// The styles of text; a colour alone never has a meaning.
public enum Style: Sendable {
    case bold, dim, good, warning, bad, accent, inverse, underlined, second

    /// The SGR parameters.
    public var code: String {
        switch self {
        case .bold: "1"
        case .dim: "2"
        case .good: "32"
        case .warning: "33"
        case .bad: "31"
        case .accent: "36"
        case .inverse: "7"
        case .underlined: "4"
        case .second: "35"
        }
    }
}

/// Adds styles to text, unless colour is off.
public struct Palette: Hashable, Sendable {
    /// Whether escape sequences may be written.
    public var isOn: Bool
    /// Whether tables show only ASCII, because the locale's terminals require that.
    public var isASCII: Bool

    /// A palette with or without styles.
    public init(isOn: Bool, isASCII: Bool = false) {
        self.isOn = isOn
        self.isASCII = isASCII
    }

    /// `text` in characters of the locale; use it before a layout, because some signs become words.
    public func shown(_ text: String) -> String { isASCII ? asciiWords(text) : text }

    /// `text` in `style`.
    public func callAsFunction(_ style: Style, _ text: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(style.code)m\(text)\u{1B}[0m" : text
    }
}
