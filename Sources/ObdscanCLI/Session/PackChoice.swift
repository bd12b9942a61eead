import Diagnostics
import OBDCore
import PIDTables
import Reports
import VehicleScan

/// The packs and the user's own tables of a command, and which of their records the vehicle has.
struct PackChoice: Sendable {
    /// The packs that the vehicle may choose.
    let packs: [TablePack]
    /// Whether a vehicle without a VIN is asked for the signals of all packs.
    let isWanted: Bool
    /// The records that the user named.
    let records: [PIDTable.Record]

    init(_ options: TableOptions, _ packs: [TablePack], _ table: PIDTable) {
        self.packs = packs
        isWanted = options.packs.contains("auto")
        records = options.packRecords(in: table)
    }

    /// Adds the session's needs for these packs.
    func add(to needs: inout SessionNeeds, for selected: [SelectedSignal]) {
        needs.take(selected.isEmpty ? records : selected.compactMap(\.record))
        if isWanted, selected.isEmpty, records.isEmpty {
            needs.vehicle = .maybeSilent(assumed: .can11At500)
        }
    }

    /// The signals as this vehicle has them, and the records of its packs.
    func settle(
        _ selected: [SelectedSignal], on vehicle: Vehicle, note: (String) -> Void
    ) throws -> (signals: [SelectedSignal], records: [PIDTable.Record]) {
        let named = selected.filter { !$0.candidates.isEmpty }
        let link = vehicle.scan.link?.capabilities
        if link?.vehicleProtocol?.family == .j1939, link?.hearsGroups == false {
            let groups = selected.compactMap(\.record).filter {
                $0.isOwn && $0.dataID.service == DataID.parameterGroups && $0.dataID.isRequestable
            }
            noteDeafness(Set(groups.map(\.dataID)).count, note)
        }
        let own = selected.isEmpty ? try ownRecords(vehicle, note) : []
        guard !packs.isEmpty, selected.isEmpty || !named.isEmpty else {
            return (selected, records + own)
        }
        let chosen = try ChosenPacks(
            packs, vehicle, isWanted: isWanted || !named.isEmpty, only: named)
        if !chosen.rivals.isEmpty {
            note(
                "the vehicle does not say what it is, and its answers fit the packs "
                    + chosen.rivals.joined(separator: ", ") + "; name one with --pack")
        } else if isWanted {
            note(
                chosen.names.isEmpty
                    ? "no pack is for this vehicle"
                    : "packs of this vehicle: " + chosen.names.joined(separator: ", "))
        }
        let settled = chosen.settle(selected, vehicle.table)
        if let missing = settled.missing.first {
            throw Failure(
                "\(vehicle.accessory): no pack for this vehicle has \(missing)",
                hint: "name its pack with --pack; \"obdscan pids packs\" lists them",
                status: .unavailable)
        }
        return (settled.signals, records + (selected.isEmpty ? own + chosen.records : []))
    }

    /// The records of the user's own tables that the vehicle answers; `note` receives the others.
    private func ownRecords(
        _ vehicle: Vehicle, _ note: (String) -> Void
    ) throws -> [PIDTable.Record] {
        let own = try OwnRecords(vehicle, except: records)
        if !own.unanswered.isEmpty {
            note(
                "the vehicle does not answer these PIDs of your tables, which are left out: "
                    + Self.list(own.unanswered))
        }
        if let first = own.faults.first {
            let more = own.faults.count - 1
            note(
                "left out: \(first.explanation(at: vehicle.accessory).message)"
                    + (more > 0 ? ", and \(counted(more, "other PID")) of your tables" : ""))
        }
        if own.heard > 0 {
            note(
                "\(counted(own.heard, "message of your tables is", "messages of your tables are")) "
                    + "left out, because vehicles send them without a request: live, log and serve "
                    + "hear them on can: and slcan:, other adapters only with --listen")
        }
        if own.groups > 0 {
            note(
                "\(counted(own.groups, "parameter group of your tables is", "parameter groups of your tables are")) "
                    + "left out, because this vehicle does not answer by SAE J1939: --listen hears them"
            )
        }
        noteDeafness(own.askedGroups, note)
        return own.answered
    }

    /// Says that groups are requested which ECUs may send by themselves.
    private func noteDeafness(_ groups: Int, _ note: (String) -> Void) {
        guard groups > 0 else { return }
        note(
            "this adapter does not hear the bus beside requests, so "
                + "\(counted(groups, "parameter group of your tables is", "parameter groups of your tables are")) "
                + "requested, even where ECUs send them by themselves; can: and slcan: hear them")
    }

    private static func list(_ records: [PIDTable.Record]) -> String {
        let shown = records.prefix(5).map { "\($0.dataID) (\($0.name))" }
        let more = records.count - shown.count
        return shown.joined(separator: ", ") + (more > 0 ? " and \(more) others" : "")
    }
}
