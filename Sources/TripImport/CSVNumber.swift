import Formats

/// Parses numbers in logs.
enum CSVNumber {
    /// A number with a decimal point or comma; nil for anything else, and if it is not finite.
    static func decimal(_ text: some StringProtocol) -> Double? {
        var text = String(text)
        if text.utf8.count(where: { $0 == UInt8(ascii: ",") }) == 1, !text.utf8.contains(0x2E) {
            text = String(text.map { $0 == "," ? "." : $0 })
        }
        return CSVReader.number(text).flatMap { $0.isFinite ? $0 : nil }
    }
}
