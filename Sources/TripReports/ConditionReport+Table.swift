import Diagnostics
import OBDCore
import TripExport

extension ConditionReport {
    /// Appends the objects of lamps and freeze frames.
    public func appendLampsAndFrames(to output: inout [UInt8]) {
        for lamp in lamps {
            var object = JSONObject()
            object.add("kind", "lamp")
            object.add("ecu", lamp.ecu?.description)
            object.add("on", lamp.isOn)
            object.append(to: &output)
        }
        var json = JSONLines(table: table, units: self.output.units) { [texts] in
            texts.text(of: $0)
        }
        for frame in frameReadings { json.append(.reading(frame.reading), time: time, to: &output) }
    }

    private static let columns = [
        "kind", "time", "since", "vin", "ecu", "code", "failureType", "description", "lists",
        "change", "monitor", "complete", "tid", "test", "signal", "name", "value", "before",
        "min", "max", "unit", "passed", "accessory", "protocol", "service", "pid", "frame",
        "raw",
    ]

    /// Appends everything as CSV: a line for each lamp, code, frozen value, monitor and test.
    public func appendCSV(to output: inout [UInt8]) {
        CSVRow.append(Self.columns, to: &output)
        func add(_ kind: String, _ ecu: ECUAddress?, _ cells: [String: String?]) {
            var cells = cells
            cells["kind"] = kind
            cells["ecu"] = ecu?.description
            cells["time"] = time.text
            cells["since"] = since?.text
            cells["vin"] = vehicle
            cells["accessory"] = accessory
            cells["protocol"] = vehicleProtocol
            CSVRow.append(Self.columns.map { (cells[$0] ?? nil) ?? "" }, to: &output)
        }
        for lamp in lamps { add("lamp", lamp.ecu, ["value": flag(lamp.isOn)]) }
        for code in change.codes {
            add(
                "codeState", code.code.ecu,
                [
                    "code": code.code.code.text, "failureType": code.code.code.failureType,
                    "description": texts.text(of: code.code.code), "lists": lists(code),
                    "change": code.fate?.rawValue,
                ])
        }
        for (reading, value) in frameReadings {
            add("freezeFrame", reading.ecu, cells(reading, value))
        }
        for monitor in change.monitors {
            add(
                "monitorState", monitor.ecu,
                [
                    "monitor": monitor.monitor.rawValue, "complete": flag(monitor.now),
                    "before": flag(monitor.before),
                ])
        }
        for test in change.tests { add("testState", test.result.ecu, cells(test)) }
    }

    private func cells(_ test: ConditionChange.Test) -> [String: String?] {
        let result = test.result
        let shown = { (value: Double?) in value.map { "\($0)" } }
        return [
            "monitor": result.monitorTitle, "tid": Hex.string([result.tid]),
            "test": result.test, "value": shown(result.value), "before": shown(test.before),
            "min": shown(result.min), "max": shown(result.max), "unit": result.unit,
            "passed": flag(result.passed),
        ]
    }

    private func cells(_ reading: Reading, _ value: ValueText) -> [String: String?] {
        [
            "code": reading.dtc?.text ?? reading.parameterCode?.text,
            "signal": table[reading.signal].id, "name": table[reading.signal].name,
            "value": number(reading) ?? value.value, "unit": value.unit,
            "service": reading.dataID?.service.description, "pid": reading.dataID?.idText,
            "frame": reading.frame.map { String($0) }, "raw": Hex.string(reading.raw),
        ]
    }

    private func flag(_ value: Bool?) -> String? { value.map { $0 ? "true" : "false" } }

    /// A number with all its digits, in the user's units; nil for any other value.
    private func number(_ reading: Reading) -> String? {
        guard case .number(let metric) = reading.value else { return nil }
        let conversion = output.units.conversion(from: table[reading.signal].unit)
        return exact(conversion.map { $0(metric) } ?? metric)
    }
}
