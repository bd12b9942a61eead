/// The separator of the cells in a table.
public enum Delimiter: Hashable, Sendable {
    case comma, semicolon, tab

    /// The separator that a user names by its character or by a word; nil for anything else.
    public init?(argument: String) {
        switch argument {
        case ",", "comma": self = .comma
        case ";", "semicolon": self = .semicolon
        case "\t", "\\t", "tab": self = .tab
        default: return nil
        }
    }

    /// The words that users can write for each separator.
    public static var allValueStrings: [String] { [",", ";", "tab"] }

    /// The character.
    public var scalar: Unicode.Scalar {
        switch self {
        case .comma: ","
        case .semicolon: ";"
        case .tab: "\t"
        }
    }

    /// The separator in files with this ending.
    public init(ending: String?) { self = ending == "tsv" ? .tab : .comma }
}
