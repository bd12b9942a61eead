public import Diagnostics
import OBDCore

/// The kind of a vehicle, which decides the signals that its driver needs first.
public enum VehicleKind: Hashable, Sendable, CaseIterable {
    /// A vehicle without an engine, driven by a battery.
    case electric
    /// A truck, a bus or a machine, whose ECUs speak SAE J1939.
    case heavy
    /// A vehicle with an engine, hybrids included; also a vehicle about which nothing is known.
    case engine

    /// The kind, by what the vehicle reports.
    ///
    /// - Parameters:
    ///   - signals: the signals that the vehicle supports.
    ///   - fuel: the code of PID 51; nil or 0 = not reported.
    public init(signals: [Signal], speaksJ1939: Bool, fuel: UInt32? = nil) {
        if speaksJ1939 {
            self = .heavy
        } else if let fuel, fuel != 0 {
            self = fuel == Self.electricity ? .electric : .engine
        } else {
            self =
                Self.hasBattery(signals) && !signals.contains { $0.id == Self.engineSpeed }
                ? .electric : .engine
        }
    }

    /// Whether only the fuel type shows the kind: some electric cars report an engine speed.
    static func isUndecided(_ signals: [Signal]) -> Bool {
        hasBattery(signals) && signals.contains { $0.id == engineSpeed }
    }

    private static func hasBattery(_ signals: [Signal]) -> Bool {
        signals.contains { signal in
            SignalRole(aliases: signal.aliases).map {
                [.stateOfCharge, .packVoltage, .packCurrent, .packPower].contains($0)
            } ?? false
        }
    }

    private static let engineSpeed = "RPM"
    /// Battery/electric, in PID 51 of SAE J1979-DA.
    private static let electricity: UInt32 = 0x08
}

/// The signals that a driver needs first, by the kind of vehicle.
public enum DriverSignals {
    /// The number of signals that a driver's display has.
    public static let count = 8

    /// Short names or aliases, the most important first.
    private static func names(_ kind: VehicleKind) -> [String] {
        switch kind {
        case .electric:
            [
                "ev-soc", "ev-power", "ev-voltage", "ev-current", "ev-range", "VSS", "ev-temp",
                "AAT", "VPWR", "ADAPTER_VOLTAGE", "ODO",
            ]
        // Speed, engine speed, load, coolant, oil pressure, fuel level and rate, battery, oil.
        case .heavy:
            [
                "SPN84", "SPN190", "SPN92", "SPN110", "SPN100", "SPN96", "SPN183", "SPN168",
                "SPN175", "SPN102", "SPN105", "SPN513", "SPN91", "SPN1761", "ADAPTER_VOLTAGE",
            ]
        case .engine:
            [
                "RPM", "VSS", "ECT", "LOAD_PCT", "ev-soc", "FLI", "FUEL_RATE", "EOT", "TP", "MAF",
                "MAP", "IAT", "VPWR", "ADAPTER_VOLTAGE",
            ]
        }
    }

    /// The signals of `available` that matter to the driver of such a vehicle, the most important first.
    public static func order(
        _ kind: VehicleKind, among available: [(index: SignalIndex, signal: Signal)]
    ) -> [SignalIndex] {
        var found: [SignalIndex] = []
        for name in names(kind) {
            let match = available.first { index, signal in
                (signal.id == name || signal.aliases.contains(name)) && !found.contains(index)
            }
            if let match { found.append(match.index) }
        }
        return found
    }

    /// The signals that describe the vehicle and do not change while it is driven.
    ///
    /// They are positions of oxygen sensors, OBD requirements, maximum values, the fuel type, emission
    /// requirements, reference torque, and addresses of controllers.
    public static func constants(_ table: PIDTable) -> Set<SignalIndex> {
        let ids: [UInt32] = [0x13, 0x1C, 0x1D, 0x4F, 0x50, 0x51, 0x5F, 0x63]
        let pids = ids.compactMap { table.record(DataID(.currentData, $0)) }
        let groups = table.measuredGroups
        return Set(
            (pids + groups).flatMap(\.signals).map { SignalIndex(rawValue: $0) }.filter {
                table[$0].id.hasPrefix("SPN") ? groupConstants.contains(table[$0].id) : true
            })
    }

    /// The address of the controlling device, and reference torque.
    private static let groupConstants: Set<String> = ["SPN1483", "SPN544"]
}

extension PollSetup {
    /// The signals that the set-up polls.
    private func available(_ table: PIDTable) -> [(index: SignalIndex, signal: Signal)] {
        var all = wants.flatMap { Self.signals(polledBy: $0, table) }
        if readsVoltage, let voltage = table.adapterVoltage { all.append(voltage) }
        return all.map { ($0, table[$0]) }
    }

    /// The signals of a want, whose record may be of a pack.
    private static func signals(polledBy want: PollPlan.Want, _ table: PIDTable) -> [SignalIndex] {
        let own = table.records.first {
            $0.dataID == want.dataID && !$0.packs.isEmpty && $0.target == want.target
        }
        return own.map { $0.signals.map { SignalIndex(rawValue: $0) } } ?? signals(of: want, table)
    }

    /// The order of the signals: as named, or else those that a driver needs first.
    public func order(_ table: PIDTable) -> [SignalIndex] {
        if !named.isEmpty { return named }
        let available = available(table)
        let kind = VehicleKind(
            signals: available.map(\.signal), speaksJ1939: profiles.contains(.j1939),
            fuel: fuelType)
        return DriverSignals.order(kind, among: available)
    }

    /// The signals of a driver's display, the most important first.
    public func driver(_ table: PIDTable) -> [SignalIndex] {
        Array(order(table).prefix(DriverSignals.count))
    }

    /// Polls only the signals of a driver's display, and `others`.
    public mutating func keepDriver(_ table: PIDTable, and others: [SignalIndex] = []) {
        var driver = driver(table)
        guard !driver.isEmpty else { return }
        driver += others.filter { !driver.contains($0) }
        named = driver
        readsVoltage = table.adapterVoltage.map { driver.contains($0) } ?? false
        wants = wants.filter { want in
            Self.signals(polledBy: want, table).contains { driver.contains($0) }
        }
    }

    /// Asks for the fuel type if nothing else shows whether the vehicle is electric.
    public mutating func learnKind(_ vehicle: Vehicle) throws(VehicleError) {
        let classic = DataID(.currentData, 0x51)
        guard named.isEmpty,
            VehicleKind.isUndecided(available(vehicle.table).map(\.signal)),
            let place = profiles.lazy.compactMap({ $0.place(of: classic) }).first,
            wants.contains(where: { $0.dataID == place })
        else { return }
        for case .reading(let reading) in try vehicle.ask(place.requestPayload).answer.items {
            if case .label(let code) = reading.value { fuelType = UInt32(code) }
        }
    }
}
