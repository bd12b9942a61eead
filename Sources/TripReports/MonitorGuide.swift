import Diagnostics
import Formats
import PIDTables

/// What to know about monitors that have not run: how to drive, and what inspections make of it.
enum MonitorGuide {
    private static let rules = (try? PIDTables.monitorTables())?.readiness ?? ReadinessRules()
    private static let explanations = try? PIDTables.codeExplanations()

    /// A sentence for the rule of each region.
    static func verdicts(_ incomplete: [MonitorStatus.Monitor], modelYear: Int?) -> [String] {
        Readiness.verdicts(incomplete: incomplete, by: rules.rules(modelYear: modelYear))
    }

    /// How to drive so that each completes; one without a rule is left out.
    static func drives(
        _ incomplete: [MonitorStatus.Monitor]
    ) -> [(monitor: MonitorStatus.Monitor, text: String)] {
        incomplete.compactMap { monitor in
            explanations?.drives[monitor].map { (monitor, $0) }
        }
    }
}
