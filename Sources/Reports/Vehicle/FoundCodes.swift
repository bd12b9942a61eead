import Diagnostics
import Formats
import OBDCore
import ScanSession
import VehicleScan

/// The codes of a vehicle, each once, with the lists that it is in.
package struct FoundCodes {
    package struct Entry {
        var ecu: ECUAddress?
        package var code: CodeReport.Code
        /// The lists of the code, and the moment in which it was stored.
        package var occurrence: ExplainedCode.Occurrence
    }

    /// The most severe first.
    package private(set) var codes: [Entry] = []

    /// The codes of a scan in the order of `findings`, with the moment of each as far as freeze frames show
    /// it.
    package init(
        _ scan: CodeScan, _ findings: VehicleFindings, of vehicle: Vehicle,
        _ services: VehicleServices, _ table: PIDTable
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
        // If only one ECU answered, its name is not needed.
        let isAlone = scan.ecus.count == 1
        codes = findings.faults.map { fault in
            let (ecu, code) = (fault.code.ecu, fault.code.code)
            let place =
                isAlone || ecu == nil ? "" : scan.names.title(of: ecu) + ": "
            return Entry(
                ecu: ecu, code: code,
                occurrence: .init(
                    status: place + fault.status, state: fault.code.state,
                    moment: frame.flatMap { Self.moment(of: code, ecu, $0, table) }
                        ?? Self.moment(of: code, ecu, readings, table),
                    proof: fault.proof.isKnown ? fault.proof.text : ""))
        }
    }

    /// The moment in the first frame of this code, among those of all codes.
    private static func moment(
        of code: CodeReport.Code, _ ecu: ECUAddress?, _ readings: [Reading], _ table: PIDTable
    ) -> CodeMoment? {
        let own = readings.filter {
            $0.ecu == ecu && ($0.dtc?.text ?? $0.parameterCode?.text) == code.text
        }
        return own.isEmpty ? nil : CodeMoment(own.filter { $0.frame == own[0].frame }, in: table)
    }

    /// The moment in the ECU's frame, if this code caused the frame.
    private static func moment(
        of code: CodeReport.Code, _ ecu: ECUAddress?, _ frame: FrameScan, _ table: PIDTable
    ) -> CodeMoment? {
        guard case .dtc(let code) = code,
            frame.codes.contains(where: { $0.ecu == ecu && $0.code.code == code.code })
        else { return nil }
        let readings = frame.values.flatMap(\.answer.items).compactMap { item -> Reading? in
            guard case .reading(let reading) = item, reading.ecu == ecu else { return nil }
            return reading
        }
        return CodeMoment(readings, in: table)
    }
}
