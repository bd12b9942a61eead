public import Diagnostics
import OBDCore
import ScanSession

extension PollSetup {
    /// What named signals need, or everything that the vehicle supports and `packs` have.
    ///
    /// `unknown` is called for each name that the vehicle's services have no signal for.
    public static func make(
        _ selected: [SelectedSignal], _ packs: [PIDTable.Record], _ vehicle: Vehicle,
        every period: Duration?, unknown: (ResolvedSignals.Unknown) -> Void = { _ in }
    ) throws(VehicleError) -> PollSetup {
        var setup = try choose(selected, packs, vehicle, every: period, unknown)
        setup.onlyECU = vehicle.ecu
        return setup
    }

    private static func choose(
        _ selected: [SelectedSignal], _ packs: [PIDTable.Record], _ vehicle: Vehicle,
        every period: Duration?, _ unknown: (ResolvedSignals.Unknown) -> Void
    ) throws(VehicleError) -> PollSetup {
        // QueryResult alone, where the protocol has such requests.
        let ecu = vehicle.hasPhysicalRequests ? vehicle.ecu : nil
        if !selected.isEmpty {
            try vehicle.check(selected.compactMap(\.record))
            let profiles = try vehicle.signalProfiles(for: selected)
            let known = SignalNames(vehicle.table).resolve(selected, in: profiles)
            if known.signals.isEmpty, let first = known.unknown.first {
                throw .unknownSignal(first)
            }
            for name in known.unknown { unknown(name) }
            var setup = PollSetup(
                known.signals, table: vehicle.table, every: period, ecu: ecu)
            setup.profiles = profiles
            return setup
        }
        try vehicle.check(packs)
        let services = try vehicle.services()
        if !services.profiles.contains(where: \.announcesRecords) {
            return PollSetup(j1939: vehicle.table, every: period, ecu: ecu)
        }
        let supported = try vehicle.supportedIDs(in: services) { .supportedPIDs($0) }
        guard !supported.all.isEmpty || !packs.isEmpty else {
            throw vehicle.problem(of: [services.first]) ?? .announcesNothing
        }
        var setup = PollSetup(
            supported: supported, by: services.profiles, table: vehicle.table, every: period,
            ecu: ecu)
        // Each of them has to be asked alone, and mostly at another ECU: that is slow.
        setup.wants += packs.map {
            PollPlan.Want($0, as: $0.dataID, period: period ?? .seconds(5), ecu: ecu)
        }
        return setup
    }

    /// Leaves the vehicle alone while it is off; nil = it is asked whatever happens.
    public mutating func protectBattery(_ limits: BatteryGuard.Limits?, _ vehicle: Vehicle) {
        battery = limits
        motion = PollPlan.Motion(
            vehicle.table, profiles, ecu: vehicle.hasPhysicalRequests ? vehicle.ecu : nil)
    }

    /// Has the check engine light and the number of codes read now and then, for a heading.
    public mutating func watchLight(_ vehicle: Vehicle) {
        let classic = DataID(.currentData, 0x01)
        guard let record = vehicle.table.record(classic),
            let place = profiles.lazy.compactMap({ $0.place(of: classic) }).first
        else { return }
        lightWant = PollPlan.Want(
            record, as: place, period: SignalPace.slow,
            ecu: vehicle.hasPhysicalRequests ? vehicle.ecu : nil)
    }

    /// The plan for a session.
    public var plan: PollPlan {
        let seldom: Duration? = watchesVoltage ? .seconds(30) : nil
        let isAsked = wants.contains { $0.dataID == lightWant?.dataID }
        // Alone it is no reason to go on asking.
        let heading = wants.isEmpty || isAsked ? [] : [lightWant].compactMap(\.self)
        var plan = PollPlan(
            wants: wants + heading, voltagePeriod: readsVoltage ? .seconds(5) : seldom)
        if let battery { plan.protectBattery(by: BatteryGuard(limits: battery), motion) }
        return plan
    }

    /// Whether an item is a named signal, or no reading at all.
    public func wants(_ item: DiagnosticItem) -> Bool {
        guard case .reading(let reading) = item else { return true }
        return wants(reading)
    }

    /// Whether the voltage at the adapter is to be shown.
    public func showsVoltage(_ table: PIDTable) -> Bool {
        named.isEmpty || table.adapterVoltage.map { named.contains($0) } ?? false
    }
}
