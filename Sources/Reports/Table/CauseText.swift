import Formats
import PIDTables

/// The causes that `diagnose` knows, as text and rows.
package struct CauseList {
    private let causes: [CauseTable.Cause]
    private let table: CauseTable
    /// Whether one cause is shown with everything.
    private let isDetailed: Bool

    /// All causes, or the one of this name; nil if there is none.
    package init?(_ table: CauseTable, id: String?) {
        self.table = table
        isDetailed = id != nil
        causes = id.map { id in table.causes.filter { $0.id == id } } ?? table.causes
        if causes.isEmpty { return nil }
    }

    package static let keys = [
        "cause", "name", "needs", "signature", "must", "forbids", "alike", "next", "drive",
        "codes", "sources",
    ]

    package var rows: [Row] {
        causes.map { cause in
            Row(
                "knownCause",
                [
                    "cause": .text(cause.id), "name": .text(cause.name),
                    "needs": .words(cause.needs.map { $0.joined(separator: "|") }),
                    "signature": .words(signature(cause)),
                    "must": .words(cause.musts.map(text)),
                    "forbids": .words(cause.forbids.map(text)),
                    "alike": .words(cause.alike.map(\.cause)), "next": .text(cause.next),
                    "drive": .text(cause.drive), "codes": .words(cause.own + cause.codes),
                    "sources": .words(cause.sources.map(String.init)),
                ])
        }
    }

    package func text(_ output: OutputForm) -> String {
        if isDetailed { return causes.map { text(of: $0, output) }.joined() }
        var rows = TextTable([("CAUSE", .left), ("NAME", .left)], flexible: [1])
        for cause in causes { rows.add([.init(cause.id, .bold), .init(cause.name)]) }
        return rows.text(output.palette, columns: output.columns)
    }

    private func text(of cause: CauseTable.Cause, _ output: OutputForm) -> String {
        var rows = TextTable([("", .left), ("", .left)], flexible: [1])
        func add(_ head: String, _ texts: [String]) {
            for (place, text) in texts.enumerated() {
                rows.add([.init(place == 0 ? head : "", .dim), .init(text)])
            }
        }
        add("Needs", cause.needs.map { $0.map(name).joined(separator: ", or ") })
        add("Changes", signature(cause))
        add("Must", cause.musts.map(text))
        add("Or", cause.proofs.map(text))
        add("Excluded by", cause.forbids.map(text))
        add("Looks alike", cause.alike.map { "\($0.cause): \($0.test)" })
        add("Next test", [cause.next])
        add("Own codes", cause.own.isEmpty ? [] : [cause.own.joined(separator: " ")])
        add("Codes", cause.codes.isEmpty ? [] : [cause.codes.joined(separator: " ")])
        return lines(cause.name, .bold, output.palette, output.columns)
            + rows.text(output.palette, columns: output.columns)
    }

    private func name(_ id: String) -> String { table[measure: id]?.name ?? id }

    /// The measures that it changes, and how.
    private func signature(_ cause: CauseTable.Cause) -> [String] {
        var seen = Set<String>()
        return cause.expects.filter { seen.insert($0.feature).inserted }.map { expect in
            let change =
                switch expect.change {
                case .plus: "higher"
                case .minus: "lower"
                case .times: "another share"
                case .equals: "another value"
                }
            return "\(name(expect.feature)): \(change)"
        }
    }

    private func text(_ condition: CauseTable.Condition) -> String {
        condition.alternatives.map { terms in
            terms.map { term in
                switch term.comparison {
                case .above(let bound): "\(name(term.feature)) above \(bound)"
                case .below(let bound): "\(name(term.feature)) below \(bound)"
                case .unknown: "\(name(term.feature)) not measured"
                }
            }.joined(separator: " and ")
        }.joined(separator: "; or ") + (condition.why.isEmpty ? "" : " (\(condition.why))")
    }
}
