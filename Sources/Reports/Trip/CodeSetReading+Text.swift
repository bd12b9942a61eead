import Diagnostics
import Formats

extension CodeSetReading.Finding {
    /// The meaning, with the codes and the voltage that led to it.
    var text: String {
        let codes = codes.map(\.text).joined(separator: " ")
        let voltage = voltage.map { "\(($0 * 10).rounded() / 10) V" }
        let reasons = [voltage, codes.isEmpty ? nil : codes].compactMap(\.self)
        return "\(sentence) (\(reasons.joined(separator: ", ")))"
    }
}

extension CodeSetReading {
    /// Why this precedes the causes of a single code, which begin with "first", too.
    package static let precedence =
        "Begin with this: it looks at all codes, and one repair may remove several. Then follow the "
        + "causes of each code."

    /// The meaning of the codes together, for people; empty if nothing is known.
    ///
    /// `besideCauses`: the causes of the single codes are shown, too.
    package func text(
        _ palette: Palette, columns: Int?, besideCauses: Bool = false
    ) -> String {
        if findings.isEmpty { return "" }
        var rows = TextTable([("", .left), ("", .left)], flexible: [1])
        for finding in findings {
            rows.add([
                // As wide as the heading above it in a list of codes.
                .init(rows.isEmpty ? "Together " : "", .dim),
                .init(finding.text),
            ])
        }
        if besideCauses { rows.add([.init(""), .init(Self.precedence)]) }
        return rows.text(palette, columns: columns)
    }

    /// The findings for programs.
    package var rows: [Row] {
        findings.map { finding in
            Row(
                "together",
                [
                    "finding": .text(finding.id), "text": .text(finding.sentence),
                    "codes": .words(finding.codes.map(\.text)),
                    "voltage": .number(finding.voltage),
                ])
        }
    }

    /// The keys of ``rows``, in their order.
    package static let keys = ["finding", "text", "codes", "voltage"]
}

extension VehicleFindings {
    /// The verdict, the time of clearing, and the meaning of the codes together, for people.
    ///
    /// `failures` is a sentence about failed tests.
    package func head(_ palette: Palette, columns: Int?, failures: String? = nil) -> String {
        let style: Style =
            switch verdict.grade {
            case .good: .good
            case .warn: .warning
            case .bad: .bad
            }
        return lines(verdict.text, style, palette, columns)
            + (failures.map { lines($0, .bad, palette, columns) } ?? "")
            + (cleared.map { lines($0, nil, palette, columns) } ?? "")
            + together.text(palette, columns: columns)
    }

    /// The proof of repair for each code that has one, for people.
    package func proofs(_ palette: Palette, columns: Int?) -> String {
        var rows = TextTable([("", .left), ("", .left), ("", .left)], flexible: [2])
        for fault in faults + gone where fault.proof.isKnown || fault.isGone {
            rows.add([
                .init(rows.isEmpty ? "Proof" : "", .dim), .init(fault.code.code.fullText, .bold),
                .init(fault.proof.text, fault.proof.state == .proven ? .good : nil),
            ])
        }
        return rows.text(palette, columns: columns)
    }
}

/// A sentence in lines that the terminal does not cut.
func lines(_ sentence: String, _ style: Style?, _ palette: Palette, _ columns: Int?) -> String {
    folded(sentence, to: columns ?? .max)
        .map { line in (style.map { palette($0, line) } ?? line) + "\n" }.joined()
}
