/// The user's data about fuel and its price, for all vehicles or for one.
package struct FuelProfile: Hashable, Sendable {
    /// The fuel, used if PID 51 does not report it.
    package var kind: FuelKind?
    /// Price per litre, or per kilogram of natural gas.
    package var price: Double?
    /// The currency that is printed after amounts of money.
    package var currency: String?
    /// Unit: L.
    package var displacement: Double?
    /// Volumetric efficiency, 0 to 1.5.
    package var efficiency: Double?
    /// Factor for calculated amounts.
    package var calibration: Double?

    /// A profile; nil means unknown.
    package init(
        kind: FuelKind? = nil, price: Double? = nil, currency: String? = nil,
        displacement: Double? = nil, efficiency: Double? = nil, calibration: Double? = nil
    ) {
        self.kind = kind
        self.price = price
        self.currency = currency
        self.displacement = displacement
        self.efficiency = efficiency
        self.calibration = calibration
    }

    package var settings: FuelSettings {
        var settings = FuelSettings()
        settings.kind = kind
        settings.displacement = displacement
        settings.efficiency = efficiency ?? settings.efficiency
        settings.calibration = calibration ?? settings.calibration
        return settings
    }

    /// This profile with the missing values taken from `other`.
    package func filled(from other: FuelProfile) -> FuelProfile {
        FuelProfile(
            kind: kind ?? other.kind, price: price ?? other.price,
            currency: currency ?? other.currency,
            displacement: displacement ?? other.displacement,
            efficiency: efficiency ?? other.efficiency,
            calibration: calibration ?? other.calibration)
    }
}
