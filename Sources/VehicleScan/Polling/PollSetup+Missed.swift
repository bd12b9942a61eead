package import Diagnostics
import OBDCore
package import ScanSession

extension PollSetup {
    /// The records of a batch that the vehicle does not support: no ECU answered, or all refused
    /// permanently.
    ///
    /// An unreadable answer or a temporary refusal does not prove that.
    package func missed(in batch: ReadingBatch) -> [PollPlan.Want] {
        guard batch.failure == nil, batch.linkErrors.isEmpty, batch.strayTexts.isEmpty,
            batch.statuses.allSatisfy({ $0 == .noData }), batch.unasked.isEmpty,
            let request = batch.exchange.request
        else { return [] }
        for item in batch.items {
            switch item {
            case .error: return []
            case .negativeResponse(let refusal, _, _)
            where refusal.nrc == .busyRepeatRequest || refusal.nrc == .conditionsNotCorrect:
                return []
            default: break
            }
        }
        let asked = Self.identifiers(request)
        var answered: Set<DataID> = []
        for case .reading(let reading) in batch.items {
            if let id = reading.dataID { answered.insert(id) }
        }
        return wants.filter { want in
            let id = want.dataID
            return !answered.contains(id) && (asked.contains(id) || request == id.requestPayload)
        }
    }

    /// The signals of the records that ``missed(in:)`` returns.
    package func missed(in batch: ReadingBatch, _ table: PIDTable) -> [SignalIndex] {
        missed(in: batch).flatMap { Self.signals(of: $0, table) }
    }

    /// The signals that an answer to `want` may contain; those of PIDs also exist under F4xx.
    package static func signals(of want: PollPlan.Want, _ table: PIDTable) -> [SignalIndex] {
        let id = want.dataID
        var record = table.record(id)
        if record == nil, id.service == .readData, id.id & 0xFF00 == 0xF400 {
            record = table.record(DataID(.currentData, id.id & 0xFF))
        }
        return (record?.signals ?? 0..<0).map { SignalIndex(rawValue: $0) }
    }

    private static func identifiers(_ request: [UInt8]) -> Set<DataID> {
        guard let shape = request.first.flatMap(ServiceShape.of) else { return [] }
        return Set(shape.selectors(of: request).map { DataID(shape.service, $0) })
    }
}
