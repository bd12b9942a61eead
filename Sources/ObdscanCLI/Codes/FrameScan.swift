import Diagnostics
import OBDCore
import ScanSession

/// A freeze frame of service 02: which code froze it, then every value that it holds.
struct FrameScan: Sendable {
    /// Which code froze the frame, asked of every ECU.
    let causes: [Asked]
    /// The frame's values; empty where no ECU has the frame.
    private(set) var values: [Asked] = []

    /// Asks for frame `number`.
    init(
        _ number: UInt8, _ connection: Connection, in services: VehicleServices
    ) throws(ScanError) {
        causes = try connection.ask(.freezeFrameCode(frame: number), in: services)
        guard !codes.isEmpty else { return }
        // The map of a frame is asked for like any value of it.
        let supported = try connection.supportedIDs(in: services) {
            .freezeFrame(pid: $0, frame: number)
        }
        for id in supported.all where id != 0x02 {
            values += try connection.ask(.freezeFrame(pid: id, frame: number), in: services)
        }
    }

    /// Which code froze the frame of which ECU.
    var codes: [(ecu: ECUAddress?, code: DTC)] {
        causes.flatMap(\.answer.items).compactMap { item in
            guard case .reading(let reading) = item, case .text(let text) = reading.value,
                let code = DTC(text)
            else { return nil }
            return (reading.ecu, code)
        }
    }

    /// Everything that was asked.
    var asked: [Asked] { causes + values }
}
