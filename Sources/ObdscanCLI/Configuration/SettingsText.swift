/// A configuration file's text with one setting changed; comments and order stay as they are.
struct SettingsText {
    private(set) var lines: [String]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
    }

    /// The whole text.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// Sets `name` (`units`, `aliases.van`) to `value`; nil removes it.
    mutating func set(_ name: String, to value: [String]?, isList: Bool) {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        let (table, key) = parts.count == 2 ? (parts[0], parts[1]) : (nil, name)
        let line = value.map { words in
            let quoted = words.map(Self.quoted)
            return key + " = " + (isList ? "[" + quoted.joined(separator: ", ") + "]" : quoted[0])
        }
        if let place = place(of: key, in: table) {
            // A list may go on over several lines, up to its bracket.
            var end = place
            if lines[place].contains("["), !lines[place].contains("]") {
                end = lines[place...].firstIndex { $0.contains("]") } ?? place
            }
            lines.replaceSubrange(place...end, with: line.map { [$0] } ?? [])
            return
        }
        guard let line else { return }
        guard let table else {
            // Before the first table, behind what stands there.
            let end = lines.firstIndex { Self.tableName($0) != nil } ?? lines.count
            let last = lines[..<end].lastIndex { !$0.allSatisfy { $0 == " " } }
            lines.insert(line, at: last.map { $0 + 1 } ?? 0)
            return
        }
        if let heading = lines.firstIndex(where: { Self.tableName($0) == table }) {
            lines.insert(line, at: heading + 1)
        } else {
            if !lines.isEmpty { lines.append("") }
            lines += ["[\(table)]", line]
        }
    }

    private func place(of key: String, in table: String?) -> Int? {
        var current: String?
        for (index, line) in lines.enumerated() {
            if let name = Self.tableName(line) {
                current = name
                continue
            }
            let written = line.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
            guard line.contains("=") else { continue }
            if current == table && written == key { return index }
            if current == nil, let table, written == "\(table).\(key)" { return index }
        }
        return nil
    }

    private static func tableName(_ line: String) -> String? {
        let words = line.drop { $0 == " " || $0 == "\t" }
        guard words.hasPrefix("["), !words.hasPrefix("[[") else { return nil }
        return String(words.dropFirst().prefix { $0 != "]" })
    }

    /// A basic string of TOML.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}
