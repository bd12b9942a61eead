import Diagnostics
import Formats
import OBDCore
import PIDTables

extension MonitorTestResult {
    /// The name of the monitor for people.
    public var monitorTitle: String {
        monitor ?? mid.map { "monitor \(Hex.string([$0]))" }
            ?? component.map { "component \(Hex.string([$0]))" } ?? ""
    }

    /// The name of the test for people.
    public var testTitle: String { test ?? "test \(Hex.string([tid]))" }

    private static let tables = try? PIDTables.monitorTables()

    /// A number with the decimals that its scaling supports; "" for none.
    public func text(_ number: Double?) -> String {
        guard let number else { return "" }
        return fixed(number, decimals(forStep: Self.tables?.step(of: self) ?? 0))
    }

    /// The lower limit for people; "" if no value can be below it.
    public var minText: String { hasLowerLimit ? text(min) : "" }

    /// The upper limit for people; "" if no value can be above it.
    public var maxText: String { hasUpperLimit ? text(max) : "" }

    /// Both limits: `3.0…40.0`, `≤ 400`, `≥ 600.0`; "" if no value can exceed any of them.
    public var limitsText: String {
        switch (minText, maxText) {
        case ("", ""): ""
        case ("", let high): "≤ \(high)"
        case (let low, ""): "≥ \(low)"
        case (let low, let high): "\(low)…\(high)"
        }
    }

    /// The verdict for people; a count without limits can neither pass nor fail.
    public var verdict: String {
        switch passed {
        case true: hasLowerLimit || hasUpperLimit ? "passed" : "no limits"
        case false: "FAILED"
        case nil: "not run"
        }
    }
}
