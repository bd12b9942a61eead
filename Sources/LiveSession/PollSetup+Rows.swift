import Diagnostics
import OBDCore
import ScanSession
import VehicleScan

extension PollSetup {
    /// Whether the live view has a row for a reading.
    ///
    /// A named signal always has one. Otherwise, the signal must be polled and be a measurement:
    /// flags, maps and occasional requests (a VIN, codes) have no row. A reading without a value
    /// does not create a row, but keeps an existing one.
    func shows(_ reading: Reading, asked: Set<DataID>, hasRow: Bool) -> Bool {
        guard wants(reading) else { return false }
        if !named.isEmpty { return true }
        guard reading.dataID.map({ asked.contains($0) }) ?? true else { return false }
        switch reading.value {
        case .number, .label, .text: return true
        case .flag, .supportMap: return false
        case .missing: return hasRow
        }
    }

    /// The named signals of a batch that the vehicle does not support: no ECU answered, or all
    /// refused permanently.
    ///
    /// An unreadable answer or a temporary refusal does not show that.
    func missed(in batch: ReadingBatch, _ table: PIDTable) -> [SignalIndex] {
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
        .flatMap { Self.signals(of: $0, table) }
    }

    /// The signals that an answer to `want` may contain; those of PIDs also exist under F4xx.
    static func signals(of want: PollPlan.Want, _ table: PIDTable) -> [SignalIndex] {
        let id = want.dataID
        var record = table.record(id)
        if record == nil, id.service == .readData, id.id & 0xFF00 == 0xF400 {
            record = table.record(DataID(.currentData, id.id & 0xFF))
        }
        return (record?.signals ?? 0..<0).map { SignalIndex(rawValue: $0) }
    }

    /// The identifiers in a request.
    private static func identifiers(_ request: [UInt8]) -> Set<DataID> {
        guard let shape = request.first.flatMap(ServiceShape.of) else { return [] }
        return Set(shape.selectors(of: request).map { DataID(shape.service, $0) })
    }
}
