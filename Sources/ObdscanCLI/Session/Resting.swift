import ArgumentParser
import Diagnostics
import OBDCore

/// Whether a parked vehicle is left alone.
struct RestOptions: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Ask for nothing while the vehicle is off, and go on by itself.",
            discussion: """
                On by default (`battery-safe` of the configuration file): off means that no ECU has \
                answered for a minute, or that speed and engine speed have been 0 for ten minutes \
                at less than 12.8 V. Then only the voltage at the adapter is looked at.
                """))
    var batterySafe: Bool?

    /// The limits; nil = the vehicle is asked whatever happens.
    var limits: BatteryGuard.Limits? {
        batterySafe ?? Settings.current.batterySafe ?? true ? BatteryGuard.Limits() : nil
    }
}

extension PollPlan.Motion {
    /// Engine speed and vehicle speed of a vehicle that is asked by `profiles`.
    init(_ table: PIDTable, _ profiles: [DiagnosticProfile], ecu: ECUAddress?) {
        self.init()
        let isJ1939 = profiles == [.j1939]
        let group = DataID.parameterGroups
        let engine = isJ1939 ? DataID(group, 0xF004) : DataID(.currentData, 0x0C)
        let wheels = isJ1939 ? DataID(group, 0xFEF1) : DataID(.currentData, 0x0D)
        for (dataID, unit) in [(engine, "rpm"), (wheels, "km/h")] {
            guard let record = table.record(dataID) else { continue }
            let signals = record.signals.map { SignalIndex(rawValue: $0) }
                .filter { table[$0].unit == unit }.prefix(1)
            if unit == "rpm" { engineSpeed += signals } else { speed += signals }
            if let place = profiles.lazy.compactMap({ $0.place(of: dataID) }).first {
                wants.append(PollPlan.Want(record, as: place, period: nil, ecu: ecu))
            }
        }
    }
}

extension BatteryGuard.Rest {
    /// Why, for people.
    var reason: String {
        let volts = voltage.map { ", \(fixed($0, 1)) V" } ?? ""
        return switch cause {
        case .silence: "no ECU answers\(volts)"
        case .standstill: "speed and engine speed are 0\(volts)"
        }
    }

    /// Why it is over, for people.
    var wakeReason: String {
        switch cause {
        case .silence: "an ECU answers again"
        case .standstill: "the vehicle is on again"
        }
    }

    /// What a user is told when it begins.
    var words: String {
        "the vehicle is off (\(reason)): asking is paused and goes on by itself"
    }

    /// What a user is told when it is over.
    var wakeWords: String { "asking goes on: \(wakeReason)" }
}
