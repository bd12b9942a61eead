import Diagnostics
import Formats
import PIDTables
import TripStore

/// A trip's value of the vehicle itself, under the same name for every make: charge, health, odometer, tyres.
package struct TripRole: Hashable, Sendable {
    /// The quantity.
    package var role: SignalRole
    /// The trip's signal for the role.
    package var signal: TripSignal
    /// Short name and unit of the signal.
    package var id, unit: String
    /// The first and the last number of the trip.
    package var first, last: Double

    /// The roles in a trip's readings; of several signals of one role, the one with the most readings.
    package static func all(of readings: TripReadings, _ roles: SignalRoles) throws -> [TripRole] {
        var best: [SignalRole: Int] = [:]
        for (place, found) in readings.signals.enumerated()
        where found.frame == nil && found.minimum != nil {
            guard let role = roles.role(of: readings.table[found.signal]), !role.isDetail else {
                continue
            }
            if let other = best[role], readings.signals[other].readings >= found.readings {
                continue
            }
            best[role] = place
        }
        guard !best.isEmpty else { return [] }
        var ends: [Int: (first: Double, last: Double)] = [:]
        try readings.forEachNumber(of: Array(best.values)) { _, place, value in
            ends[place] = (ends[place]?.first ?? value, value)
        }
        return SignalRole.allCases.compactMap { role in
            guard let place = best[role], let end = ends[place] else { return nil }
            let found = readings.signals[place]
            let signal = readings.table[found.signal]
            return TripRole(
                role: role, signal: found, id: signal.id, unit: signal.unit, first: end.first,
                last: end.last)
        }
    }

    /// The roles whose first and last numbers say something about a trip.
    ///
    /// The power of a battery swings, so its ends are by chance; the table of signals has its range. `hasOdometer` is
    /// true if the trip has an odometer of its own.
    static func withEnds(_ roles: [TripRole], hasOdometer: Bool) -> [TripRole] {
        roles.filter { found in
            switch found.role {
            case .packVoltage, .packCurrent, .packPower: false
            case .odometer: !hasOdometer
            default: true
            }
        }
    }

    /// `76.0 % to 71.5 %`, in the units that are shown.
    func text(_ readings: TripReadings, _ units: UnitSystem) -> String {
        let conversion = units.conversion(from: unit)
        let step = readings.step(of: signal) * (conversion?.factor ?? 1)
        let shown = conversion?.unit ?? unit
        func text(_ value: Double) -> String {
            numberText(conversion?(value) ?? value, step: step) + (shown.isEmpty ? "" : " " + shown)
        }
        return text(first) == text(last) ? text(first) : "\(text(first)) to \(text(last))"
    }

    static let keys = [
        "trip", "role", "signal", "ecu", "unit", "first", "last", "min", "max",
    ]

    func row(of trip: Int64) -> Row {
        Row(
            "tripRole",
            [
                "trip": .integer(trip), "role": .text(role.rawValue), "signal": .text(id),
                "ecu": .text(signal.ecu?.description), "unit": .text(unit),
                "first": .number(first), "last": .number(last),
                "min": .number(signal.minimum), "max": .number(signal.maximum),
            ])
    }
}
