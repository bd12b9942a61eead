import Diagnostics
import Formats
import OBDCore
import PIDTables
import TripStore

/// The signals of a trip in four groups, so that each is shown with the figures that mean something for it.
struct TripSignals {
    typealias Fact = (name: String, value: String)

    /// Numbers that changed.
    let numbers: [TripSignal]
    /// The share of the time for each value of flags and enumerations; `only` is the only value of the trip.
    let states: [(name: String, share: String, only: String?)]
    /// Numbers that did not change during the trip.
    let constants: [Fact]
    /// The names of signals without a number: texts, and signals of which the vehicle has no value.
    let others: [String]

    /// Reads the states in `readings`; `names` tells the ECUs of one signal apart.
    init(_ readings: TripReadings, _ units: UnitSystem, _ names: ECUNames) throws {
        // A support flag only says whether a signal is in the report.
        let flags = Set(try PIDTables.standard().signals.filter(\.isSupportFlag).map(\.id))
        var numbers: [TripSignal] = []
        var constants: [Fact] = []
        var others: [String] = []
        var places: [Int] = []
        for (place, found) in readings.signals.enumerated() where found.frame == nil {
            let signal = readings.table[found.signal]
            if signal.kind == .flag || signal.kind == .enumeration {
                if !flags.contains(signal.id) { places.append(place) }
            } else if let minimum = found.minimum {
                if minimum == found.maximum {
                    constants.append(
                        (
                            Self.name(found, readings, names),
                            Self.text(minimum, of: found, readings, units)
                        ))
                } else {
                    numbers.append(found)
                }
            } else {
                others.append(Self.name(found, readings, names))
            }
        }
        var shares: [Int: SignalShares] = [:]
        if !places.isEmpty {
            try readings.forEachState(of: places) { t, place, value in
                shares[place, default: SignalShares()].take(value, at: t)
            }
        }
        self.numbers = numbers
        self.constants = constants
        self.others = others
        states = places.compactMap { place in
            let found = readings.signals[place]
            let signal = readings.table[found.signal]
            return shares[place]?.text(of: signal).map {
                (Self.name(found, readings, names), $0, shares[place]?.only(of: signal))
            }
        }
    }

    /// A value with its unit, in the units that are shown.
    static func text(
        _ value: Double, of found: TripSignal, _ readings: TripReadings, _ units: UnitSystem
    ) -> String {
        let signal = readings.table[found.signal]
        let conversion = units.conversion(from: signal.unit)
        let step = readings.step(of: found) * (conversion?.factor ?? 1)
        return quantityText(
            numberText(conversion?(value) ?? value, step: step), conversion?.unit ?? signal.unit)
    }

    /// The name of a signal, with its ECU if several report it.
    static func name(
        _ found: TripSignal, _ readings: TripReadings, _ names: ECUNames
    ) -> String {
        let signal = readings.table[found.signal]
        let isAlone = !readings.signals.contains {
            $0.ecu != found.ecu && $0.frame == nil && readings.table[$0.signal].id == signal.id
        }
        return signal.name
            + (isAlone ? "" : ", \(names.title(of: found.ecu, none: "unknown ECU"))")
    }
}

extension Signal {
    /// Whether the number is a total of distance or time, such as an odometer: its mean says nothing.
    var isTotal: Bool { ["km", "s", "min", "h", "d"].contains(unit) }
}
