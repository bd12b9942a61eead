import Diagnostics
import OBDCore
import SystemIO
import TripExport
import TripStore

/// The lives of codes: what `dtc history` prints.
public struct CodeHistoryReport {
    let lives: [CodeLife]
    let texts: CodeTexts
    let output: OutputForm

    /// A report of lives; `texts` says what codes mean.
    public init(
        lives: [CodeLife], texts: CodeTexts, output: OutputForm
    ) {
        self.lives = lives
        self.texts = texts
        self.output = output
    }

    /// Prints them; where there are none text has nothing.
    public func print(_ writer: inout TextOutput) throws(OutputError) {
        switch output.format {
        case .text:
            if !lives.isEmpty {
                try writer.write(table.text(output.palette, columns: output.columns))
            }
        case .json:
            for life in lives {
                try writer.append { life.object(texts.text(of: life.code)).append(to: &$0) }
            }
        case .csv: try writer.append { appendCSV(to: &$0) }
        }
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
                .init(life.ecu?.description ?? "—"), .init(life.vin ?? "—"),
                .init(life.words),
            ])
        }
        return rows
    }

    private func appendCSV(to bytes: inout [UInt8]) {
        CSVRow.append(
            [
                "time", "vin", "ecu", "code", "failureType", "description", "list", "change",
            ], to: &bytes)
        for life in lives {
            for step in life.steps {
                CSVRow.append(
                    [
                        step.time.text, life.vin ?? "", life.ecu?.description ?? "",
                        life.code.text, life.code.failureType ?? "",
                        texts.text(of: life.code) ?? "", step.kind.rawValue,
                        step.isPresent ? "came" : "gone",
                    ], to: &bytes)
            }
        }
    }
}

/// A code of one ECU through all of its lists.
public struct CodeLife {
    /// It came into a list, or was found to have left it.
    struct Step: Hashable {
        var time: UTC
        var kind: CodeReport.Kind
        var isPresent: Bool
    }

    var vin: String?
    var ecu: ECUAddress?
    /// The code.
    public var code: CodeReport.Code
    var firstSeen: UTC
    var lastSeen: UTC
    var reports: Int
    var steps: [Step]
    /// The lists that held it when they were last read.
    var present: [CodeReport.Kind]

    /// The lives of the codes of a history, the latest first.
    public static func all(_ entries: [CodeHistoryEntry]) -> [CodeLife] {
        var lives: [CodeLife] = []
        for entry in entries {
            let steps = entry.changes.map {
                Step(time: $0.time, kind: entry.kind, isPresent: $0.isPresent)
            }
            let present = entry.isPresent ? [entry.kind] : []
            let known = lives.firstIndex {
                $0.vin == entry.vin && $0.ecu == entry.ecu && $0.code == entry.code
            }
            guard let known else {
                lives.append(
                    CodeLife(
                        vin: entry.vin, ecu: entry.ecu, code: entry.code,
                        firstSeen: entry.firstSeen, lastSeen: entry.lastSeen,
                        reports: entry.reports, steps: steps, present: present))
                continue
            }
            lives[known].firstSeen = min(lives[known].firstSeen, entry.firstSeen)
            lives[known].lastSeen = max(lives[known].lastSeen, entry.lastSeen)
            lives[known].reports += entry.reports
            lives[known].steps += steps
            lives[known].present += present
        }
        for place in lives.indices { lives[place].steps.sort { $0.time < $1.time } }
        return lives
    }

    /// Where it is now.
    var state: String {
        let order: [CodeReport.Kind] = [.stored, .pending, .permanent]
        let kinds = order.filter { present.contains($0) }
        return kinds.isEmpty ? "gone" : kinds.map(\.rawValue).joined(separator: ", ")
    }

    /// Its life in words: `2026-11-21 pending, 2026-11-23 stored, 2026-12-01 not stored`.
    var words: String {
        var last = ""
        return steps.map { step in
            let day = String(localTime(step.time).prefix(10))
            defer { last = day }
            return (day == last ? "" : day + " ") + (step.isPresent ? "" : "not ")
                + step.kind.rawValue
        }.joined(separator: ", ")
    }

    func object(_ description: String?) -> JSONObject {
        var object = JSONObject()
        object.add("kind", "codeHistory")
        object.add("vin", vin)
        object.add("ecu", ecu?.description)
        object.add("code", code.text)
        if let type = code.failureType { object.add("failureType", type) }
        object.add("description", description)
        object.add("present", present.map(\.rawValue))
        object.add("firstSeen", firstSeen)
        object.add("lastSeen", lastSeen)
        object.add("reports", reports)
        object.add(
            "changes",
            steps.map { step in
                var change = JSONObject()
                change.add("time", step.time)
                change.add("list", step.kind.rawValue)
                change.add("change", step.isPresent ? "came" : "gone")
                return change
            })
        return object
    }
}
