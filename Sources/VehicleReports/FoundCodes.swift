import Diagnostics
import Formats
import OBDCore
import ScanSession
import TripReports
import VehicleScan

/// The codes of a vehicle, each once, with the lists that it is in.
package struct FoundCodes {
    /// A code of an ECU.
    package struct Entry {
        var ecu: ECUAddress?
        /// The code.
        package var code: CodeReport.Code
        /// The lists that it is in, and what was happening.
        package var occurrence: ExplainedCode.Occurrence
    }

    /// In the order in which they were reported.
    package private(set) var codes: [Entry] = []

    /// The codes of a scan, with what was happening as far as freeze frames say it.
    package init(
        _ scan: CodeScan, of vehicle: Vehicle, _ services: VehicleServices, _ table: PIDTable
    ) throws {
        var frozen: [QueryResult] = []
        var frame: FrameScan?
        if !scan.codes.isEmpty {
            // SAE J1939 has all frames in one message, OBDonUDS some with each code.
            frozen = try vehicle.ask(.freezeFrames, in: services)
            if frozen.isEmpty {
                if services.profiles != [.onUDS] {
                    frame = try FrameScan(0, vehicle, in: services)
                }
                if services.profiles.contains(.onUDS) {
                    frozen = try SnapshotScan(scan.codes, vehicle, record: nil).asked
                }
            }
        }
        let readings = frozen.flatMap(\.answer.items).compactMap { item -> Reading? in
            if case .reading(let reading) = item { reading } else { nil }
        }
        // If only one ECU answered, its name says nothing.
        let isAlone = scan.ecus.count == 1
        for report in scan.codes {
            let place = codes.firstIndex { $0.ecu == report.ecu && $0.code == report.code }
            if let place {
                codes[place].occurrence.status += ", " + report.kindText
                // A stored code comes first; being pending, too, makes it no weaker.
                continue
            }
            let ecu =
                isAlone || report.ecu == nil ? "" : scan.names.title(of: report.ecu) + ": "
            codes.append(
                Entry(
                    ecu: report.ecu, code: report.code,
                    occurrence: .init(
                        status: ecu + report.kindText, state: .init(report),
                        moment: frame.flatMap { Self.moment(of: report, $0, table) }
                            ?? Self.moment(of: report, readings, table))))
        }
    }

    /// What was happening by the first frame of this code, among those of all codes.
    private static func moment(
        of report: CodeReport, _ readings: [Reading], _ table: PIDTable
    ) -> CodeMoment? {
        let own = readings.filter {
            $0.ecu == report.ecu
                && ($0.dtc?.text ?? $0.parameterCode?.text) == report.code.text
        }
        return own.isEmpty ? nil : CodeMoment(own.filter { $0.frame == own[0].frame }, in: table)
    }

    /// What was happening, if it is this code that froze the ECU's frame.
    private static func moment(
        of report: CodeReport, _ frame: FrameScan, _ table: PIDTable
    ) -> CodeMoment? {
        guard case .dtc(let code) = report.code,
            frame.codes.contains(where: { $0.ecu == report.ecu && $0.code.code == code.code })
        else { return nil }
        let readings = frame.values.flatMap(\.answer.items).compactMap { item -> Reading? in
            guard case .reading(let reading) = item, reading.ecu == report.ecu else { return nil }
            return reading
        }
        return CodeMoment(readings, in: table)
    }
}
