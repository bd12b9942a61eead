import Diagnostics
import FuelFigures
import OBDCore
import Settings
import TripExport
import TripStore

/// The fuel of a trip, worked out from its readings.
enum TripFuel {
    /// What of an engine the user told, for the vehicle of a trip.
    static func profile(of trip: TripSummary) -> FuelProfile {
        UserSettings.current.fuelProfile(of: trip.vin)
    }

    /// The fuel of a trip; nil where it tells nothing about any.
    static func use(of readings: TripReadings, _ profile: FuelProfile) throws -> FuelUse? {
        // Two ECUs must not count the same fuel twice: of several channels the one that says most,
        // of those the first; one without a number says nothing.
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
        // What speaks SAE J1939 burns diesel, but for a few.
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

    private static func quantity(_ found: TripSignal, _ table: PIDTable) -> FuelQuantity? {
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

    /// The promised object.
    static func object(_ use: FuelUse, of trip: TripSummary, _ profile: FuelProfile) -> JSONObject {
        var object = JSONObject()
        object.add("kind", "tripFuel")
        object.add("trip", Int(trip.id))
        object.add("fuel", use.kind.rawValue)
        object.add("assumed", use.isAssumed)
        object.add("method", use.chosen?.method.rawValue)
        object.add("amount", use.amount.map(rounded))
        object.add("unit", use.unit)
        object.add(
            "amounts",
            amounts(use).map { fuel, amount in
                var part = JSONObject()
                part.add("fuel", fuel.rawValue)
                part.add("amount", rounded(amount))
                part.add("unit", fuel.unit)
                return part
            })
        object.add("per100Km", use.per100km.map(rounded))
        object.add("milesPerUSGallon", use.milesPerUSGallon.map(rounded))
        object.add("milesPerImperialGallon", use.milesPerImperialGallon.map(rounded))
        object.add("kmPerLitre", use.kilometresPerLitre.map(rounded))
        object.add("cost", profile.price.flatMap { use.cost(at: $0) }.map(rounded))
        object.add("currency", profile.price == nil ? nil : profile.currency)
        object.add("co2Kg", use.carbonDioxide.map(rounded))
        object.add("calibration", profile.settings.calibration)
        object.add(
            "methods",
            use.estimates.map { estimate in
                var part = JSONObject()
                part.add("method", estimate.method.rawValue)
                part.add("amount", rounded(estimate.amount))
                part.add("coverage", estimate.coverage.map(rounded))
                part.add("problems", estimate.problems.map(\.rawValue))
                return part
            })
        return object
    }

    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    /// What was burnt of each fuel, in a steady order.
    private static func amounts(_ use: FuelUse) -> [(FuelKind, Double)] {
        let amounts = use.chosen?.amounts ?? [:]
        return FuelKind.allCases.compactMap { kind in amounts[kind].map { (kind, $0) } }
    }

    /// `3.21 L gasoline`, in the units that are shown; `0.93 kg cng + 1.20 L gasoline`.
    static func amountText(_ use: FuelUse, _ units: UnitSystem) -> String? {
        guard let total = use.amount else { return nil }
        let parts = use.isMixed ? amounts(use) : [(use.kind, total)]
        let words = parts.map { amount($0.1, $0.0.unit, units) + " " + $0.0.rawValue }
        return words.joined(separator: " + ") + (use.isAssumed ? " (assumed)" : "")
    }

    static func amount(_ amount: Double, _ unit: String, _ units: UnitSystem) -> String {
        let conversion = unit == "L" ? units.conversion(from: "L") : nil
        return fixed(conversion.map { $0(amount) } ?? amount, 2) + " " + (conversion?.unit ?? unit)
    }

    /// `7.1 L/100 km`, `33.1 mpg`; nil without a consumption.
    static func consumptionText(_ use: FuelUse, _ units: UnitSystem) -> String? {
        guard let per100km = use.per100km else { return nil }
        let mpg: (Double, String)? =
            switch units {
            case .metric: nil
            case .us: use.milesPerUSGallon.map { ($0, "mpg (US)") }
            case .imperial: use.milesPerImperialGallon.map { ($0, "mpg (UK)") }
            }
        if let mpg { return "\(fixed(mpg.0, 1)) \(mpg.1)" }
        let rest = use.kilometresPerLitre.map { ", \(fixed($0, 1)) km/L" } ?? ""
        return "\(fixed(per100km, 1)) \(use.unit)/100 km" + rest
    }

    /// `5.64 EUR`; nil without a price.
    static func costText(_ use: FuelUse, _ profile: FuelProfile) -> String? {
        profile.price.flatMap { use.cost(at: $0) }.map {
            fixed($0, 2) + (profile.currency.map { " " + $0 } ?? "")
        }
    }
}

extension FuelUse.Problem {
    /// For people.
    var title: String {
        switch self {
        case .alwaysZero: "says 0 all the time"
        case .tooMuch: "more than an engine burns"
        case .tooLittle: "less than any vehicle needs"
        case .sparse: "data for less than four fifths of the time"
        case .disagrees: "far from the better method"
        }
    }
}
