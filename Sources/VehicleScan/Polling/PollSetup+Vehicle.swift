public import Diagnostics
import OBDCore
import ScanSession

extension PollSetup {
    /// What named signals need, or everything that the vehicle supports and `packs` have.
    ///
    /// `unknown` is called for each name that the vehicle's services have no signal for.
    public static func make(
        _ selected: [SelectedSignal], _ packs: [PIDTable.Record], _ connection: Vehicle,
        every period: Duration?, unknown: (ResolvedSignals.Unknown) -> Void = { _ in }
    ) throws(VehicleError) -> PollSetup {
        var setup = try choose(selected, packs, connection, every: period, unknown)
        setup.onlyECU = connection.ecu
        return setup
    }

    private static func choose(
        _ selected: [SelectedSignal], _ packs: [PIDTable.Record], _ connection: Vehicle,
        every period: Duration?, _ unknown: (ResolvedSignals.Unknown) -> Void
    ) throws(VehicleError) -> PollSetup {
        // QueryResult alone, where the protocol has such requests.
        let ecu = connection.hasPhysicalRequests ? connection.ecu : nil
        if !selected.isEmpty {
            try connection.check(selected.compactMap(\.record))
            let profiles = try connection.signalProfiles(for: selected)
            let known = SignalNames(connection.table).resolve(selected, in: profiles)
            if known.signals.isEmpty, let first = known.unknown.first {
                throw .unknownSignal(first)
            }
            for name in known.unknown { unknown(name) }
            var setup = PollSetup(
                known.signals, table: connection.table, every: period, ecu: ecu)
            setup.profiles = profiles
            return setup
        }
        try connection.check(packs)
        let services = try connection.services()
        if !services.profiles.contains(where: \.announcesRecords) {
            return PollSetup(j1939: connection.table, every: period, ecu: ecu)
        }
        let supported = try connection.supportedIDs(in: services) { .supportedPIDs($0) }
        guard !supported.all.isEmpty || !packs.isEmpty else {
            throw connection.problem(of: [services.first]) ?? .announcesNothing
        }
        var setup = PollSetup(
            supported: supported, by: services.profiles, table: connection.table, every: period,
            ecu: ecu)
        // Each of them has to be asked alone, and mostly at another ECU: that is slow.
        setup.wants += packs.map {
            PollPlan.Want($0, as: $0.dataID, period: period ?? .seconds(5), ecu: ecu)
        }
        return setup
    }

    /// Leaves the vehicle alone while it is off; nil = it is asked whatever happens.
    public mutating func protectBattery(_ limits: BatteryGuard.Limits?, _ connection: Vehicle) {
        battery = limits
        motion = PollPlan.Motion(
            connection.table, profiles, ecu: connection.hasPhysicalRequests ? connection.ecu : nil)
    }

    /// The plan for a session.
    public var plan: PollPlan {
        let seldom: Duration? = watchesVoltage ? .seconds(30) : nil
        var plan = PollPlan(wants: wants, voltagePeriod: readsVoltage ? .seconds(5) : seldom)
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
