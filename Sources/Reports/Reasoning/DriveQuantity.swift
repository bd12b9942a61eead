/// A measured quantity that shows something about the condition of the vehicle, by its name in `pids/quantities.tsv`.
package enum DriveQuantity: Int, Hashable, Sendable, CaseIterable {
    case speed
    case engineSpeed
    case coolant
    /// Fuel trims of both banks, in %.
    case shortTrim1
    case longTrim1
    case shortTrim2
    case longTrim2
    /// The code of PID 03, and that of PID 51.
    case fuelStatus
    case fuelType
    /// The share of ethanol in %: the vehicle takes any mixture.
    case ethanol
    /// V at the ECU.
    case voltage
    case manifold, barometric
    case ambient
    case intakeAir
    case airFlow
    case load
    case absoluteLoad
    case throttle, pedal
    case lambda
    case commandedLambda
    case frontVoltage
    case rearVoltage
    case secondaryTrim
    case purge
    case tankPressure
    case railPressure
    case commandedRail
    case boost
    case commandedBoost
    case egrError
    case commandedEGR
    /// kPa; some sensors include the pressure of the air.
    case oilPressure

    /// The place in arrays of all quantities.
    var place: Int { rawValue }

    /// As the table calls it.
    package var name: String { Self.names[rawValue] }

    package init?(name: String) {
        guard let place = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: place)
    }

    private static let names = [
        "speed", "engine-speed", "coolant", "short-trim-1", "long-trim-1", "short-trim-2",
        "long-trim-2", "fuel-status", "fuel-type", "ethanol", "voltage", "manifold", "barometric",
        "ambient", "intake-air", "air-flow", "load", "absolute-load", "throttle", "pedal", "lambda",
        "commanded-lambda", "front-voltage", "rear-voltage", "secondary-trim", "purge",
        "tank-pressure", "rail-pressure", "commanded-rail", "boost", "commanded-boost", "egr-error",
        "commanded-egr", "oil-pressure",
    ]
}
