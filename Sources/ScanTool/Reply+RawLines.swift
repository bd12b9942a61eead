import OBDCore

extension Reply {
    /// The reply's lines as the adapter printed them, without echo, prompt and empty lines.
    ///
    /// Before a request that writes, the adapter is set to wait longer, and after it, it gets a harmless
    /// command. The answers to those (`OK`, `banner`) are not part of the reply.
    ///
    /// A binary protocol has no lines, so each message becomes a line.
    public func rawLines(without command: String, banner: String?) -> [String] {
        guard raw.allSatisfy(Self.isText) else { return messageLines }
        let compact = { (text: String) in text.uppercased().filter { $0 != " " } }
        let echo = compact(command)
        let replies = String(decoding: raw.filter { $0 != 0 }, as: UTF8.self)
            .split(separator: ">")
            .map { reply in
                reply.split(whereSeparator: { $0 == "\r" || $0 == "\n" || $0 == "\r\n" })
                    .map { Self.trimmed($0) }
                    .filter { !$0.isEmpty && compact($0) != echo }
            }
        guard replies.count > 1 else { return replies.flatMap(\.self) }
        let aside = ["OK"] + [banner].compactMap(\.self)
        let own = replies.filter { reply in !reply.allSatisfy { aside.contains($0) } }
        return (own.isEmpty ? replies : own).flatMap(\.self)
    }

    /// One line per message and per status.
    ///
    /// For links that do not carry an adapter's lines.
    public var messageLines: [String] {
        messages.map { message in
            (message.ecu.map { "\($0) " } ?? "") + Hex.string(message.payload)
        } + statuses.map(\.text) + errors.map { "<\($0.reason)>" }
    }

    private static func trimmed(_ line: Substring) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let head = line.drop(while: isBlank)
        return String(head.reversed().drop(while: isBlank).reversed())
    }

    private static func isText(_ byte: UInt8) -> Bool {
        switch byte {
        // Adapters sometimes send NULs, which have no meaning.
        case 0x00, 0x09, 0x0A, 0x0D, 0x20...0x7E: true
        default: false
        }
    }
}
