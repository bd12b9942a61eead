import Diagnostics
import Formats
import OBDCore
import TripStore

/// Calculates the fuel of a trip from its readings.
package enum TripFuel {
    /// The fuel of a trip; nil if it has no data about fuel.
    package static func use(of readings: TripReadings, _ profile: FuelProfile) throws -> FuelUse? {
        // Two ECUs must not count the same fuel twice. Use the channel with the most readings, or
        // the first of several such channels; ignore channels without a number.
        var best: [FuelQuantity: Int] = [:]
        for (place, found) in readings.signals.enumerated()
        where found.frame == nil && found.minimum != nil {
            guard let quantity = quantity(found, readings.table) else { continue }
            if let other = best[quantity], readings.signals[other].readings >= found.readings {
                continue
            }
            best[quantity] = place
        }
        let roles = Dictionary(uniqueKeysWithValues: best.map { ($0.value, $0.key) })
        guard !roles.isEmpty else { return nil }
        var settings = profile.settings
        // Nearly all engines with SAE J1939 run on diesel.
        let isJ1939 = roles.keys.contains { place in
            readings.signals[place].dataID?.service == DataID.parameterGroups
        }
        if isJ1939 { settings.usualKind = .diesel }
        var meter = FuelMeter(settings)
        var quantities = [FuelQuantity?](repeating: nil, count: readings.signals.count)
        for (place, quantity) in roles { quantities[place] = quantity }
        try readings.forEachNumber(of: Array(roles.keys)) { t, place, value in
            if let quantity = quantities[place] { meter.take(value, quantity, t: t) }
        }
        let trip = readings.trip
        return FuelUse(
            meter, distance: trip.distance, driven: trip.driven, seconds: trip.seconds)
    }

    /// Whether a signal is a flow of fuel, or of the air that burns it.
    package static func isFlow(_ signal: Signal) -> Bool {
        ["FUEL_RATE", "ENG_FUEL_RATE", "SPN183", "MAF", "MAFA"].contains(signal.id)
    }

    /// The quantity of the standard's own signals.
    static func quantity(_ found: TripSignal, _ table: PIDTable) -> FuelQuantity? {
        guard let dataID = found.dataID else { return nil }
        let name = table[found.signal].id
        let id: UInt32
        switch dataID.service {
        case .currentData: id = dataID.id
        // SAE J1979-2 has the PIDs at F400.
        case .readData where dataID.id & 0xFF00 == 0xF400: id = dataID.id & 0xFF
        default:
            switch name {
            case "SPN183": return .fuelRate
            case "SPN84" where dataID.id == 0xFEF1: return .speed
            case "SPN190" where dataID.id == 0xF004: return .engineSpeed
            default: return nil
            }
        }
        switch (id, name) {
        case (0x5E, "FUEL_RATE"): return .fuelRate
        case (0x9D, "ENG_FUEL_RATE"): return .fuelMassRate
        case (0x10, "MAF"), (0x66, "MAFA"): return .airFlow
        case (0x0B, "MAP"): return .manifoldPressure
        case (0x0F, "IAT"): return .intakeTemperature
        case (0x0C, "RPM"): return .engineSpeed
        case (0x0D, "VSS"): return .speed
        case (0x44, "LAMBDA"): return .commandedLambda
        case (0x24, "LAMBDA11_V"), (0x34, "LAMBDA11_I"): return .measuredLambda
        case (0x51, "FUEL_TYP"): return .fuelType
        default: return nil
        }
    }

    /// The keys of ``row(_:of:_:)``, in their order.
    static let keys = [
        "trip", "vin", "fuel", "assumed", "method", "amount", "unit", "amounts", "per100Km",
        "milesPerUSGallon", "milesPerImperialGallon", "kmPerLitre", "cost", "currency", "co2Kg",
        "calibration",
    ]

    /// The row of a trip's fuel.
    package static func row(_ use: FuelUse, of trip: TripSummary, _ profile: FuelProfile) -> Row {
        Row(
            "tripFuel",
            [
                "trip": .integer(trip.id), "vin": .text(trip.vin),
                "fuel": .text(use.kind.rawValue), "assumed": .flag(use.isAssumed),
                "method": .text(use.chosen?.method.rawValue),
                "amount": .number(use.amount, places: 3), "unit": .text(use.unit),
                "amounts": .objects(
                    amounts(use).map { fuel, amount in
                        [
                            "fuel": .text(fuel.rawValue), "amount": .number(amount, places: 3),
                            "unit": .text(fuel.unit),
                        ]
                    }),
                "per100Km": .number(use.per100km, places: 3),
                "milesPerUSGallon": .number(use.milesPerUSGallon, places: 3),
                "milesPerImperialGallon": .number(use.milesPerImperialGallon, places: 3),
                "kmPerLitre": .number(use.kilometresPerLitre, places: 3),
                "cost": .number(profile.price.flatMap { use.cost(at: $0) }, places: 2),
                "currency": .text(profile.price == nil ? nil : profile.currency),
                "co2Kg": .number(use.carbonDioxide, places: 3),
                "calibration": .number(profile.settings.calibration),
            ])
    }

    /// Carbon dioxide for people, nil if unknown; rounded from the grams of `co2Kg`, as the web page
    /// does, so that both show the same number.
    ///
    /// - Parameter mass: unit: kg.
    static func carbonDioxideText(_ mass: Double?) -> String? {
        mass.map { fixed(($0 * 1000).rounded() / 1000, 2) + " kg" }
    }

    /// The used amount of each fuel, in a fixed order.
    package static func amounts(_ use: FuelUse) -> [(FuelKind, Double)] {
        let amounts = use.chosen?.amounts ?? [:]
        return FuelKind.allCases.compactMap { kind in amounts[kind].map { (kind, $0) } }
    }
}
