/// Adds the database that the user named with `--db` to the commands that messages suggest.
public struct SuggestedCommands: Sendable {
    private let option: String

    /// The words of the command line; nil if they do not name a database.
    public init?(_ arguments: [String]) {
        let words = arguments.prefix { $0 != "--" }
        guard let place = words.lastIndex(where: { $0 == "--db" || $0.hasPrefix("--db=") })
        else { return nil }
        let path =
            words[place] == "--db" ? words[(place + 1)...].first : String(words[place].dropFirst(5))
        guard let path else { return nil }
        option = " --db " + shellWord(path)
    }

    /// The text, in which the option follows each command in double quotes and each hint that is only a
    /// command.
    public func completed(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(completed(line:))
            .joined(separator: "\n")
    }

    private func completed(line: Substring) -> String {
        let hint = "hint: "
        if line.hasPrefix(hint), usesDatabase(line.dropFirst(hint.count)), !line.contains("\"") {
            return line + option
        }
        return line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .map {
                $0.offset % 2 == 1 && usesDatabase($0.element) ? $0.element + option : $0.element
            }
            .joined(separator: "\"")
    }

    /// Whether the text is a command that reads or writes trips, and does not name a database itself.
    private func usesDatabase(_ command: Substring) -> Bool {
        // `TZ=Asia/Tokyo obdscan import`.
        let words = Array(command.split(separator: " ").drop { $0.contains("=") })
        guard words.count > 1, words[0] == "obdscan", !words.contains("--db"),
            !words.contains("--help")
        else { return false }
        switch words[1] {
        case "trips", "export", "import", "db", "log", "live", "publish", "monitors", "report":
            return true
        case "dtc": return words.count < 3 || words[2] != "explain"
        default: return false
        }
    }
}
