import Formats

/// Numbers as logs write them.
enum CSVNumber {
    /// A number with a point or a comma before its decimals; nil for anything else, and for what is
    /// not finite.
    static func decimal(_ text: some StringProtocol) -> Double? {
        var text = String(text)
        if text.utf8.count(where: { $0 == UInt8(ascii: ",") }) == 1, !text.utf8.contains(0x2E) {
            text = String(text.map { $0 == "," ? "." : $0 })
        }
        return CSVReader.number(text).flatMap { $0.isFinite ? $0 : nil }
    }
}
