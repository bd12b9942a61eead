import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripStore

/// The histories of codes, as `dtc history` prints them.
package struct CodeHistoryReport {
    let lives: [CodeLife]
    let texts: CodeTexts
    let output: OutputForm

    /// A report of histories; `texts` contains the meanings of codes.
    package init(
        lives: [CodeLife], texts: CodeTexts, output: OutputForm
    ) {
        self.lives = lives
        self.texts = texts
        self.output = output
    }

    /// Prints the histories; without any, text output is empty.
    package func print(_ writer: inout TextOutput) throws(OutputError) {
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
            ("CODE", .left), ("AS LAST READ", .left), ("FIRST SEEN", .left), ("LAST SEEN", .left),
            ("ECU", .left), ("VEHICLE", .left), ("LIFE", .left),
        ])
        for life in lives {
            rows.add([
                .init(life.code.fullText, .bold),
                .init(life.state, life.state == "gone" ? .dim : .warning),
                .init(localTime(life.firstSeen)), .init(localTime(life.lastSeen)),
                .init(life.ecu, life.names), .init(life.vehicle ?? "—"),
                .init(life.words),
            ])
        }
        return rows
    }
}

/// The history of a code of one ECU in all of its statuses.
package struct CodeLife {
    /// The code appeared in a status, or disappeared from it.
    struct Step: Hashable {
        var time: UTC
        var kind: CodeReport.Kind
        var isPresent: Bool
    }

    var vin: String?
    /// The owner's name for the vehicle, else its VIN.
    var vehicle: String?
    var ecu: ECUAddress?
    /// The names of the vehicle's ECUs.
    var names: ECUNames
    package var code: CodeReport.Code
    var firstSeen: UTC
    var lastSeen: UTC
    var reports: Int
    var steps: [Step]
    /// The statuses in which the code was present when they were last read.
    var present: [CodeReport.Kind]

    /// The histories of all codes, the latest first; `store` has the names of the ECUs.
    package static func all(
        _ entries: [CodeHistoryEntry], in store: TripStore
    ) throws(StoreError) -> [CodeLife] {
        var lives: [CodeLife] = []
        let known = try store.names(ofVehicles: entries.map(\.vin))
        for entry in entries {
            let steps = entry.changes.map {
                Step(time: $0.time, kind: entry.kind, isPresent: $0.isPresent)
            }
            let present = entry.isPresent ? [entry.kind] : []
            let place = lives.firstIndex {
                $0.vin == entry.vin && $0.vehicle == entry.vehicle && $0.ecu == entry.ecu
                    && $0.code == entry.code
            }
            guard let place else {
                var names = entry.vin.flatMap { known[$0] } ?? ECUNames()
                if case .j1939 = entry.code { names.isOnJ1939 = true }
                lives.append(
                    CodeLife(
                        vin: entry.vin, vehicle: entry.vehicle, ecu: entry.ecu, names: names,
                        code: entry.code,
                        firstSeen: entry.firstSeen, lastSeen: entry.lastSeen,
                        reports: entry.reports, steps: steps, present: present))
                continue
            }
            lives[place].firstSeen = min(lives[place].firstSeen, entry.firstSeen)
            lives[place].lastSeen = max(lives[place].lastSeen, entry.lastSeen)
            lives[place].reports = max(lives[place].reports, entry.reports)
            lives[place].steps += steps
            lives[place].present += present
        }
        for place in lives.indices { lives[place].steps.sort { $0.time < $1.time } }
        return lives
    }

    /// Whether the code appeared or disappeared in any status since a moment.
    package func changed(since start: UTC) -> Bool { steps.contains { $0.time >= start } }

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
        "reports", "vehicle", "ecuName",
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
                "vehicle": .text(vehicle), "ecuName": .text(names.name(of: ecu)),
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

extension TripStore {
    /// The names of the ECUs of these vehicles, by VIN.
    package func names(ofVehicles vins: [String?]) throws(StoreError) -> [String: ECUNames] {
        var names: [String: ECUNames] = [:]
        for vin in Set(vins.compactMap(\.self)) { names[vin] = try self.names(ofVehicle: vin) }
        return names
    }

    /// The names of a vehicle's ECUs; `vehicle` is a VIN or a name.
    package func names(
        ofVehicle vehicle: String?, onJ1939: Bool = false
    ) throws(StoreError) -> ECUNames {
        let known = try vehicle.map { name throws(StoreError) in try ecuNames(ofVehicle: name) }
        return ECUNames(onJ1939: onJ1939, own: known?.compactMapValues(\.self) ?? [:])
    }
}
