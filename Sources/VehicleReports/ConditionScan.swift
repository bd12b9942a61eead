import Diagnostics
import Formats
import OBDCore
import ScanSession
import TripReports
import VehicleScan

/// All data of a vehicle's report: codes, readiness, test results and freeze frames.
package struct ConditionScan {
    package let codes: CodeScan
    package let vin: VIN?
    package let time: UTC
    package let odometer: Odometer?
    private let tests: [QueryResult]
    private let frames: [QueryResult]

    /// Requests everything that `codes` does not contain yet.
    package init(_ codes: CodeScan, _ connection: Vehicle, _ services: VehicleServices) throws {
        self.codes = codes
        tests = try connection.monitorTests(in: services)
        var frames: [QueryResult] = []
        if services.profiles != [.onUDS] {
            frames = try FrameScan(0, connection, in: services).asked
        }
        if services.profiles.contains(.onUDS) {
            frames += try SnapshotScan(codes.codes, connection, record: nil).asked
        }
        self.frames = frames
        vin = try connection.vin(by: services.profiles)
        odometer = try connection.odometer(in: services)
        time = connection.utc(codes.time)
    }

    /// All requests and their answers.
    package var asked: [QueryResult] {
        codes.asked + tests + frames + [odometer?.asked].compactMap(\.self)
    }

    /// The vehicle's present condition.
    private var condition: VehicleCondition {
        VehicleCondition(
            time: time, codes: codes.codes,
            items: (codes.status + tests).flatMap(\.answer.items))
    }

    /// The report, compared with `before` if that is not nil.
    package func report(
        of connection: Vehicle, before: VehicleCondition? = nil, texts: CodeTexts,
        explanations: CodeExplanations, head: ReportHead, _ output: OutputForm
    ) -> ConditionReport {
        let table = connection.table
        let lamps = codes.ecus.compactMap { ecu in codes.lampIsOn(ecu, table).map { (ecu, $0) } }
        var report = ConditionReport(
            vehicle: vin?.text, accessory: connection.accessory,
            vehicleProtocol: connection.scan.link?.capabilities.vehicleProtocol?.title,
            time: time, since: before?.time, lamps: lamps,
            change: ConditionChange(before: before, now: condition),
            frames: frames.flatMap(\.answer.items), table: table, texts: texts,
            explanations: explanations, head: head, output: output)
        report.names = codes.names
        report.lampsBefore = before?.lights ?? []
        report.allLamps = codes.ecus.compactMap { ecu in codes.lamps(of: ecu).map { (ecu, $0) } }
        return report
    }
}
