import Formats
import OBDCore

/// Files that are not text, and what reads them.
enum BinaryFile {
    /// Why a file with this beginning is not decoded; nil for text.
    static func failure(of name: String, _ beginning: [UInt8]) -> Failure? {
        if beginning.starts(with: "SQLite format 3".utf8) {
            let file = shellWord(name)
            return Failure(
                "\(name) is a database",
                hint: "\"obdscan trips --db \(file)\" lists its trips", status: .badData)
        }
        if let known = known(name, beginning) { return known }
        guard isBinary(beginning) else { return nil }
        return Failure(
            "\(name) is not a text",
            hint:
                "obdscan decode reads the text of an adapter, recordings of --record, and logs of a "
                + "bus: candump, ASC, TRC, CRTD and tables", status: .badData)
    }

    /// Why a file of a known binary form is not read; nil for any other.
    static func known(_ file: String, _ beginning: [UInt8]) -> Failure? {
        if beginning.starts(with: "LOGG".utf8) || beginning.starts(with: "MDF     ".utf8) {
            let form = beginning.first == UInt8(ascii: "L") ? "BLF" : "MF4"
            return Failure(
                "\(file) is a binary \(form) file",
                hint:
                    "python3 -m can.logconvert \(shellWord(file)) \(shellWord(file + ".log")) makes text "
                    + "of it that obdscan reads (pip install \"python-can[mf4]\")",
                status: .badData)
        }
        if beginning.starts(with: "PK".utf8), file.lowercased().hasSuffix(".xlsx") {
            return Failure(
                "\(file) is a spreadsheet, which obdscan writes and does not read",
                hint: "save it as CSV, then try that", status: .badData)
        }
        return nil
    }

    /// The bytes that are looked at.
    private static let sample = 4096

    /// Whether more than a third of the bytes are not of a text.
    ///
    /// Adapters send some zero bytes, and a serial line at a wrong rate gives some bytes of any value. A text
    /// in UTF-16 begins with a byte order mark.
    private static func isBinary(_ beginning: [UInt8]) -> Bool {
        if beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF]) {
            return false
        }
        let start = beginning.prefix(sample)
        let strange = String(decoding: start, as: UTF8.self).unicodeScalars.count { scalar in
            scalar.value < 0x20 && !["\t", "\r", "\n", "\u{1B}"].contains(scalar)
                || scalar == "\u{FFFD}" || scalar.value == 0x7F
        }
        return start.count >= 16 && strange * 3 > start.count
    }
}
