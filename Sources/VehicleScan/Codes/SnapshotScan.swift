public import Diagnostics
import OBDCore
import ScanSession

/// What ECUs that speak SAE J1979-2 froze with their codes: frames belong to codes there.
public struct SnapshotScan: Sendable {
    /// The questions and what became of them.
    public private(set) var asked: [QueryResult] = []
    /// How many codes were asked about.
    public private(set) var codes = 0

    /// Asks each ECU for the frames of its own codes; `record` nil = all of them.
    ///
    /// Record FF means all. An ECU that refuses it is asked for the first frame (00) and the latest
    /// one (F0), which SAE J1979-2 has every code keep.
    public init(
        _ codes: [CodeReport], _ vehicle: Vehicle, record: UInt8?
    ) throws(VehicleError) {
        var seen: Set<ReportedCode> = []
        for report in codes where report.kind != .permanent {
            guard case .dtc(let code) = report.code,
                seen.insert(ReportedCode(ecu: report.ecu, code: code)).inserted
            else { continue }
            self.codes += 1
            let first = try ask(code, of: report.ecu, record: record ?? 0xFF, vehicle)
            guard record == nil, !first.isPositive else {
                asked.append(first)
                continue
            }
            var found: [QueryResult] = []
            for number in [UInt8(0x00), 0xF0] {
                let answer = try ask(code, of: report.ecu, record: number, vehicle)
                // One frame under both numbers is one frame.
                let isNew = found.allSatisfy { frameData($0) != frameData(answer) }
                if answer.isPositive && isNew { found.append(answer) }
            }
            asked += found.isEmpty ? [first] : found
        }
    }

    /// The answers without the frame's number, byte 6 of `59 04 DTC status number …`.
    private func frameData(_ asked: QueryResult) -> [[UInt8]] {
        asked.answer.reply.messages.map { message in
            message.payload.enumerated().filter { $0.offset != 6 }.map(\.element)
        }
    }

    private struct ReportedCode: Hashable {
        var ecu: ECUAddress?
        var code: DTC
    }

    private func ask(
        _ code: DTC, of ecu: ECUAddress?, record: UInt8, _ vehicle: Vehicle
    ) throws(VehicleError) -> QueryResult {
        let payload = DiagnosticProfile.onUDS.request(for: .snapshot(code, record: record)) ?? []
        return try vehicle.ask(payload, target: ecu?.physicalRequest)
    }

    /// Whether any ECU sent a frame.
    public var hasFrames: Bool {
        asked.flatMap(\.answer.items).contains { item in
            if case .reading(let reading) = item { reading.frame != nil } else { false }
        }
    }
}
