import Diagnostics
import Formats
import OBDCore
import PIDTables
import Reports
import SystemIO
import VehicleScan

/// Reads vehicles one after the other for a table of codes.
struct CarScan: Sendable {
    var options: VehicleOptions
    let output: OutputOptions
    let table: PIDTable
    let knowledge: CodeKnowledge
    /// Reads the codes in an open session.
    let read: @Sendable (Vehicle, VehicleServices) throws -> CodeScan
    /// The folder for pages; nil = no pages.
    let reports: CarReports?
    /// Whether the pages are also printed as PDF, and whether labels become names.
    let form: CodeTableOptions

    /// Reads one vehicle and stores its codes in the history.
    ///
    /// - Parameters:
    ///   - device: the name in the table.
    ///   - needs: further requirements of the session.
    ///   - labels: the labels of vehicles that were read before, by VIN: they keep their names.
    func findings(
        of device: String?, label: String?, _ needs: SessionNeeds, labels: [String: String] = [:]
    ) throws -> CodeBatchRun.Findings {
        var findings = CodeBatchRun.Findings(rows: [])
        try withVehicle(options, output, table, needs) { connection in
            let services = try connection.services()
            let scan = try read(connection, services)
            var car = CodeBatch.Car(device: device ?? connection.accessory, label: label)
            let more = try car.complete(connection, services)
            findings.rows = CodeBatch.rows(
                scan, of: car, knowledge, table, time: connection.utc(scan.time))
            findings.failure = scan.failure(connection)
            guard let reports else {
                ScanRecord.keep(
                    scan.asked + more, lists: scan.lists, of: car.vin.flatMap { VIN($0) },
                    connection, services, options.database, output)
                findings.remark = form.name(
                    car.vin, after: label, connection, options.database, labels)
                return
            }
            let words = try CodeWords(options.database, connection)
            let condition = try ConditionScan(
                scan, connection, services, .report, words)
            findings.report = try form.write(
                condition.report(of: connection, options.database, output), to: reports,
                label: label, vin: car.vin, cancelledBy: needs.inbox)
            ScanRecord.keep(
                condition.asked, lists: scan.lists, of: car.vin.flatMap { VIN($0) }, connection,
                services, options.database, output)
            findings.remark = form.name(
                car.vin, after: label, connection, options.database, labels)
        }
        return findings
    }
}
