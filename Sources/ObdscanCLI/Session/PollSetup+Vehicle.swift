import Diagnostics
import OBDCore
import ScanSession
import VehicleScan

extension PollSetup {
    /// What named signals need, or everything that the vehicle supports and `packs` have.
    static func make(
        _ selected: [SelectedSignal], _ packs: [PIDTable.Record], _ connection: Connection,
        every period: Duration?, _ output: OutputOptions
    ) throws -> PollSetup {
        var setup = try choose(selected, packs, connection, every: period, output)
        setup.onlyECU = connection.ecu
        return setup
    }

    private static func choose(
        _ selected: [SelectedSignal], _ packs: [PIDTable.Record], _ connection: Connection,
        every period: Duration?, _ output: OutputOptions
    ) throws -> PollSetup {
        // Asked alone, where the protocol has such requests.
        let ecu = connection.hasPhysicalRequests ? connection.ecu : nil
        if !selected.isEmpty {
            try connection.check(selected.compactMap(\.record))
            let profiles = try connection.signalProfiles(for: selected)
            let known = SignalNames(connection.table).resolve(selected, in: profiles)
            if known.signals.isEmpty, let first = known.unknown.first {
                throw first.failure(connection)
            }
            for name in known.unknown { output.note(name.text) }
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
            throw connection.failure(of: [services.first])
                ?? Failure(
                    "\(connection.accessory): the vehicle announces no signals",
                    hint: "name them: obdscan live rpm speed", status: .timedOut)
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
    mutating func protectBattery(_ limits: BatteryGuard.Limits?, _ connection: Connection) {
        battery = limits
        motion = PollPlan.Motion(
            connection.table, profiles, ecu: connection.hasPhysicalRequests ? connection.ecu : nil)
    }

    /// The plan for a session.
    var plan: PollPlan {
        let seldom: Duration? = watchesVoltage ? .seconds(30) : nil
        var plan = PollPlan(wants: wants, voltagePeriod: readsVoltage ? .seconds(5) : seldom)
        if let battery { plan.protectBattery(by: BatteryGuard(limits: battery), motion) }
        return plan
    }

    /// Whether an item is a named signal, or no reading at all.
    func wants(_ item: DiagnosticItem) -> Bool {
        guard case .reading(let reading) = item else { return true }
        return wants(reading)
    }

    /// Whether the voltage at the adapter is to be shown.
    func showsVoltage(_ table: PIDTable) -> Bool {
        named.isEmpty || table.adapterVoltage.map { named.contains($0) } ?? false
    }
}
