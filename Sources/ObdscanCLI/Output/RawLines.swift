import OBDCore
import ScanTool

extension Reply {
    /// The reply's lines as the adapter printed them: no echo, no prompt, no empty lines.
    func rawLines(without command: String) -> [String] {
        let compact = { (text: String) in text.uppercased().filter { $0 != " " } }
        let echo = compact(command)
        return String(decoding: raw.filter { $0 != 0 }, as: UTF8.self)
            .split(whereSeparator: { $0 == "\r" || $0 == "\n" || $0 == "\r\n" || $0 == ">" })
            .map { String($0).trimmed }
            .filter { !$0.isEmpty && compact($0) != echo }
    }
}
