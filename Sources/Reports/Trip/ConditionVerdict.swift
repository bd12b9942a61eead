import Diagnostics
import OBDCore

/// The verdict about a vehicle in one sentence.
package struct ConditionVerdict: Hashable, Sendable {
    /// The severity.
    package enum Grade: String, Hashable, Sendable {
        case good, warn, bad
    }

    package typealias Code = (name: String, drive: DriveAdvice?, isPermanent: Bool)

    package let text: String
    /// The severity.
    package let grade: Grade

    /// The verdict about a condition.
    ///
    /// - Parameters:
    ///   - codes: each present code, with the advice about driving on (nil = unknown), and whether only the
    ///     permanent code is left.
    ///   - gone: codes that were present before, and whether their repair is proven.
    ///   - isComplete: whether every ECU gave its codes.
    ///   - clearedAgo: when codes were cleared, if that was too short ago for faults to show.
    ///   - incomplete: monitors that have not run since codes were cleared.
    ///   - failed: how many of the test results that were read failed.
    ///   - depending: codes that refer to other controllers, whose codes decide about driving on.
    ///   - seenOnce: codes that were seen once so far.
    package init(
        codes: [Code], gone: [(name: String, isProven: Bool)] = [], isComplete: Bool = true,
        clearedAgo: String? = nil, incomplete: [MonitorStatus.Monitor] = [], failed: Int = 0,
        depending: [String] = [], seenOnce: [String] = []
    ) {
        // If several ECUs have a code, its repair is proven only if it is proven for each.
        let open = gone.filter { !$0.isProven }.map(\.name)
        let unproven = Self.list(open)
        let proven = Self.list(gone.map(\.name).filter { !open.contains($0) })
        var past: [String] = []
        if !unproven.isEmpty { past.append("no repair of \(unproven) is proven") }
        if !proven.isEmpty { past.append("the repair of \(proven) is proven") }
        guard !codes.isEmpty else {
            guard isComplete else {
                text =
                    "No trouble codes were read, but not every ECU gave its codes"
                    + (failed == 0 ? "." : ", and \(Self.failures(failed)).")
                grade = failed == 0 ? .warn : .bad
                return
            }
            var doubts = unproven.isEmpty ? [] : [past.removeFirst()]
            if failed > 0 { doubts.insert(Self.failures(failed), at: 0) }
            if let clearedAgo { doubts.append("codes were cleared only \(clearedAgo) ago") }
            if !incomplete.isEmpty {
                let monitors = incomplete.count == 1 ? "monitor has" : "monitors have"
                doubts.append(
                    "\(incomplete.count) \(monitors) not run "
                        + (clearedAgo == nil ? "since codes were cleared" : "since then"))
            }
            text =
                "No trouble codes"
                + (past.isEmpty ? "" : ": \(past.joined(separator: ", and "))")
                + (doubts.isEmpty
                    ? "." : ", but \(Self.joined(doubts)), so a fault may still be unseen.")
            grade = failed > 0 ? .bad : doubts.isEmpty ? .good : .warn
            return
        }
        let gravest = codes.compactMap(\.drive).min()
        let undecided = codes.filter { $0.drive == nil && !$0.isPermanent }.map(\.name)
        let unknown = undecided.filter { !depending.contains($0) }
        let referring = undecided.filter(depending.contains)
        var parts = Self.advice(codes, gravest, seenOnce)
        if !unknown.isEmpty, gravest != .stop {
            parts.append(
                "whether one may drive on with \(Self.list(unknown)) is not known, and a red or "
                    + "flashing light means stop")
        }
        if !referring.isEmpty, gravest != .stop {
            parts.append(
                "whether one may drive on with \(Self.list(referring)) is not known until the codes of "
                    + "the other controllers are known"
                    + (unknown.isEmpty ? ", and a red or flashing light means stop" : ""))
        }
        if !isComplete { parts.append("not every ECU gave its codes") }
        let count = "\(codes.count) trouble \(codes.count == 1 ? "code" : "codes")"
        text = count + ": " + (parts + past).joined(separator: "; ") + "."
        grade = gravest == .stop || gravest == .soon ? .bad : .warn
    }

    /// The advice for the most serious codes.
    private static func advice(
        _ codes: [Code], _ gravest: DriveAdvice?, _ seenOnce: [String]
    ) -> [String] {
        let names = list(codes.filter { $0.drive == gravest }.map(\.name))
        switch gravest {
        case .stop: return ["do not drive on with \(names)"]
        case .soon: return ["have \(names) repaired soon"]
        case .weeks: return ["have \(names) repaired within weeks"]
        case .note, nil: break
        }
        var parts: [String] = []
        let present = codes.filter { $0.drive == .note && !$0.isPermanent }.map(\.name)
        // Whether a code that was seen once needs a repair is not known yet.
        let once = present.filter(seenOnce.contains)
        if !once.isEmpty {
            parts.append("\(list(once)) \(once.count == 1 ? "was" : "were") seen once so far")
        }
        let calm = present.filter { !seenOnce.contains($0) }
        if !calm.isEmpty {
            parts.append("one may drive on with \(list(calm))")
        }
        let left = unique(codes.filter(\.isPermanent).map(\.name))
        if !left.isEmpty {
            let names = left.count > 6 ? list(left) : joined(left)
            parts.append(
                "only the permanent \(left.count == 1 ? "code \(names) is" : "codes \(names) are") "
                    + "left, and the vehicle has not yet found that the fault is gone")
        }
        return parts
    }

    private static func failures(_ count: Int) -> String {
        "\(counted(Double(count), "test result")) failed"
    }

    private static func unique(_ names: [String]) -> [String] {
        names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func joined(_ parts: [String]) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }

    private static func list(_ names: [String]) -> String {
        let unique = unique(names)
        let shown = unique.prefix(6).joined(separator: ", ")
        return unique.count > 6 ? "\(shown) and \(unique.count - 6) more" : shown
    }
}
