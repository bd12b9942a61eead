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

    /// The codes of a scan, and the frame that one of them froze.
    package init(_ scan: CodeScan, _ frame: FrameScan?, _ table: PIDTable) {
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
                isAlone
                ? "" : report.ecu.map { "\($0.title(onJ1939: scan.isOnJ1939)): " } ?? ""
            codes.append(
                Entry(
                    ecu: report.ecu, code: report.code,
                    occurrence: .init(
                        status: ecu + report.kindText, state: .init(report),
                        moment: frame.flatMap { Self.moment(of: report, $0, table) })))
        }
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
