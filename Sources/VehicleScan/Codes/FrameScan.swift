import Diagnostics
public import OBDCore
import ScanSession

/// A freeze frame of service 02: which code froze it, then every value that it holds.
public struct FrameScan: Sendable {
    /// Which code froze the frame, asked of every ECU.
    public let causes: [QueryResult]
    /// The frame's values; empty where no ECU has the frame.
    public private(set) var values: [QueryResult] = []

    /// Asks for frame `number`.
    public init(
        _ number: UInt8, _ vehicle: Vehicle, in services: VehicleServices
    ) throws(VehicleError) {
        causes = try vehicle.ask(.freezeFrameCode(frame: number), in: services)
        guard !codes.isEmpty else { return }
        // The map of a frame is asked for like any value of it.
        let supported = try vehicle.supportedIDs(in: services) {
            .freezeFrame(pid: $0, frame: number)
        }
        for id in supported.all where id != 0x02 {
            values += try vehicle.ask(.freezeFrame(pid: id, frame: number), in: services)
        }
    }

    /// Which code froze the frame of which ECU.
    public var codes: [(ecu: ECUAddress?, code: DTC)] {
        causes.flatMap(\.answer.items).compactMap { item in
            guard case .reading(let reading) = item, case .text(let text) = reading.value,
                let code = DTC(text)
            else { return nil }
            return (reading.ecu, code)
        }
    }

    /// Everything that was asked.
    public var asked: [QueryResult] { causes + values }
}
