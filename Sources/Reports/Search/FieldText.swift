import Formats
import OBDCore

extension FieldPlace {
    /// The bits as a table has them: `B..C`, `A.3..B.0`, `A.4..B.3` with `little`.
    package var text: String {
        let isWhole = low % 8 == 0 && length % 8 == 0
        let (lowest, highest) = (bit(0), bit(length - 1))
        // A table names bits of one byte from the most significant one.
        let (first, last) = isLittle && !isInOneByte ? (lowest, highest) : (highest, lowest)
        let (one, other) = (Self.byteName(first / 8), Self.byteName(last / 8))
        if isWhole { return one == other ? one : "\(one)..\(other)" }
        if length == 1 { return "\(one).\(first % 8)" }
        return "\(one).\(first % 8)..\(other).\(last % 8)"
    }

    /// The options of a table's row for order and sign.
    package var options: [String] {
        (isSigned ? ["signed"] : []) + (isLittle && !isInOneByte ? ["little"] : [])
    }

    /// A to Z, then AA.
    private static func byteName(_ byte: Int) -> String {
        let letter = String(UnicodeScalar(UInt8(0x41 + byte % 26)))
        return byte < 26 ? letter : byteName(byte / 26 - 1) + letter
    }
}

extension Formula {
    /// The scale as a table has it.
    package var scaleWord: String {
        (scale < 0 ? "-" : "") + (scaleText ?? Self.decimal(abs(scale)))
    }

    /// The offset as a table has it.
    package var offsetWord: String { Self.decimal(offset) }

    /// A number with at most six significant digits.
    private static func decimal(_ value: Double) -> String {
        guard value != 0, value.isFinite else { return "0" }
        var places = 0
        var size = abs(value)
        while size < 100_000, places < 12 {
            size *= 10
            places += 1
        }
        var text = fixed(value, places)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text == "-0" ? "0" : text
    }
}

extension SignalSearch.Candidate {
    /// The record of the message in the format of obdscan-pids(5).
    package func record(_ name: String, unit: String) -> [String] {
        var words = ["  signal", name, place.text] + place.options
        if formula.scaleWord != "1" { words += ["scale", formula.scaleWord] }
        if formula.offset != 0 { words += ["offset", formula.offsetWord] }
        if !unit.isEmpty { words += ["unit", unit] }
        var rows: [(bit: Int, text: String)] = []
        if let mux, let branch = stream.branch {
            let raw = Hex.string(UInt32(branch), digits: (mux.length + 3) / 4)
            words += ["if", "\(name).switch=\(raw)"]
            rows.append(
                (
                    mux.bytes.lowerBound,
                    "  signal \(name).switch \(mux.text) : Which values the other bytes have"
                ))
        }
        rows.append((place.bytes.lowerBound, (words + [":", name]).joined(separator: " ")))
        return ["record CAN:\(stream.digits) 1..\(stream.width) : Found by its course"]
            + rows.sorted { $0.bit < $1.bit }.map(\.text)
    }
}

extension StreamID {
    /// The identifier of the frames with the digits of its kind.
    package var digits: String { ECUAddress(id, isExtended ? .can29 : .can11).digits }
}
