import Diagnostics
import Formats
import OBDCore

extension ConditionReport {
    /// The keys of each kind of row.
    static let keys =
        [
            [
                "vin", "make", "odometerKm", "time", "since", "device", "protocol", "customer",
                "verdict",
            ], ItemRows.Keys.ecu, ItemRows.Keys.reading,
            ["ecu", "code", "failureType", "description", "statuses", "change"],
            ["ecu", "monitor", "complete", "before"],
            ["ecu", "monitor", "tid", "test", "value", "before", "min", "max", "unit", "passed"],
        ] + VehicleFindings.keys

    /// The rows of the ECUs and the freeze frames.
    private var beginning: [Row] {
        let items = ItemRows(table: table, units: output.units)
        return lamps.map { lamp in
            ItemRows.ecu(
                lamp.ecu, light: lamp.isOn,
                codes: change.codes.count { $0.code.ecu == lamp.ecu && $0.fate != .gone },
                lamps: allLamps.first { $0.ecu == lamp.ecu }?.lamps, time: time)
        } + frameReadings.map { items.row($0.reading, time: time) }
    }

    /// All rows: the report, its meaning, ECUs, freeze frames, codes, monitors and tests.
    var rows: [Row] {
        let findings = findings
        var rows = [
            Row(
                "vehicleReport",
                [
                    "vin": .text(vehicle), "make": .text(head.make),
                    "odometerKm": .number(head.odometer), "time": .time(time),
                    "since": .time(since), "device": .text(accessory),
                    "protocol": .text(vehicleProtocol), "customer": .text(head.customer),
                    "verdict": .text(findings.verdict.text),
                ])
        ]
        rows += findings.rows(at: time)
        rows += beginning
        for (fault, fate) in changes(findings) {
            let code = fault.code
            rows.append(
                Row(
                    "codeState",
                    [
                        "ecu": .text(code.ecu?.description), "code": .text(code.code.text),
                        "failureType": .text(code.code.failureType),
                        "description": .text(texts.text(of: code.code)),
                        "statuses": .words(fault.isGone ? [] : code.kinds.map(\.rawValue)),
                        "change": .text(fate?.rawValue),
                    ]))
        }
        for monitor in change.monitors {
            rows.append(
                Row(
                    "monitorState",
                    [
                        "ecu": .text(monitor.ecu?.description),
                        "monitor": .text(monitor.monitor.rawValue),
                        "complete": .flag(monitor.now), "before": .flag(monitor.before),
                    ]))
        }
        for test in change.tests {
            let result = test.result
            rows.append(
                Row(
                    "testState",
                    [
                        "ecu": .text(result.ecu?.description),
                        "monitor": .text(result.monitorTitle), "tid": .hex(result.tid),
                        "test": .text(result.test), "value": .number(result.value),
                        "before": .number(test.before), "min": .number(result.min),
                        "max": .number(result.max), "unit": .text(result.unit),
                        "passed": .flag(result.passed),
                    ]))
        }
        return rows
    }
}
