import ArgumentParser

/// What is between the cells of a table.
enum Delimiter: ExpressibleByArgument, Hashable, Sendable {
    case comma, semicolon, tab

    init?(argument: String) {
        switch argument {
        case ",", "comma": self = .comma
        case ";", "semicolon": self = .semicolon
        case "\t", "\\t", "tab": self = .tab
        default: return nil
        }
    }

    static var allValueStrings: [String] { [",", ";", "tab"] }

    /// The character.
    var scalar: Unicode.Scalar {
        switch self {
        case .comma: ","
        case .semicolon: ";"
        case .tab: "\t"
        }
    }
}

/// Where codes of one or many vehicles are written to.
struct CodeTableOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write a table: .csv, .tsv, .jsonl or .xlsx.", valueName: "file"),
        completion: .file())
    var to: String?

    @Flag(help: "Add rows to the table of --to; do not replace it.")
    var append = false

    @Option(help: ArgumentHelp("Fill the column label with this text.", valueName: "text"))
    var label: String?

    @Flag(help: "Write local times without fractions into the table.")
    var localTime = false

    @Option(
        help: ArgumentHelp(
            "Separate cells of CSV by this: , or ; or tab.", valueName: "character"))
    var delimiter: Delimiter?

    @Option(
        help: ArgumentHelp(
            "Write a page to print for each vehicle.",
            valueName: "folder"),
        completion: .directory)
    var report: String?
}
