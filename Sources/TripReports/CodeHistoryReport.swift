import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripStore

/// The histories of codes, as `dtc history` prints them.
public struct CodeHistoryReport {
    let lives: [CodeLife]
    let texts: CodeTexts
    let output: OutputForm

    /// A report of histories; `texts` contains the meanings of codes.
    public init(
        lives: [CodeLife], texts: CodeTexts, output: OutputForm
    ) {
        self.lives = lives
        self.texts = texts
        self.output = output
    }

    /// Prints the histories; without any, text output is empty.
    public func print(_ writer: inout TextOutput) throws(OutputError) {
        guard output.format != .text else {
            if !lives.isEmpty {
                try writer.write(table.text(output.palette, columns: output.columns))
            }
            return
        }
        var rows = RowWriter(output.format, kinds: [CodeLife.keys, CodeLife.changeKeys])
        for life in lives {
            let text = texts.text(of: life.code)
            try writer.print(life.row(text), &rows)
            for step in life.steps { try writer.print(life.row(of: step, text), &rows) }
        }
        try writer.append { rows.finish(&$0) }
    }

    private var table: TextTable {
        var rows = TextTable([
            ("CODE", .left), ("NOW", .left), ("FIRST SEEN", .left), ("LAST SEEN", .left),
            ("ECU", .left), ("VEHICLE", .left), ("LIFE", .left),
        ])
        for life in lives {
            rows.add([
                .init(life.code.fullText, .bold),
                .init(life.state, life.state == "gone" ? .dim : .warning),
                .init(localTime(life.firstSeen)), .init(localTime(life.lastSeen)),
                .init(life.ecu), .init(life.vehicle ?? "—"),
                .init(life.words),
            ])
        }
        return rows
    }
}

/// The history of a code of one ECU in all of its statuses.
public struct CodeLife {
    /// The code appeared in a status, or disappeared from it.
    struct Step: Hashable {
        var time: UTC
        var kind: CodeReport.Kind
        var isPresent: Bool
    }

    var vin: String?
    /// What the owner calls the vehicle, else its VIN.
    var vehicle: String?
    var ecu: ECUAddress?
    /// The code.
    public var code: CodeReport.Code
    var firstSeen: UTC
    var lastSeen: UTC
    var reports: Int
    var steps: [Step]
    /// The statuses in which the code was present when they were last read.
    var present: [CodeReport.Kind]

    /// The histories of all codes, the latest first.
    public static func all(_ entries: [CodeHistoryEntry]) -> [CodeLife] {
        var lives: [CodeLife] = []
        for entry in entries {
            let steps = entry.changes.map {
                Step(time: $0.time, kind: entry.kind, isPresent: $0.isPresent)
            }
            let present = entry.isPresent ? [entry.kind] : []
            let known = lives.firstIndex {
                $0.vin == entry.vin && $0.vehicle == entry.vehicle && $0.ecu == entry.ecu
                    && $0.code == entry.code
            }
            guard let known else {
                lives.append(
                    CodeLife(
                        vin: entry.vin, vehicle: entry.vehicle, ecu: entry.ecu, code: entry.code,
                        firstSeen: entry.firstSeen, lastSeen: entry.lastSeen,
                        reports: entry.reports, steps: steps, present: present))
                continue
            }
            lives[known].firstSeen = min(lives[known].firstSeen, entry.firstSeen)
            lives[known].lastSeen = max(lives[known].lastSeen, entry.lastSeen)
            lives[known].reports = max(lives[known].reports, entry.reports)
            lives[known].steps += steps
            lives[known].present += present
        }
        for place in lives.indices { lives[place].steps.sort { $0.time < $1.time } }
        return lives
    }

    /// Whether the code came or went in any status since a moment.
    public func changed(since start: UTC) -> Bool { steps.contains { $0.time >= start } }

    /// The present status of the code.
    var state: String {
        let kinds = CodeReport.Kind.allCases.filter { present.contains($0) }
        return kinds.isEmpty ? "gone" : kinds.map(\.rawValue).joined(separator: ", ")
    }

    /// The history in words: `2026-11-21 pending, 2026-11-23 stored, 2026-12-01 not stored`.
    var words: String {
        var last = ""
        return steps.map { step in
            let day = String(localTime(step.time).prefix(10))
            defer { last = day }
            return (day == last ? "" : day + " ") + (step.isPresent ? "" : "not ")
                + step.kind.rawValue
        }.joined(separator: ", ")
    }

    static let keys = [
        "vin", "ecu", "code", "failureType", "description", "present", "firstSeen", "lastSeen",
        "reports", "vehicle",
    ]

    static let changeKeys = [
        "time", "vin", "ecu", "code", "failureType", "description", "status", "change",
        "vehicle",
    ]

    func row(_ description: String?) -> Row {
        Row(
            "codeHistory",
            [
                "vin": .text(vin), "ecu": .text(ecu?.description), "code": .text(code.text),
                "failureType": .text(code.failureType), "description": .text(description),
                "present": .words(present.map(\.rawValue)), "firstSeen": .time(firstSeen),
                "lastSeen": .time(lastSeen), "reports": .integer(reports),
                "vehicle": .text(vehicle),
            ])
    }

    func row(of step: Step, _ description: String?) -> Row {
        Row(
            "codeChange",
            [
                "time": .time(step.time), "vin": .text(vin), "ecu": .text(ecu?.description),
                "code": .text(code.text), "failureType": .text(code.failureType),
                "description": .text(description), "status": .text(step.kind.rawValue),
                "change": .text(step.isPresent ? "came" : "gone"), "vehicle": .text(vehicle),
            ])
    }
}
