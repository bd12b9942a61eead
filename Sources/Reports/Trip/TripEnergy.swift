import Diagnostics
import Formats
import OBDCore
import PIDTables
import TripStore

/// The energy of a trip's traction battery, with the signals that it was computed from.
package struct TripEnergy {
    package let trip: TripSummary
    package let use: BatteryUse
    /// Short names of the signals, by quantity.
    let signals: [BatteryQuantity: String]

    /// Computes the energy of a trip; nil if no signal of the trip belongs to a traction battery.
    package init?(_ readings: TripReadings, _ roles: SignalRoles) throws {
        let chosen = Self.choice(readings, roles)
        guard chosen.keys.contains(where: { Self.ofBattery.contains($0) }) else { return nil }
        trip = readings.trip
        signals = chosen.mapValues { readings.table[readings.signals[$0].signal].id }
        let hasCurrent = chosen[.current] != nil && chosen[.voltage] != nil
        let flow = chosen[hasCurrent ? .current : .power]
        let isOut = flow.flatMap { readings.table[readings.signals[$0].signal].isPositiveOut }
        var survey = BatterySurvey(
            hasCurrent: hasCurrent, named: isOut.map { $0 ? .discharge : .charge })
        var quantities = [BatteryQuantity?](repeating: nil, count: readings.signals.count)
        for (quantity, place) in chosen { quantities[place] = quantity }
        let surveyed: Set<BatteryQuantity> = [
            .current, .voltage, .power, .charge, .speed, .charging, .fuelType,
        ]
        try readings.forEachNumber(
            of: chosen.filter { surveyed.contains($0.key) }.map(\.value)
        ) { t, place, value in
            if let quantity = quantities[place] { survey.take(value, quantity, t: t) }
        }
        survey.finish()
        var meter = BatteryMeter(survey, hasCurrent: hasCurrent)
        try readings.forEachNumber(of: Array(chosen.values)) { t, place, value in
            if let quantity = quantities[place] { meter.take(value, quantity, t: t) }
        }
        meter.finish()
        use = meter.use(
            distance: trip.distance,
            isOdometer: trip.odometer.map { $0.upperBound > $0.lowerBound } ?? false)
    }

    /// Whether the trip has a figure for lists and pages of all trips.
    package var isWorthShowing: Bool { use.used != nil || !use.sessions.isEmpty }

    private static let ofBattery: Set<BatteryQuantity> = [
        .current, .power, .charge, .energyIn, .energyOut, .chargeIn, .chargeOut, .cellHighest,
        .cellLowest, .isolation,
    ]

    // MARK: Signals

    /// The quantity of a role, and the unit that a signal must have; nil is a flag or a number without a unit.
    private static let quantities: [SignalRole: (quantity: BatteryQuantity, unit: String?)] = [
        .packCurrent: (.current, "A"), .packVoltage: (.voltage, "V"), .packPower: (.power, "kW"),
        .stateOfCharge: (.charge, "%"), .ownCharge: (.charge, "%"), .charging: (.charging, nil),
        .fastCharging: (.fastCharging, nil), .energyCharged: (.energyIn, "kWh"),
        .energyDischarged: (.energyOut, "kWh"), .chargeTakenUp: (.chargeIn, "Ah"),
        .chargeGivenOff: (.chargeOut, "Ah"), .highestCell: (.cellHighest, "V"),
        .lowestCell: (.cellLowest, "V"), .lowestCellNumber: (.lowestCell, nil),
        .packTemperature: (.temperature, "°C"), .isolation: (.isolation, "kΩ"),
        .odometer: (.odometer, "km"),
    ]

    /// Candidates of a quantity: those of the battery's own state of charge come before the displayed ones, which
    /// makers stretch.
    private struct Candidate {
        var place: Int
        var ecu: ECUAddress?
        var readings: Int
        var isOwn: Bool
    }

    /// The signal of each quantity, by its index in the trip.
    private static func choice(
        _ readings: TripReadings, _ roles: SignalRoles
    ) -> [BatteryQuantity: Int] {
        var found: [BatteryQuantity: [Candidate]] = [:]
        for (place, one) in readings.signals.enumerated()
        where one.frame == nil && one.minimum != nil {
            let signal = readings.table[one.signal]
            guard let (quantity, isOwn) = quantity(one, signal, readings.table, roles) else {
                continue
            }
            found[quantity, default: []].append(
                Candidate(place: place, ecu: one.ecu, readings: one.readings, isOwn: isOwn))
        }
        // Current and voltage of one ECU belong together, and so do the other values of that ECU.
        let ecu = battery(found[.current] ?? [], found[.voltage] ?? [])
        var choice: [BatteryQuantity: Int] = [:]
        for (quantity, candidates) in found {
            let best = candidates.max { left, right in
                let (one, other) = (rank(left, ecu), rank(right, ecu))
                return one == other ? left.place > right.place : one < other
            }
            choice[quantity] = best?.place
        }
        return choice
    }

    private static func rank(
        _ candidate: Candidate, _ ecu: ECUAddress??
    ) -> (Int, Int, Int) {
        let isSame = if let ecu { candidate.ecu == ecu } else { false }
        return (candidate.isOwn ? 1 : 0, isSame ? 1 : 0, candidate.readings)
    }

    /// The ECU with most readings of both; nil if no ECU has both.
    private static func battery(_ currents: [Candidate], _ voltages: [Candidate]) -> ECUAddress?? {
        var best: (ecu: ECUAddress?, readings: Int)?
        for current in currents {
            let volts = voltages.filter { $0.ecu == current.ecu }.map(\.readings).max() ?? 0
            let both = min(volts, current.readings)
            if both > best?.readings ?? 0 { best = (current.ecu, both) }
        }
        return best.map { .some($0.ecu) } ?? nil
    }

    private static func quantity(
        _ found: TripSignal, _ signal: Signal, _ table: PIDTable, _ roles: SignalRoles
    ) -> (BatteryQuantity, isOwn: Bool)? {
        switch TripFuel.quantity(found, table) {
        case .speed: return (.speed, false)
        case .engineSpeed: return (.engineSpeed, false)
        case .fuelType: return (.fuelType, false)
        default: break
        }
        guard let role = roles.role(of: signal), let (quantity, unit) = quantities[role] else {
            return nil
        }
        if let unit, signal.unit != unit || signal.kind != .number { return nil }
        return (quantity, role == .ownCharge)
    }
}
