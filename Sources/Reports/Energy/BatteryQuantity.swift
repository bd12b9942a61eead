/// A quantity of a traction battery, or of the drive that it serves.
package enum BatteryQuantity: Hashable, Sendable, CaseIterable {
    /// Unit: A, with the sign of the vehicle.
    case current
    /// Unit: V.
    case voltage
    /// Unit: kW, with the sign of the vehicle.
    case power
    /// State of charge; unit: %.
    case charge
    /// Unit: km/h.
    case speed
    /// Unit: rpm.
    case engineSpeed
    /// The code of PID 51.
    case fuelType
    /// A flag: the battery is being charged.
    case charging
    /// A flag: the battery is being charged with direct current.
    case fastCharging
    /// Counters of all energy that went into the battery and out of it; unit: kWh.
    case energyIn, energyOut
    /// Counters of all charge that went into the battery and out of it; unit: Ah.
    case chargeIn, chargeOut
    /// The highest and the lowest voltage of a cell; unit: V.
    case cellHighest, cellLowest
    /// The number of the cell with the lowest voltage.
    case lowestCell
    /// Temperature of the battery; unit: °C.
    case temperature
    /// Resistance between the battery and the body; unit: kΩ.
    case isolation
    /// Unit: km.
    case odometer
}

/// A computed value with its error.
package struct Estimated: Hashable, Sendable {
    package var value: Double
    /// One standard deviation, in the same unit.
    package var deviation: Double

    package init(_ value: Double, _ deviation: Double) {
        self.value = value
        self.deviation = deviation
    }

    /// Half the width of the range that holds the true value in 95 of 100 cases.
    package var error: Double { 2 * deviation }
}
