import OBDCore
import ScanTool

extension Reply {
    /// The reply's lines as the adapter printed them: no echo, no prompt, no empty lines.
    ///
    /// Around a request that writes, the adapter is told to wait longer and is given a harmless
    /// command; what it says to those (`OK`, `banner`) is no part of the reply.
    func rawLines(without command: String, banner: String?) -> [String] {
        let compact = { (text: String) in text.uppercased().filter { $0 != " " } }
        let echo = compact(command)
        let replies = String(decoding: raw.filter { $0 != 0 }, as: UTF8.self)
            .split(separator: ">")
            .map { reply in
                reply.split(whereSeparator: { $0 == "\r" || $0 == "\n" || $0 == "\r\n" })
                    .map { String($0).trimmed }
                    .filter { !$0.isEmpty && compact($0) != echo }
            }
        guard replies.count > 1 else { return replies.flatMap(\.self) }
        let aside = ["OK"] + [banner].compactMap(\.self)
        let own = replies.filter { reply in !reply.allSatisfy { aside.contains($0) } }
        return (own.isEmpty ? replies : own).flatMap(\.self)
    }
}
