public import Diagnostics
public import OBDCore
import ScanSession

/// The records that `live` and `log` request, and which of their signals are used.
public struct PollSetup: Sendable {
    /// The records to request.
    public var wants: [PollPlan.Want]
    /// The signals that the user named; empty means everything that the vehicle supports.
    public var named: [SignalIndex]
    /// Whether to read the voltage at the adapter.
    public var readsVoltage: Bool
    /// Whether the session only listens to the bus.
    public private(set) var listens = false
    /// Whether the session hears frames that ECUs send by themselves, beside its requests.
    public internal(set) var hearsFrames = false
    /// The parameter groups of SAE J1939 that the session only hears.
    public internal(set) var heardGroups: Set<UInt32> = []
    /// Whether the session also takes frames that ECUs send by themselves.
    public var hears: Bool { listens || hearsFrames }
    /// How often that is read.
    public var voltagePeriod = Duration.seconds(5)
    /// Whether to read the voltage occasionally, only for a heading.
    public var watchesVoltage = false
    /// The occasional request for the check engine light in a heading; nil if there is none.
    public var lightWant: PollPlan.Want?
    /// The services in which to ask for the VIN.
    public var profiles: [DiagnosticProfile]
    /// The ECU of `--ecu`; if requests cannot address a single ECU, the answers of others are ignored.
    public var onlyECU: ECUAddress?

    /// The code of PID 51, if it was needed to know what the vehicle is; nil = not known.
    public var fuelType: UInt32?

    /// Leaves the vehicle alone while it is off; nil means to ask it in any case.
    public var battery: BatteryGuard.Limits?
    /// How to detect whether the vehicle is off.
    public var motion = PollPlan.Motion()

    /// The set-up for named signals.
    public init(
        _ selected: [SelectedSignal], table: PIDTable, every period: Duration?, ecu: ECUAddress?
    ) {
        wants = []
        named = []
        readsVoltage = false
        profiles = [.classicCAN]
        for one in selected {
            guard let record = one.record, let dataID = one.dataID else {
                readsVoltage = true
                // The voltage precedes all other requests, so it must not use all the time.
                if let wanted = one.pace.map({ $0.period ?? .zero }) ?? period {
                    voltagePeriod = max(wanted, .milliseconds(50))
                }
                named += [table.adapterVoltage].compactMap(\.self)
                continue
            }
            let wanted = one.pace.map(\.period) ?? period
            wants.append(PollPlan.Want(record, as: dataID, period: wanted, ecu: ecu))
            if let signal = one.signal {
                named.append(signal)
            } else {
                named += record.signals.map { SignalIndex(rawValue: $0) }
            }
        }
    }

    /// The set-up for all current values that the vehicle supports; slow values are requested rarely.
    public init(
        supported: SupportedIDs, by profiles: [DiagnosticProfile], table: PIDTable,
        every period: Duration?, ecu: ECUAddress?
    ) {
        self.profiles = profiles
        named = []
        readsVoltage = true
        wants = supported.all.flatMap { id in
            let classic = DataID(.currentData, UInt32(id))
            guard let record = table.record(classic) else { return [PollPlan.Want]() }
            return profiles.compactMap { $0.place(of: classic) }.map { place in
                PollPlan.Want(record, as: place, period: period ?? Self.pace(of: id), ecu: ecu)
            }
        }
    }

    /// The set-up for the measured parameter groups of SAE J1939, where vehicles do not announce any.
    public init(j1939 table: PIDTable, every period: Duration?, ecu: ECUAddress?) {
        profiles = [.j1939]
        named = []
        readsVoltage = true
        wants = table.measuredGroups.map { record in
            PollPlan.Want(
                record, as: record.dataID, period: period ?? Self.pace(ofGroup: record.dataID.id),
                ecu: ecu)
        }
    }

    /// The set-up for what ECUs send by themselves: nothing is requested.
    ///
    /// `named` are the signals to use; empty = all.
    public init(heard named: [SignalIndex]) {
        wants = []
        self.named = named
        readsVoltage = false
        profiles = []
        listens = true
    }

    /// Whether a record is heard and never requested.
    public func isOnlyHeard(_ id: DataID) -> Bool {
        id.service == DataID.frames
            || id.service == DataID.parameterGroups && heardGroups.contains(id.id)
    }

    /// Whether a reading is a named signal, or any signal if none is named.
    public func wants(_ reading: Reading) -> Bool {
        // The identifier of a frame does not say which ECU sends it.
        if let onlyECU, reading.ecu != nil, reading.ecu != onlyECU, !reading.isHeardFrame {
            return false
        }
        return named.isEmpty || named.contains(reading.signal)
    }

    /// The useful interval for a parameter group; nil means as fast as possible.
    private static func pace(ofGroup group: UInt32) -> Duration? {
        switch group {
        // Engine and pedal, vehicle speed, fuel rate.
        case 0xF000...0xF0FF, 0xFEF1, 0xFEF2: nil
        // Hours, distances, fuel used; freeze frames.
        case 0xFEE0, 0xFEE5, 0xFEE9, 0xFECD: SignalPace.slow
        default: .seconds(1)
        }
    }

    /// The useful interval for a record of service 01; nil means as fast as possible.
    public static func pace(of id: UInt8) -> Duration? {
        switch id {
        // Monitors, properties of the vehicle, counters since codes were cleared.
        case 0x01, 0x02, 0x12, 0x13, 0x1C, 0x1D, 0x1E, 0x21, 0x30, 0x31, 0x41, 0x4D...0x51, 0x5F,
            0x65, 0x7F, 0xA6:
            SignalPace.slow
        // Temperatures, levels, run time, ambient pressure.
        case 0x05, 0x0F, 0x1F, 0x2F, 0x33, 0x3C...0x3F, 0x42, 0x46, 0x5C, 0x67, 0x68: .seconds(1)
        default: nil
        }
    }
}
