import Diagnostics
import Formats
import PIDTables

extension SignalDetailPrinter {
    /// The formula, such as `raw × 100/255 − 40`, or the possible values.
    static func formula(_ signal: Signal, in record: TableRecord) -> String {
        switch signal.kind {
        case .number: number(signal, in: record)
        case .flag: "true or false"
        case .enumeration: "one of"
        case .supportMap: "map of identifiers"
        case .code: "trouble code"
        case .text: "text"
        case .bytes: "bytes"
        }
    }

    private static func number(_ signal: Signal, in record: TableRecord) -> String {
        guard let formula = signal.formula else {
            return linear(raw(signal), signal.multiplier, signal.divisor, signal.offset)
        }
        var text: String
        if formula.isList {
            let entries = formula.pieces.map { piece in
                let range = piece.values
                let raw =
                    range.lowerBound == range.upperBound
                    ? hex(range.lowerBound) : "\(hex(range.lowerBound))..\(hex(range.upperBound))"
                return "\(raw) \(plain(piece.offset))"
            }
            text = "one of " + entries.joined(separator: ", ")
        } else if formula.points.isEmpty {
            text = linear(raw(signal), signal.multiplier, signal.divisor, signal.offset)
            for piece in formula.pieces {
                text += "; \(hex(piece.values.lowerBound))..\(hex(piece.values.upperBound)): "
                text += linear(raw(signal), piece.multiplier, piece.divisor, piece.offset)
            }
        } else {
            text = "along "
            text += formula.points.map { "\(hex($0.raw)) \(plain($0.value))" }
                .joined(separator: ", ")
        }
        if let operand = formula.operand {
            let name = record.signals[Int(operand.signal.rawValue)].id
            text = "(\(text)) \(operand.divides ? "/" : "×") \(name)"
        }
        return text
    }

    private static func raw(_ signal: Signal) -> String {
        switch signal.formula?.encoding {
        case .decimalDigits: "digits"
        case .floatingPoint: "float"
        case .binary, nil: signal.isSigned ? "signed raw" : "raw"
        }
    }

    private static func linear(
        _ raw: String, _ multiplier: Double, _ divisor: Double, _ offset: Double
    ) -> String {
        var text = raw
        if divisor != 1 {
            text += " × \(plain(multiplier))/\(plain(divisor))"
        } else if multiplier != 1 {
            text += " × \(plain(multiplier))"
        }
        if offset != 0 {
            text += offset < 0 ? " − " : " + "
            text += plain(abs(offset))
        }
        return text
    }
}
