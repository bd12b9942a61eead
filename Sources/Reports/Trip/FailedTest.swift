import Diagnostics
import Formats
import OBDCore
import PIDTables

/// A failed test result in plain words: the distance from its limit, and the parts to check.
///
/// All words come from tables: a test without a public name is called the maker's own, and the causes are
/// those of the codes whose repair the monitor proves.
package struct FailedTest {
    private let result: MonitorTestResult
    private let explanations: CodeExplanations
    private let texts: CodeTexts
    private let engine: EngineParts

    /// The words for `result`; they name commands if those of `explanations` do.
    package init(
        _ result: MonitorTestResult, _ explanations: CodeExplanations, _ texts: CodeTexts,
        engine: EngineParts = EngineParts()
    ) {
        self.result = result
        self.engine = engine
        self.explanations = explanations
        self.texts = texts
    }

    /// The measured value against its limit, the quantity, and the parts to check.
    package var text: String { [miss, test, advice].filter { !$0.isEmpty }.joined(separator: " ") }

    /// The difference between the value and its limit, in words.
    private var miss: String {
        guard let value = result.value else { return "" }
        let unit = result.unit.map { " \($0)" } ?? ""
        func sentence(_ distance: Double, _ side: String, _ limit: Double) -> String {
            "\(result.text(value))\(unit) is \(result.text(distance))\(unit) \(side) the limit of "
                + "\(result.text(limit))\(unit)."
        }
        if let max = result.max, value > max { return sentence(value - max, "above", max) }
        if let min = result.min, value < min { return sentence(min - value, "below", min) }
        return ""
    }

    /// The quantity, as far as SAE J1979-DA names it.
    private var test: String {
        if let name = result.test { return "The test: \(name.startingSmall)." }
        // SAE J1979 leaves these numbers to manufacturers, and before CAN all of service 06.
        guard result.mid == nil || result.tid >= 0x80 else { return "" }
        return "Only the maker's service data says what \(result.testTitle) measures."
    }

    private var advice: String {
        let families = (result.mid.map { explanations.families(ofMonitor: $0) } ?? [])
            .filter { explanations.fitting($0.title, engine) == $0.title }
        guard let first = families.first else { return "" }
        let codes = families.compactMap(code).joined(separator: " ")
        let command = "\"obdscan dtc explain \(codes)\""
        if families.count > 1 {
            let titles = families.map(\.title.startingSmall).joined(separator: "; ")
            return "It can belong to these faults: \(titles)."
                + (explanations.namesCommands ? " \(command) explains them." : "")
        }
        let causes = explanations.fitting(first.unspecificCauses, engine).map(\.what)
            .joined(separator: "; ")
        return (causes.isEmpty ? "" : "Check in this order: \(causes).")
            + (explanations.namesCommands ? " \(command) says how." : "")
    }

    /// The code of a family that names the monitor's bank or cylinder, else its first one.
    private func code(of family: CodeFamily) -> String? {
        let codes = family.codes.joined().map { DTC($0) }.filter { texts.text(of: $0) != nil }
        let own = codes.first { code in
            guard let part = result.part, let text = texts.text(of: code)?.lowercased() else {
                return false
            }
            return (text + " ").firstRange(of: part)
                .map { text.endIndex == $0.upperBound || !text[$0.upperBound].isNumber } ?? false
        }
        return (own ?? codes.first)?.text
    }
}
