import Diagnostics
import Formats
import OBDCore
import SystemIO
import TripStore

/// The trend of test results towards their limits, as `monitors --trend` prints it.
package struct MonitorTrendReport {
    /// The results, grouped by test and in the order of time.
    package let points: [MonitorTrendPoint]
    let output: OutputForm
    /// The names of each vehicle's ECUs.
    private let names: [String: ECUNames]

    /// A report of results; `names` has the names of each vehicle's ECUs, by VIN.
    package init(
        points: [MonitorTrendPoint], names: [String: ECUNames] = [:], output: OutputForm
    ) {
        self.names = names
        self.points = points
        self.output = output
    }

    /// Prints the results, grouped by test.
    package func print(_ writer: inout TextOutput) throws(OutputError) {
        if output.format == .text {
            try writer.write(text)
        } else {
            var rows = RowPrinter(Self.shape, output)
            for point in points { try writer.print(point, &rows) }
            try writer.finish(&rows)
        }
        try writer.flush()
    }

    private var text: String {
        let hasVehicles = Set(points.map(\.vin)).count > 1
        var columns: [(String, TextTable.Alignment)] = [
            ("ECU", .left), ("MONITOR", .left), ("TEST", .left), ("WHEN", .left),
            ("VALUE", .right), ("LIMITS", .left), ("UNIT", .left), ("MARGIN", .right), ("", .left),
        ]
        if hasVehicles { columns.insert(("VIN", .left), at: 0) }
        var rows = TextTable(columns, flexible: hasVehicles ? [2, 3] : [1, 2])
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
            let vehicle: [TextTable.Cell] =
                hasVehicles ? [.init(isSame ? "" : point.vin ?? "—")] : []
            rows.add(
                vehicle + [
                    isSame ? "" : .init(result.ecu, point.vin.flatMap { names[$0] } ?? ECUNames()),
                    .init(isSame ? "" : result.monitorTitle), .init(isSame ? "" : result.testTitle),
                    .init(localTime(point.time)), .init(result.text(result.value)),
                    .init(result.limitsText), .init(result.unit ?? ""), .init(margin), verdict,
                ])
        }
        return rows.isEmpty
            ? "" : rows.text(output.palette, columns: output.columns)
    }

    private static var shape: RowShape<MonitorTrendPoint> {
        RowShape(
            "monitorTrend",
            [
                Field("time") { .time($0.time) }, Field("trip") { .integer($0.trip) },
                Field("vin") { .text($0.vin) },
                Field("ecu") { .text($0.result.ecu?.description) },
                Field("mid") { .hex($0.result.mid) },
                Field("monitor") { .text($0.result.monitor) },
                Field("tid") { .hex($0.result.tid) },
                Field("component") { .hex($0.result.component) },
                Field("test") { .text($0.result.test) },
                Field("value") { .number($0.result.value) },
                Field("min") { .number($0.lowerLimit) }, Field("max") { .number($0.upperLimit) },
                Field("unit") { .text($0.result.unit) },
                Field("passed") { .flag($0.result.passed) },
                Field("margin") { .number($0.margin) },
                Field("relativeMargin") { .number($0.relativeMargin) },
            ])
    }
}
