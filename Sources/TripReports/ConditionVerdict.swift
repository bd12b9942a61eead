import Diagnostics

/// The verdict of a report in one sentence.
public struct ConditionVerdict: Hashable, Sendable {
    /// The severity.
    public enum Grade: String, Hashable, Sendable {
        case good, warn, bad
    }

    /// The sentence.
    public var text: String
    /// The severity.
    public var grade: Grade

    /// The verdict about a condition.
    ///
    /// - Parameters:
    ///   - codes: each present code with the advice about driving on; nil = unknown.
    ///   - untested: those of them that were cleared, but whose repair the vehicle has not tested yet.
    ///   - gone: codes that disappeared since the compared condition; nil = no comparison.
    ///   - incomplete: monitors that have not run since codes were cleared.
    ///   - failedTests: the number of test results beyond their limits.
    public init(
        codes: [(name: String, drive: DriveAdvice?)], untested: [String] = [], gone: [String]?,
        incomplete: [MonitorStatus.Monitor], failedTests: Int
    ) {
        var parts: [String] = []
        grade = .good
        if let gone, !gone.isEmpty { parts.append("Gone: \(Self.list(gone)).") }
        let gravest = codes.compactMap(\.drive).min()
        let names = Self.list(codes.filter { $0.drive == gravest }.map(\.name))
        let count = "\(codes.count) trouble \(codes.count == 1 ? "code" : "codes")"
        let unknown = codes.filter { $0.drive == nil }.map(\.name)
        switch (codes.isEmpty, gravest) {
        case (true, _): parts.append("No trouble codes.")
        case (_, .stop): parts.append("\(count). Do not drive on: \(names).")
        case (_, .soon): parts.append("\(count). Have it repaired soon: \(names).")
        case (_, .weeks): parts.append("\(count). Have it repaired within weeks: \(names).")
        // What is not known may be grave.
        case (_, .note) where !unknown.isEmpty:
            parts.append("\(count): \(Self.list(codes.map(\.name))).")
        case (_, .note):
            let others = codes.map(\.name).filter { !untested.contains($0) }
            parts.append("\(count).")
            if !untested.isEmpty {
                parts.append(
                    "Cleared, but the vehicle has not tested the repair yet: \(Self.list(untested))."
                )
            }
            if !others.isEmpty {
                parts.append("Nothing that needs a repair now: \(Self.list(others)).")
            }
        case (_, nil): parts.append("\(count): \(names).")
        }
        if !unknown.isEmpty, gravest != .stop {
            parts.append(
                "Whether one may drive on with \(Self.list(unknown)) is not known: a red or flashing "
                    + "light means stop.")
        }
        if !codes.isEmpty { grade = gravest == .stop || gravest == .soon ? .bad : .warn }
        if failedTests > 0 {
            parts.append("\(failedTests) test \(failedTests == 1 ? "result" : "results") failed.")
            if grade == .good { grade = .warn }
        }
        if !incomplete.isEmpty {
            let monitors = incomplete.count == 1 ? "monitor has" : "monitors have"
            parts.append(
                "\(incomplete.count) \(monitors) not run yet"
                    + (codes.isEmpty ? ", so a fault may still be unseen." : "."))
            if grade == .good { grade = .warn }
        }
        text = parts.joined(separator: " ")
    }

    private static func list(_ names: [String]) -> String {
        let unique = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let shown = unique.prefix(6).joined(separator: ", ")
        return unique.count > 6 ? "\(shown) and \(unique.count - 6) more" : shown
    }
}
