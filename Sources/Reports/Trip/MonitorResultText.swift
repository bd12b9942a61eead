import Diagnostics
import Formats
import OBDCore
import PIDTables

extension MonitorTestResult {
    /// The name of the monitor for people.
    package var monitorTitle: String {
        monitor ?? mid.map { "monitor \(Hex.string([$0]))" }
            ?? component.map { "component \(Hex.string([$0]))" } ?? ""
    }

    /// The name of the test for people.
    package var testTitle: String { test ?? "test \(Hex.string([tid]))" }

    private static let tables = try? PIDTables.monitorTables()

    /// A number with the decimals that its scaling supports; "" for none.
    package func text(_ number: Double?) -> String {
        guard let number else { return "" }
        return fixed(number, decimals(forStep: Self.tables?.step(of: self) ?? 0))
    }

    /// The lower limit for people; "" if no value can be below it.
    package var minText: String { hasLowerLimit ? text(min) : "" }

    /// The upper limit for people; "" if no value can be above it.
    package var maxText: String { hasUpperLimit ? text(max) : "" }

    /// Both limits: `3.0…40.0`, `≤ 400`, `≥ 600.0`; "" if no value can exceed any of them.
    package var limitsText: String {
        switch (minText, maxText) {
        case ("", ""): ""
        case ("", let high): "≤ \(high)"
        case (let low, ""): "≥ \(low)"
        case (let low, let high): "\(low)…\(high)"
        }
    }

    /// Whether the value is within its limits; nil for a count or a constant without limits, which can
    /// neither pass nor fail, and for a test that did not run.
    package var judgement: Bool? {
        passed == true && !hasLowerLimit && !hasUpperLimit ? nil : passed
    }

    /// The verdict for people.
    package var verdict: String {
        switch judgement {
        case true: "passed"
        case false: "FAILED"
        case nil: passed == true || min == nil && max == nil ? "no limits" : "not run"
        }
    }
}
