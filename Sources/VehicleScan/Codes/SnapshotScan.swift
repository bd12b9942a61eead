public import Diagnostics
import OBDCore
import ScanSession

/// The freeze frames of ECUs with SAE J1979-2, in which each frame belongs to a code.
public struct SnapshotScan: Sendable {
    /// The requests and their outcomes.
    public private(set) var asked: [QueryResult] = []
    /// The number of codes whose frames were requested.
    public private(set) var codes = 0

    /// Asks each ECU for the frames of its own codes; `record` nil means all frames.
    ///
    /// Record FF means all frames. If an ECU refuses record FF, the first (00) and the latest frame (F0) are
    /// requested, which SAE J1979-2 requires for every code.
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
                // The same frame under both numbers counts once.
                let isNew = found.allSatisfy { frameData($0) != frameData(answer) }
                if answer.isPositive && isNew { found.append(answer) }
            }
            asked += found.isEmpty ? [first] : found
        }
    }

    /// The answers without the number of the frame, byte 6 of `59 04 DTC status number …`.
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
