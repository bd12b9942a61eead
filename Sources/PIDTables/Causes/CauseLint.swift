import Diagnostics
import OBDCore

extension PIDTables {
    /// The embedded causes.
    package static func causes() throws(CauseError) -> CauseTable {
        var table = CauseTable()
        for (_, text) in causeTexts() { table.replace(try CauseTable(text)) }
        return table
    }

    /// The embedded quantities.
    package static func quantities() throws(CauseError) -> QuantityTable {
        let file = EmbeddedFiles.all.first { $0.path.description == "quantities.tsv" }
        return try QuantityTable(file?.contents.description ?? "")
    }

    /// Faults in a user's causes, which may use the embedded measures.
    package static func lintCauses(_ text: String, path: String) -> [TableFinding] {
        do throws(CauseError) {
            var table = try causes()
            table.replace(try CauseTable(text))
            return table.faults.map { .init(file: path, line: 1, .explanation($0)) }
        } catch {
            return [.init(file: path, line: error.line, .explanation(error.reason))]
        }
    }

    private static func causeTexts() -> [(path: String, text: String)] {
        EmbeddedFiles.all.compactMap { file in
            let path = file.path.description
            guard path.hasPrefix("causes/"), path.hasSuffix(".causes") else { return nil }
            return ("pids/" + path, file.contents.description)
        }
    }

    /// Faults in the embedded causes and quantities.
    static func lintCauses() -> [TableFinding] {
        var findings: [TableFinding] = []
        var table = CauseTable()
        for (path, text) in causeTexts() {
            do throws(CauseError) {
                let found = try CauseTable(text)
                for cause in found.causes where table[cause: cause.id] != nil {
                    findings.append(
                        .init(file: path, line: 1, .explanation("cause \(cause.id) appears twice")))
                }
                table.replace(found)
            } catch {
                findings.append(.init(file: path, line: error.line, .explanation(error.reason)))
            }
        }
        findings += table.faults.map { .init(file: "pids/causes", line: 1, .explanation($0)) }
        do throws(CauseError) {
            let quantities = try quantities()
            findings += lint(quantities)
            let known = Set(quantities.rows.map(\.quantity))
            for measure in table.measures {
                for quantity in measure.needs where !known.contains(quantity) {
                    findings.append(
                        .init(
                            file: "pids/causes", line: 1,
                            .explanation("\(measure.id): `\(quantity)` is not a quantity")))
                }
            }
        } catch {
            findings.append(
                .init(file: "pids/quantities.tsv", line: error.line, .explanation(error.reason)))
        }
        return findings
    }

    /// Quantities whose signals are in no table, or have another unit there.
    private static func lint(_ quantities: QuantityTable) -> [TableFinding] {
        guard let table = try? standard() else { return [] }
        var units: [String: String] = [:]
        for record in table.records {
            for index in record.signals {
                let signal = table[SignalIndex(rawValue: index)]
                units[signal.id] = signal.unit
            }
        }
        var findings: [TableFinding] = []
        for row in quantities.rows {
            for signal in row.signals
            where units[signal] != row.unit && SignalRole(rawValue: signal) == nil {
                let reason =
                    units[signal].map { "\(signal) has the unit `\($0)`" }
                    ?? "\(signal) is not a signal"
                findings.append(
                    .init(file: "pids/quantities.tsv", line: row.line, .explanation(reason)))
            }
        }
        return findings
    }
}

extension CauseTable {
    /// The faults that make a cause or measure useless or wrong.
    package var faults: [String] {
        var faults: [String] = []
        let known = Set(measures.map(\.id))
        func check(_ names: some Sequence<String>, _ owner: String) {
            for name in names where !known.contains(name) {
                faults.append("\(owner): `\(name)` is not a measure")
            }
        }
        for measure in measures {
            switch measure.derived {
            case .difference(let a, let b), .ratio(let a, let b): check([a, b], measure.id)
            case nil: break
            }
            check(measure.unless, measure.id)
            if measure.healthy != nil, measure.limit == nil {
                faults.append("\(measure.id): a limit for people is missing")
            }
            if let limit = measure.limit, let healthy = measure.healthy,
                !limit.contains(healthy.centre)
            {
                faults.append("\(measure.id): its centre is outside of its limit")
            }
        }
        for cause in causes {
            check(cause.needs.flatMap { $0 }, cause.id)
            check(cause.free, cause.id)
            for expect in cause.expects {
                check([expect.feature], cause.id)
                check(expect.formula.names.filter { $0 != cause.severity }, cause.id)
                if self[measure: expect.feature]?.healthy == nil {
                    faults.append("\(cause.id): `\(expect.feature)` has no healthy range")
                }
            }
            for condition in cause.musts + cause.forbids + cause.proofs {
                check(condition.alternatives.flatMap { $0.map(\.feature) }, cause.id)
            }
            for (other, _) in cause.alike where self[cause: other] == nil {
                faults.append("\(cause.id): `\(other)` is not a cause")
            }
            if cause.expects.isEmpty { faults.append("\(cause.id): it expects nothing") }
            if cause.musts.isEmpty { faults.append("\(cause.id): nothing must be seen") }
            if cause.next.isEmpty { faults.append("\(cause.id): the next test is missing") }
            if cause.drive.isEmpty {
                faults.append("\(cause.id): whether one may drive is missing")
            }
            if cause.sources.isEmpty { faults.append("\(cause.id): a source is missing") }
        }
        return faults
    }
}
