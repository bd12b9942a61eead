import Diagnostics
import Formats
import OBDCore
import ScanSession
import SystemIO
import TripReports
import VehicleScan

/// Requests and prints the readiness and test results of a vehicle.
package enum MonitorAnswers {
    /// The kinds of rows that a table of them has; ECUs with their lamps come in SAE J1939 only.
    package static let kinds =
        [ItemRows.Keys.monitor, ItemRows.Keys.monitorTest, ItemRows.Keys.reading]
        + ItemRows.Keys.rest + [ItemRows.Keys.ecu]

    /// Requests readiness and, unless `readiness` is true, test results, and prints the answers.
    package static func ask(
        _ connection: Vehicle, _ services: VehicleServices, readiness: Bool,
        _ output: OutputForm, _ printer: AnswerPrinter, _ writer: inout TextOutput
    ) throws -> (asked: [QueryResult], readiness: Readiness) {
        var printer = printer
        let truck = services.profiles.filter { $0 == .j1939 }
        // A readiness group repeats the content of F501.
        var told: Set<MonitorStatus> = []
        var asked = try connection.readiness(in: services)
        asked += try connection.readinessThisCycle(in: services, known: asked)
        if !readiness { asked += try connection.monitorTests(in: services) }
        let names = connection.ecuNames(
            of: asked.flatMap { $0.answer.items.map(\.ecu) }, in: services)
        var report = MonitorReport(output, names: names)
        for one in asked {
            let time = connection.utc(one.answer.answered)
            for item in one.answer.items where MonitorReport.concerns(item) {
                // Without headers, equal answers may come from two ECUs.
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
        for one in try connection.ask(.storedCodes, by: truck) {
            let time = connection.utc(one.answer.answered)
            for message in one.answers {
                guard let lamps = message.lamps else { continue }
                report.add(lamps, of: message.ecu)
                try printer.print(
                    ItemRows.ecu(
                        message.ecu, name: names.name(of: message.ecu),
                        light: lamps.malfunction, codes: nil, lamps: lamps, time: time),
                    to: &writer)
            }
        }
        if output.format == .text { try writer.write(report.text(sinceClear)) }
        try printer.finish(&writer)
        return (asked, sinceClear)
    }
}
