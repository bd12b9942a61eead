public import Diagnostics
import OBDCore

/// The records of the user's own tables, and which of them the vehicle answers.
public struct OwnRecords: Sendable {
    /// Records that the vehicle has answered.
    public private(set) var answered: [PIDTable.Record] = []
    /// Records that were requested and not answered with data.
    public private(set) var unanswered: [PIDTable.Record] = []
    /// Why records cannot be requested from this vehicle, in the order of the tables.
    public private(set) var faults: [VehicleError] = []
    /// The number of records that vehicles send by themselves, that cannot be requested, and that this session does
    /// not hear.
    public private(set) var heard = 0
    /// The number of parameter groups of SAE J1939, which this vehicle does not speak.
    public private(set) var groups = 0
    /// The number of parameter groups of SAE J1939 that are requested although ECUs may send them by themselves, because
    /// this link does not hear the bus beside requests.
    public private(set) var askedGroups = 0

    /// Requests each record once, except `others`.
    ///
    /// An ECU of a table that sends nothing is asked once.
    public init(_ vehicle: Vehicle, except others: [PIDTable.Record]) throws(VehicleError) {
        let link = vehicle.scan.link?.capabilities
        let isOnJ1939 = link?.vehicleProtocol?.family == .j1939
        var asked: [PIDTable.Record] = []
        for record in vehicle.table.records where record.isOwn && !others.contains(record) {
            let isGroup = record.dataID.service == DataID.parameterGroups
            guard record.dataID.isRequestable, !isGroup || isOnJ1939 else {
                if isGroup, !isOnJ1939 {
                    groups += 1
                } else if !((isGroup ? link?.hearsGroups : link?.hearsFrames) ?? false) {
                    heard += 1
                }
                continue
            }
            // All measured groups of SAE J1939 are polled anyway.
            if isGroup {
                if !(link?.hearsGroups ?? false) { askedGroups += 1 }
                continue
            }
            do throws(VehicleError) {
                try vehicle.check([record])
            } catch {
                switch error {
                case .needsSingleECU, .wrongAddressForm, .otherVehicle: faults.append(error)
                default: throw error
                }
                continue
            }
            asked.append(record)
        }
        answered = try Self.answered(asked, vehicle)
        unanswered = asked.filter { !answered.contains($0) }
    }

    /// The records that the vehicle answers; an ECU that does not exist is asked once.
    static func answered(
        _ records: [PIDTable.Record], _ vehicle: Vehicle
    ) throws(VehicleError) -> [PIDTable.Record] {
        var silent: Set<ECUAddress> = []
        var found: [PIDTable.Record] = []
        for record in records {
            if let target = record.target, silent.contains(target) { continue }
            let asked = try vehicle.ask(.vehicle(vehicle.request(for: record)))
            let items = asked.answer.items
            if let target = record.target, items.isEmpty, asked.answer.reply.messages.isEmpty {
                silent.insert(target)
            }
            let isRead = items.contains { item in
                if case .reading(let reading) = item {
                    reading.dataID == record.dataID
                } else {
                    false
                }
            }
            if isRead { found.append(record) }
        }
        return found
    }
}
