import Diagnostics
import OBDCore
import SystemIO
import TripExport
import TripStore

/// How test results came nearer to their limits: what `monitors --trend` prints.
public struct MonitorTrendReport {
    /// The results, test by test and in the order of time.
    public let points: [MonitorTrendPoint]
    let output: OutputForm

    /// A report of results.
    public init(
        points: [MonitorTrendPoint], output: OutputForm
    ) {
        self.points = points
        self.output = output
    }

    /// Prints the results, test by test.
    public func print(_ writer: inout TextOutput) throws(OutputError) {
        switch output.format {
        case .text: try writer.write(text)
        case .json: for point in points { try writer.append { object(point).append(to: &$0) } }
        case .csv:
            try writer.append { bytes in
                CSVRow.append(
                    [
                        "time", "trip", "vin", "ecu", "mid", "monitor", "tid", "component", "test",
                        "value", "min", "max", "unit", "passed", "margin", "relativeMargin",
                    ], to: &bytes)
                for point in points { CSVRow.append(cells(point), to: &bytes) }
            }
        }
        try writer.flush()
    }

    private var text: String {
        var rows = TextTable(
            [
                ("ECU", .left), ("MONITOR", .left), ("TEST", .left), ("WHEN", .left),
                ("VALUE", .right), ("LIMITS", .left), ("UNIT", .left), ("MARGIN", .right),
                ("", .left),
            ], flexible: [1, 2])
        var last: MonitorTrendPoint?
        for point in points {
            let isSame =
                last.map { $0.vin == point.vin && $0.result.isSameTest(as: point.result) } ?? false
            let before = isSame ? last : nil
            last = point
            let result = point.result
            let margin =
                point.relativeMargin.map { fixed($0 * 100, 1) + " %" } ?? result.text(point.margin)
            var verdict = TextTable.Cell(result.passed == false ? "FAILED" : "", .bad)
            if result.passed == true, let now = point.margin, let then = before?.margin, now < then
            {
                verdict = .init("nearer", .warning)
            }
            rows.add([
                .init(isSame ? "" : result.ecu?.description ?? "—"),
                .init(isSame ? "" : result.monitorTitle), .init(isSame ? "" : result.testTitle),
                .init(localTime(point.time)), .init(result.text(result.value)),
                .init(result.limitsText), .init(result.unit ?? ""), .init(margin), verdict,
            ])
        }
        return rows.isEmpty
            ? "" : rows.text(output.palette, columns: output.columns)
    }

    private func object(_ point: MonitorTrendPoint) -> JSONObject {
        let result = point.result
        var object = JSONObject()
        object.add("time", point.time)
        object.add("kind", "monitorTrend")
        object.add("trip", Int(point.trip))
        object.add("vin", point.vin)
        object.add("ecu", result.ecu?.description)
        object.add("mid", result.mid.map { Hex.string([$0]) })
        object.add("monitor", result.monitor)
        object.add("tid", Hex.string([result.tid]))
        object.add("test", result.test)
        object.add("value", result.value)
        object.add("min", point.lowerLimit)
        object.add("max", point.upperLimit)
        object.add("unit", result.unit)
        object.add("passed", result.passed)
        object.add("margin", point.margin)
        object.add("relativeMargin", point.relativeMargin)
        return object
    }

    private func cells(_ point: MonitorTrendPoint) -> [String] {
        let result = point.result
        let number = { (value: Double?) in value.map { "\($0)" } ?? "" }
        let byte = { (value: UInt8?) in value.map { Hex.string([$0]) } ?? "" }
        return [
            point.time.text, String(point.trip), point.vin ?? "", result.ecu?.description ?? "",
            byte(result.mid), result.monitor ?? "", byte(result.tid), byte(result.component),
            result.test ?? "", number(result.value), number(point.lowerLimit),
            number(point.upperLimit), result.unit ?? "", result.passed.map { "\($0)" } ?? "",
            number(point.margin), number(point.relativeMargin),
        ]
    }
}
