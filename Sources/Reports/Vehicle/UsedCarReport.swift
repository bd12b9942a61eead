import Diagnostics
import Formats
import OBDCore
import SystemIO

/// The report of `check`, as text, JSON Lines, CSV or a page.
package struct UsedCarReport {
    package let findings: UsedCarFindings
    private let facts: UsedCarFacts
    /// The meaning of codes, monitors and counters.
    private let condition: VehicleFindings
    private let time: UTC
    /// The VIN that the vehicle reports, with what the VIN says.
    private let vehicle: [String]
    /// The VIN on the windscreen if the vehicle does not report the same one, with what the VIN says.
    private let windscreen: [String]
    private let unasked: Int
    private let output: OutputForm

    /// A report of `scan`; `known` are reasons that the user knows, and `make` is what the VIN says.
    package init(
        _ scan: UsedCarScan, known: Set<UsedCarExplanation>, make: (VIN) -> String?,
        _ output: OutputForm
    ) {
        findings = UsedCarFindings(scan.facts, known: known) { output.units.whole($0, "km") }
        facts = scan.facts
        condition = scan.condition.findings(output.units)
        time = scan.condition.time
        func words(_ vin: VIN?) -> [String] { [vin?.text, vin.flatMap(make)].compactMap(\.self) }
        let reported = scan.condition.vin
        vehicle = words(reported)
        windscreen = scan.facts.windscreen == reported ? [] : words(scan.facts.windscreen)
        unasked = scan.unasked
        self.output = output
    }

    package func print(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text {
            try writer.write(text)
        } else {
            var table = RowWriter(output.format, kinds: Self.keys)
            for row in rows { try writer.print(row, &table) }
        }
        try writer.flush()
    }

    private var grade: ConditionVerdict.Grade {
        if findings.grade == .contradiction { return .bad }
        let isDoubtful =
            findings.grade == .odd || findings.clearedAgo != nil || findings.hasRunNoMonitor
            || !findings.comparesMileage
        return isDoubtful ? .warn : .good
    }

    /// The data that was not read, in words.
    private var gaps: [String] {
        findings.gaps
            + (unasked > 0
                ? ["\(counted(unasked, "address", "addresses")) of modules: time ran out"] : [])
    }

    private static func title(of grade: UsedCarFinding.Grade) -> String {
        switch grade {
        case .contradiction: "Contradictions"
        case .odd: "Odd"
        case .note: "Notes"
        }
    }

    /// The explanations of a finding, in one sentence.
    private func reasons(_ finding: UsedCarFinding) -> String {
        if let known = finding.known { return "Explained: \(known.text)." }
        return "It may be: " + finding.explains.map(\.text).joined(separator: ", ") + "."
    }

    private func name(of distance: UsedCarFacts.Distance) -> String {
        switch distance.kind {
        case .shown: "Dashboard"
        case .cluster: "Odometer of the instruments or another module"
        case .engine: "Odometer of an ECU"
        case .lifetime: "Lifetime distance of the fuel consumption monitor"
        }
    }

    /// The name in a sentence, and which answer holds the distance.
    private func origin(of distance: UsedCarFacts.Distance) -> String {
        let name = name(of: distance)
        let plain = name.prefix(1).lowercased() + name.dropFirst()
        return distance.kind == .shown ? plain : "\(plain) (\(distance.source))"
    }

    // MARK: For people

    private var text: String {
        let palette = output.palette
        let columns = output.columns
        let style: Style =
            switch grade {
            case .good: .good
            case .warn: .warning
            case .bad: .bad
            }
        var parts = [lines(findings.verdict, style, palette, columns)]
        for grade in UsedCarFinding.Grade.allCases {
            let own = findings.of(grade)
            guard !own.isEmpty else { continue }
            var rows = TextTable([("", .left)])
            for finding in own {
                rows.add([.init(finding.text)])
                rows.add([.init(reasons(finding), .dim)])
            }
            parts.append(
                palette(.bold, Self.title(of: grade)) + "\n"
                    + rows.text(palette, indent: 2, columns: columns))
        }
        var rows = TextTable([("", .left), ("", .left)], flexible: [1])
        if !vehicle.isEmpty {
            rows.add([.init("Vehicle", .dim), .init(vehicle.joined(separator: ", "))])
        }
        if !windscreen.isEmpty {
            rows.add([.init("Windscreen", .dim), .init(windscreen.joined(separator: ", "))])
        }
        for distance in facts.distances {
            rows.add([
                .init("Distance", .dim),
                .init(output.units.whole(distance.kilometres, "km") + ", " + origin(of: distance)),
            ])
        }
        if let agreement = findings.agreement {
            rows.add([.init("Agrees", .dim), .init(agreement)])
        }
        rows.add([.init("Codes", .dim), .init(condition.verdict.text)])
        if let cleared = condition.cleared { rows.add([.init("Cleared", .dim), .init(cleared)]) }
        for gap in gaps { rows.add([.init("Not read", .dim), .init(gap)]) }
        parts.append(rows.text(palette, columns: columns))
        return parts.joined(separator: "\n")
    }

    package var page: HTMLPage {
        var page = HTMLPage(title: "Used car check", lead: vehicle.joined(separator: " · "))
        page.section("Result") { page in
            page.element("p", findings.verdict, class: grade.rawValue)
            page.element(
                "p",
                "Agreement proves nothing, because an odometer can be set in every module. A "
                    + "contradiction is evidence, but may have honest reasons: ask for the papers.")
            page.facts(
                [("Read", localTime(time))]
                    + (windscreen.isEmpty
                        ? [] : [("VIN on the windscreen", windscreen.joined(separator: ", "))]))
        }
        for grade in UsedCarFinding.Grade.allCases {
            let own = findings.of(grade)
            guard !own.isEmpty else { continue }
            page.section(Self.title(of: grade)) { page in
                page.table(
                    [.init("Finding"), .init("First"), .init("Second"), .init("Honest reasons")],
                    own.map { finding in
                        [
                            .init(finding.text, grade == .contradiction ? "bad" : nil),
                            .init(said(finding.left)), .init(finding.right.map(said) ?? "—"),
                            .init(reasons(finding)),
                        ]
                    })
            }
        }
        if !facts.distances.isEmpty {
            page.section("Distances") { page in
                page.table(
                    [.init("Source"), .init("What"), .init("Distance", "n")],
                    facts.distances.map { distance in
                        [
                            .init(distance.source, "line"), .init(name(of: distance)),
                            .init(output.units.whole(distance.kilometres, "km"), "n"),
                        ]
                    })
                if let agreement = findings.agreement { page.element("p", agreement) }
            }
        }
        page.section("Trouble codes") { page in
            page.element("p", condition.verdict.text, class: condition.verdict.grade.rawValue)
            if let cleared = condition.cleared { page.element("p", cleared) }
        }
        if !gaps.isEmpty {
            page.section("Not read") { page in
                for gap in gaps { page.element("p", gap.prefix(1).uppercased() + gap.dropFirst()) }
            }
        }
        return page
    }

    private func said(_ side: UsedCarFinding.Side) -> String {
        switch side.value {
        case .text(let text): text.isEmpty ? side.source : "\(side.source): \(text)"
        case .number(let number, "km"):
            "\(side.source): \(output.units.whole(number, "km"))"
        case .number(let number, let unit):
            "\(side.source): \(fixed(number, 0))\(unit.map { " \($0)" } ?? "")"
        }
    }

    // MARK: For programs

    /// The keys of the rows, each kind's in their order.
    private static let keys =
        [VehicleFindings.keys[0], VehicleFindings.keys[2]]
        + [
            ["time", "grade", "id", "text", "left", "right", "explains", "known"],
            ["time", "ecu", "source", "name", "distanceKm"], ["time", "text"],
        ]

    private var rows: [Row] {
        var condition = condition.rows(at: time)
        condition.removeAll { $0.kind != "verdict" && $0.kind != "sinceClear" }
        for index in condition.indices where condition[index].kind == "verdict" {
            condition[index].set("text", .text(findings.verdict))
            condition[index].set("grade", .text(grade.rawValue))
        }
        let found = findings.findings.map { finding in
            Row(
                "finding",
                [
                    "time": .time(time), "grade": .text(finding.grade.rawValue),
                    "id": .text(finding.id), "text": .text(finding.text),
                    "left": value(finding.left),
                    "right": finding.right.map(value) ?? .null,
                    "explains": .texts(finding.explains.map(\.text)),
                    "known": .text(finding.known?.text),
                ])
        }
        let distances = facts.distances.map { distance in
            Row(
                "distance",
                [
                    "time": .time(time), "ecu": .text(distance.ecu?.description),
                    "source": .text(distance.source), "name": .text(name(of: distance)),
                    "distanceKm": .number(distance.kilometres),
                ])
        }
        let missing = gaps.map { Row("notRead", ["time": .time(time), "text": .text($0)]) }
        let rest = Array(condition.dropFirst())
        return Array(condition.prefix(1)) + found + rest + distances + missing
    }

    private func value(_ side: UsedCarFinding.Side) -> FieldValue {
        switch side.value {
        case .text(let text):
            .object(["source": .text(side.source), "value": .text(text), "unit": .null])
        case .number(let number, let unit):
            .object([
                "source": .text(side.source), "value": .number(number, places: 1),
                "unit": .text(unit),
            ])
        }
    }
}
