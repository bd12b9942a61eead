public import Diagnostics
import OBDCore
public import ScanSession

extension PollSetup {
    /// The set-up for the named signals, or for everything that the vehicle supports and `packs` contain.
    ///
    /// `unknown` is called for each name that is not a signal in the vehicle's services.
    public static func make(
        _ selected: [SelectedSignal], _ packs: [PIDTable.Record], _ vehicle: Vehicle,
        every period: Duration?, unknown: (ResolvedSignals.Unknown) -> Void = { _ in }
    ) throws(VehicleError) -> PollSetup {
        let link = vehicle.scan.link?.capabilities
        let hearsFrames = link?.hearsFrames ?? false
        let hearsGroups = link?.hearsGroups ?? false
        let names = SignalNames(vehicle.table)
        let asked = selected.filter { one in
            !(hearsFrames && names.isHeard(one, asking: vehicle.ecu))
                && !(hearsGroups && names.isHeardGroup(one))
        }
        var setup: PollSetup
        if asked.isEmpty, !selected.isEmpty {
            setup = PollSetup([], table: vehicle.table, every: period, ecu: nil)
            setup.profiles = try vehicle.signalProfiles(for: [])
        } else {
            setup = try choose(asked, packs, vehicle, every: period, unknown)
        }
        setup.hearsFrames = hearsFrames || hearsGroups
        if hearsFrames, !selected.isEmpty {
            setup.named += names.heard(among: selected, asking: vehicle.ecu)
        }
        if hearsGroups {
            let groups = names.heardGroups(among: selected)
            setup.heardGroups = groups.unasked
            if !selected.isEmpty { setup.named += groups.signals }
        }
        setup.onlyECU = vehicle.ecu
        return setup
    }

    private static func choose(
        _ selected: [SelectedSignal], _ packs: [PIDTable.Record], _ vehicle: Vehicle,
        every period: Duration?, _ unknown: (ResolvedSignals.Unknown) -> Void
    ) throws(VehicleError) -> PollSetup {
        // A request to a single ECU, if the protocol has such requests.
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
            var setup = PollSetup(j1939: vehicle.table, every: period, ecu: ecu)
            setup.add(packs, every: period, ecu: ecu)
            return setup
        }
        let supported = try vehicle.supportedIDs(in: services) { .supportedPIDs($0) }
        guard !supported.all.isEmpty || !packs.isEmpty else {
            throw vehicle.problem(of: [services.first]) ?? .announcesNothing
        }
        var setup = PollSetup(
            supported: supported, by: services.profiles, table: vehicle.table, every: period,
            ecu: ecu)
        setup.add(packs, every: period, ecu: ecu)
        return setup
    }

    /// Adds records that the vehicle does not announce.
    ///
    /// Each of them needs its own request, mostly to another ECU, which is slow.
    private mutating func add(
        _ records: [PIDTable.Record], every period: Duration?, ecu: ECUAddress?
    ) {
        for record in records {
            let want = PollPlan.Want(
                record, as: record.dataID, period: period ?? .seconds(5), ecu: ecu)
            let isAsked = wants.contains {
                $0.dataID == want.dataID && $0.target == want.target
                    && $0.responder == want.responder
            }
            if !isAsked { wants.append(want) }
        }
    }

    /// Leaves the vehicle alone while it is off; nil means to ask it in any case.
    public mutating func protectBattery(_ limits: BatteryGuard.Limits?, _ vehicle: Vehicle) {
        battery = limits
        motion = PollPlan.Motion(
            vehicle.table, profiles, ecu: vehicle.hasPhysicalRequests ? vehicle.ecu : nil)
    }

    /// Reads the check engine light and the number of codes occasionally, for a heading.
    ///
    /// In SAE J1939 both are in DM1.
    public mutating func watchLight(_ vehicle: Vehicle) {
        if profiles.contains(.j1939) {
            lightWant = PollPlan.Want(
                DataID(DataID.parameterGroups, 0xFECA), length: nil, period: SignalPace.slow)
            return
        }
        let classic = DataID(.currentData, 0x01)
        guard let record = vehicle.table.record(classic),
            let place = profiles.lazy.compactMap({ $0.place(of: classic) }).first
        else { return }
        lightWant = PollPlan.Want(
            record, as: place, period: SignalPace.slow,
            ecu: vehicle.hasPhysicalRequests ? vehicle.ecu : nil)
    }

    /// Begins to poll, or to listen; a session that hears everything that is wanted asks for nothing more.
    public func begin(on scan: ScanSession) {
        if hears { scan.hear() }
        guard !listens else { return }
        if asksForSignals || !hearsFrames {
            scan.poll(plan)
        } else {
            scan.cancelPoll()
        }
    }

    /// Whether there is anything to request.
    public var asksForSignals: Bool { !wants.isEmpty || readsVoltage }

    /// The plan for a session.
    public var plan: PollPlan {
        // If only the heading is left, there is no reason to continue polling.
        let seldom: Duration? = watchesVoltage && !wants.isEmpty ? .seconds(30) : nil
        let isAsked = wants.contains { $0.dataID == lightWant?.dataID }
        let heading = wants.isEmpty || isAsked ? [] : [lightWant].compactMap(\.self)
        var plan = PollPlan(
            wants: wants + heading, voltagePeriod: readsVoltage ? voltagePeriod : seldom)
        if let battery { plan.protectBattery(by: BatteryGuard(limits: battery), motion) }
        return plan
    }

    /// Whether an item is a named signal, or not a reading.
    public func wants(_ item: DiagnosticItem) -> Bool {
        guard case .reading(let reading) = item else { return true }
        return wants(reading)
    }

    /// Whether to show the voltage at the adapter.
    public func showsVoltage(_ table: PIDTable) -> Bool {
        named.isEmpty || table.adapterVoltage.map { named.contains($0) } ?? false
    }
}
