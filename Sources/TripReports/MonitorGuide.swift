import Diagnostics
import Formats
import PIDTables

/// Advice about monitors that have not run: how to drive, and the verdicts of inspections.
enum MonitorGuide {
    private static let rules = (try? PIDTables.monitorTables())?.readiness ?? ReadinessRules()
    private static let explanations = try? PIDTables.codeExplanations()

    /// What holds for every inspection.
    static let lampOn = "The check engine light is on: the vehicle does not pass an inspection."

    /// The verdict if every monitor has run and the check engine light is off.
    static let ready =
        "Ready for inspection by the rule of "
        + rules.rules(modelYear: nil).map(\.title).joined(separator: ", ")
        + ". Other inspections have other rules."

    /// One sentence per region's rule.
    static func verdicts(_ incomplete: [MonitorStatus.Monitor], modelYear: Int?) -> [String] {
        Readiness.verdicts(incomplete: incomplete, by: rules.rules(modelYear: modelYear))
    }

    /// How to drive to complete each monitor; monitors without a rule are left out.
    static func drives(
        _ incomplete: [MonitorStatus.Monitor]
    ) -> [(monitor: MonitorStatus.Monitor, text: String)] {
        incomplete.compactMap { monitor in
            explanations?.drives[monitor].map { (monitor, $0) }
        }
    }
}
