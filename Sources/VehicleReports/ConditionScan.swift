import Diagnostics
import Formats
import OBDCore
import ScanSession
import TripReports
import VehicleScan

/// Everything of a vehicle that its report has: codes, readiness, test results and frozen values.
package struct ConditionScan {
    /// Its codes.
    package let codes: CodeScan
    /// Its number.
    package let vin: VIN?
    /// When it was read.
    package let time: UTC
    /// Unit: km.
    package let odometer: Double?
    private let tests: [QueryResult]
    private let frames: [QueryResult]

    /// Asks for what `codes` has not asked for yet.
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

    /// All that was asked.
    package var asked: [QueryResult] { codes.asked + tests + frames }

    /// What the vehicle is like now.
    private var condition: VehicleCondition {
        VehicleCondition(
            time: time, codes: codes.codes,
            items: (codes.status + tests).flatMap(\.answer.items))
    }

    /// The report, compared with `before` where that is known.
    package func report(
        of connection: Vehicle, before: VehicleCondition? = nil, texts: CodeTexts,
        explanations: CodeExplanations, head: ReportHead, _ output: OutputForm
    ) -> ConditionReport {
        let table = connection.table
        let lamps = codes.ecus.compactMap { ecu in codes.lampIsOn(ecu, table).map { (ecu, $0) } }
        return ConditionReport(
            vehicle: vin?.text, accessory: connection.accessory,
            vehicleProtocol: connection.scan.link?.capabilities.vehicleProtocol?.title,
            time: time, since: before?.time, lamps: lamps,
            change: ConditionChange(before: before, now: condition),
            frames: frames.flatMap(\.answer.items), table: table, texts: texts,
            explanations: explanations, head: head, output: output)
    }
}
