import Formats

extension TripFuel {
    /// `3.21 L gasoline` or `0.93 kg cng + 1.20 L gasoline`, in the displayed units.
    ///
    /// With a profile it also has the factor of a calibration.
    package static func amountText(
        _ use: FuelUse, _ units: UnitSystem, _ profile: FuelProfile? = nil
    ) -> String? {
        guard let total = use.amount else { return nil }
        let parts = use.isMixed ? amounts(use) : [(use.kind, total)]
        let words = parts.map { amount($0.1, $0.0.unit, units) + " " + $0.0.rawValue }
        return words.joined(separator: " + ") + (use.isAssumed ? " (assumed)" : "")
            + (profile?.calibration.map { $0 == 1 ? "" : " (calibrated ×\(fixed($0, 3)))" } ?? "")
    }

    /// `3.21 L`: an amount in litres or kilograms, in the displayed units.
    package static func amount(_ amount: Double, _ unit: String, _ units: UnitSystem) -> String {
        let conversion = unit == "L" ? units.conversion(from: "L") : nil
        return fixed(conversion.map { $0(amount) } ?? amount, 2) + " " + (conversion?.unit ?? unit)
    }

    /// `7.1 L/100 km`, `33.1 mpg`; nil without a consumption.
    package static func consumptionText(_ use: FuelUse, _ units: UnitSystem) -> String? {
        guard let per100km = use.per100km else { return nil }
        let mpg: (Double, String)? =
            switch units {
            case .metric: nil
            case .us: use.milesPerUSGallon.map { ($0, "mpg (US)") }
            case .imperial, .uk: use.milesPerImperialGallon.map { ($0, "mpg (UK)") }
            }
        if let mpg { return "\(fixed(mpg.0, 1)) \(mpg.1)" }
        let rest = use.kilometresPerLitre.map { ", \(fixed($0, 1)) km/L" } ?? ""
        return "\(fixed(per100km, 1)) \(use.unit)/100 km" + rest
    }

    /// `5.64 EUR`; nil without a price.
    package static func costText(_ use: FuelUse, _ profile: FuelProfile) -> String? {
        profile.price.flatMap { use.cost(at: $0) }.map {
            fixed($0, 2) + (profile.currency.map { " " + $0 } ?? "")
        }
    }
}

extension FuelUse.Problem {
    package var title: String {
        switch self {
        case .alwaysZero: "reports 0 all the time"
        case .tooMuch: "more than an engine uses"
        case .tooLittle: "less than any vehicle needs"
        case .sparse: "data for less than 80 % of the time"
        case .disagrees: "far from the result of the better method"
        }
    }
}
