import Diagnostics
import Formats
import OBDCore
import ScanSession
import SystemIO
import TripReports
import VehicleScan

/// Readiness and test results of a vehicle, asked for and printed.
package enum MonitorAnswers {
    /// The kinds of rows that a table of them has.
    package static let kinds =
        [ItemRows.Keys.monitor, ItemRows.Keys.monitorTest, ItemRows.Keys.reading]
        + ItemRows.Keys.rest

    /// Asks for readiness, with test results unless `readiness` says that it is enough, and prints
    /// the answers.
    package static func ask(
        _ connection: Vehicle, _ services: VehicleServices, readiness: Bool,
        _ output: OutputForm, _ printer: AnswerPrinter, _ writer: inout TextOutput
    ) throws -> (asked: [QueryResult], readiness: Readiness) {
        var printer = printer
        var report = MonitorReport(output)
        // A readiness group tells once more what F501 has told.
        var told: Set<MonitorStatus> = []
        var asked = try connection.readiness(in: services)
        asked += try connection.readinessThisCycle(in: services, known: asked)
        if !readiness { asked += try testResults(connection, services) }
        for one in asked {
            let time = connection.utc(one.answer.answered)
            for item in one.answer.items where MonitorReport.concerns(item) {
                // Without headers two ECUs may say the same, each for itself.
                if case .monitor(let status) = item, status.ecu != nil,
                    !told.insert(status).inserted
                {
                    continue
                }
                report.add(item)
                if output.format != .text { try printer.print(item, at: time, to: &writer) }
            }
            if output.format != .text { try printer.printRest(of: one, at: time, to: &writer) }
        }
        let sinceClear = Readiness(asked.flatMap(\.answer.items), table: connection.table)
        if output.format == .text {
            try writer.write(report.text(sinceClear))
        }
        try printer.finish(&writer)
        return (asked, sinceClear)
    }

    /// Service 06 by its support maps: monitor ids on CAN, test ids before it.
    package static func testResults(
        _ connection: Vehicle, _ services: VehicleServices
    ) throws(VehicleError) -> [QueryResult] {
        let supported = try connection.supportedIDs(in: services) { .supportedMonitors($0) }
        var results: [QueryResult] = []
        for id in supported.all {
            results += try connection.ask(.monitorTests(id), in: services)
        }
        return results
    }
}
