public import Diagnostics
import OBDCore
public import PIDTables
import ScanSession

/// The packs that fit the vehicle: by its VIN, and by its answers.
public struct ChosenPacks: Sendable {
    /// Records that the vehicle has answered.
    public private(set) var records: [PIDTable.Record] = []
    /// The packs of these records.
    public private(set) var names: [String] = []
    /// Packs that fit equally if the vehicle has no VIN; none of them is chosen.
    public private(set) var rivals: [String] = []

    /// Requests the records of the packs.
    ///
    /// With a VIN only the packs for the VIN are used. Without a VIN all packs are tried if `isWanted` is
    /// true, and a pack counts if no other one fits as well.
    public init(
        _ packs: [TablePack], _ vehicle: Vehicle, isWanted: Bool,
        only selected: [SelectedSignal] = []
    ) throws(VehicleError) {
        var records = vehicle.table.records.filter { !$0.packs.isEmpty }
        if !selected.isEmpty {
            let named = Set(selected.flatMap(\.candidates).compactMap(\.record))
            records.removeAll { !named.contains($0) }
        }
        guard !records.isEmpty, vehicle.hasPhysicalRequests, vehicle.ecu == nil,
            let spoken = vehicle.scan.link?.capabilities.vehicleProtocol, spoken.family == .can
        else { return }
        records.removeAll { $0.target?.form != spoken.requestForm }
        // A poll of everything asks for the services anyway.
        let spokenServices = try selected.isEmpty ? vehicle.services().profiles : []
        let vin = try vehicle.vin(
            by: spokenServices.isEmpty ? [.classicCAN, .onUDS] : spokenServices)
        guard vin != nil || isWanted else { return }
        let fitting = packs.filter { pack in
            vin.map { vin in pack.vehicles.contains { $0.matches(vin) } } ?? true
        }.map(\.name)
        records.removeAll { Set($0.packs).isDisjoint(with: fitting) }
        let answered = try OwnRecords.answered(records, vehicle)
        if vin == nil {
            // All packs that have every answered record fit equally.
            let found = fitting.filter { name in answered.contains { $0.packs.contains(name) } }
            let best = found.max { left, right in
                Self.count(answered, left) < Self.count(answered, right)
            }
            let equal = found.filter {
                Self.count(answered, $0) == best.map { Self.count(answered, $0) }
            }
            guard equal.count == 1, let name = equal.first else {
                rivals = equal
                return
            }
            self.records = answered.filter { $0.packs.contains(name) }
            names = [name]
            return
        }
        self.records = answered
        names = fitting.filter { name in answered.contains { $0.packs.contains(name) } }
    }

    private static func count(_ records: [PIDTable.Record], _ pack: String) -> Int {
        records.count { $0.packs.contains(pack) }
    }

    /// The signals that the names mean on this vehicle, and separately those that it lacks.
    public func settle(
        _ selected: [SelectedSignal], _ table: PIDTable
    ) -> (signals: [SelectedSignal], missing: [String]) {
        var settled: [SelectedSignal] = []
        var missing: [String] = []
        for one in selected {
            guard !one.candidates.isEmpty else {
                settled.append(one)
                continue
            }
            let fitting = one.candidates.first { candidate in
                candidate.record.map { records.contains($0) } ?? false
            }
            if var fitting {
                fitting.pace = one.pace
                settled.append(fitting)
            } else if one.record?.packs.isEmpty ?? true {
                var general = one
                general.candidates = []
                settled.append(general)
            } else {
                missing.append(
                    one.signal.map { table[$0].id } ?? one.record?.dataID.description ?? "")
            }
        }
        return (settled, missing)
    }
}
