/// The user's data about fuel and its price, for all vehicles or for one.
public struct FuelProfile: Hashable, Sendable {
    /// The fuel, used if PID 51 does not report it.
    public var kind: FuelKind?
    /// Price per litre, or per kilogram of natural gas.
    public var price: Double?
    /// The currency that is printed after amounts of money.
    public var currency: String?
    /// Unit: L.
    public var displacement: Double?
    /// Volumetric efficiency, 0 to 1.5.
    public var efficiency: Double?
    /// Factor for calculated amounts.
    public var calibration: Double?

    /// A profile; nil means unknown.
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

    /// The settings for the meter.
    public var settings: FuelSettings {
        var settings = FuelSettings()
        settings.kind = kind
        settings.displacement = displacement
        settings.efficiency = efficiency ?? settings.efficiency
        settings.calibration = calibration ?? settings.calibration
        return settings
    }

    /// This profile with the missing values taken from `other`.
    public func filled(from other: FuelProfile) -> FuelProfile {
        FuelProfile(
            kind: kind ?? other.kind, price: price ?? other.price,
            currency: currency ?? other.currency,
            displacement: displacement ?? other.displacement,
            efficiency: efficiency ?? other.efficiency,
            calibration: calibration ?? other.calibration)
    }
}
