import Diagnostics
public import OBDCore
import ScanSession

/// A freeze frame of service 02: the code that caused it and all its values.
public struct FrameScan: Sendable {
    /// The requests to all ECUs for the code that caused the frame.
    public let causes: [QueryResult]
    /// The frame's values; empty if no ECU has the frame.
    public private(set) var values: [QueryResult] = []

    /// Reads frame `number`.
    public init(
        _ number: UInt8, _ vehicle: Vehicle, in services: VehicleServices
    ) throws(VehicleError) {
        causes = try vehicle.ask(.freezeFrameCode(frame: number), in: services)
        guard !codes.isEmpty else { return }
        // The support map of a frame is requested like any of its values.
        let supported = try vehicle.supportedIDs(in: services) {
            .freezeFrame(pid: $0, frame: number)
        }
        for id in supported.all where id != 0x02 {
            values += try vehicle.ask(.freezeFrame(pid: id, frame: number), in: services)
        }
    }

    /// The codes that caused the frame, with their ECUs.
    public var codes: [(ecu: ECUAddress?, code: DTC)] {
        causes.flatMap(\.answer.items).compactMap { item in
            guard case .reading(let reading) = item, case .text(let text) = reading.value,
                let code = DTC(text)
            else { return nil }
            return (reading.ecu, code)
        }
    }

    /// All requests.
    public var asked: [QueryResult] { causes + values }
}
