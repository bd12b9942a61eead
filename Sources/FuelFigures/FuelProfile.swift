/// What people know of fuel and its price, for all vehicles or for one.
public struct FuelProfile: Hashable, Sendable {
    /// What is burnt, where PID 51 does not tell.
    public var kind: FuelKind?
    /// Of a litre, of a kilogram of natural gas.
    public var price: Double?
    /// Follows amounts of money.
    public var currency: String?
    /// Unit: L.
    public var displacement: Double?
    /// Volumetric efficiency, 0 to 1.5.
    public var efficiency: Double?
    /// What calculated amounts are multiplied by.
    public var calibration: Double?

    /// What is known; nil = nothing.
    public init(
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

    /// What the meter has to know.
    public var settings: FuelSettings {
        var settings = FuelSettings()
        settings.kind = kind
        settings.displacement = displacement
        settings.efficiency = efficiency ?? settings.efficiency
        settings.calibration = calibration ?? settings.calibration
        return settings
    }

    /// This, and `other` where this says nothing.
    public func filled(from other: FuelProfile) -> FuelProfile {
        FuelProfile(
            kind: kind ?? other.kind, price: price ?? other.price,
            currency: currency ?? other.currency,
            displacement: displacement ?? other.displacement,
            efficiency: efficiency ?? other.efficiency,
            calibration: calibration ?? other.calibration)
    }
}
