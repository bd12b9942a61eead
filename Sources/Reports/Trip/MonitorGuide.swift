import Diagnostics
import PIDTables

/// How to drive so that monitors run.
enum MonitorGuide {
    private static let explanations = try? PIDTables.codeExplanations()

    /// How to drive to complete each monitor; monitors without a rule are left out.
    static func drives(
        _ incomplete: [MonitorStatus.Monitor]
    ) -> [(monitor: MonitorStatus.Monitor, text: String)] {
        incomplete.compactMap { monitor in
            explanations?.drives[monitor].map { (monitor, $0) }
        }
    }
}
