import Diagnostics
import Formats
import OBDCore
import ScanSession
import SystemIO
import VehicleScan

/// Requests and prints the readiness and test results of a vehicle.
package enum MonitorAnswers {
    /// The kinds of rows that a table of them has; ECUs with their lamps come in SAE J1939 only.
    package static let kinds =
        [ItemRows.Keys.monitor, ItemRows.Keys.monitorTest, ItemRows.Keys.reading]
        + ItemRows.Keys.rest + [ItemRows.Keys.ecu] + VehicleFindings.keys

    /// Requests readiness, the codes and, unless `readiness` is true, test results, and prints what they mean
    /// and the answers.
    package static func ask(
        _ connection: Vehicle, _ services: VehicleServices, readiness: Bool,
        _ output: OutputForm, _ printer: AnswerPrinter, _ words: CodeWords,
        _ writer: inout TextOutput
    ) throws -> (asked: [QueryResult], readiness: Readiness) {
        var printer = printer
        let condition = try ConditionScan(
            try CodeScan(connection, in: services), connection, services,
            readiness ? .codes : .tests, words)
        let findings = condition.findings(output.units)
        let truck = services.profiles.filter { $0 == .j1939 }
        // A readiness group repeats the content of F501.
        var told: Set<MonitorStatus> = []
        var asked = condition.codes.status
        asked += try connection.readinessThisCycle(in: services, known: asked)
        if !readiness { asked += condition.askedTests }
        for row in findings.rows(at: condition.time) { try printer.print(row, to: &writer) }
        let names = condition.codes.names
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
        for one in condition.codes.lists where !truck.isEmpty && one.kind == .stored {
            let one = one.asked
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
        if output.format == .text { try writer.write(report.text(sinceClear, findings)) }
        try printer.finish(&writer)
        return (asked, sinceClear)
    }
}
