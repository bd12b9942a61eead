/// A measured quantity that tells something about the condition of the vehicle, as `pids/quantities.tsv` calls it.
package enum DriveQuantity: String, Hashable, Sendable, CaseIterable {
    case speed
    case engineSpeed = "engine-speed"
    case coolant
    /// Fuel trims of both banks, in %.
    case shortTrim1 = "short-trim-1"
    case longTrim1 = "long-trim-1"
    case shortTrim2 = "short-trim-2"
    case longTrim2 = "long-trim-2"
    /// The code of PID 03, and that of PID 51.
    case fuelStatus = "fuel-status"
    case fuelType = "fuel-type"
    /// The share of ethanol in %: the vehicle takes any mixture.
    case ethanol
    /// V at the ECU.
    case voltage
    case manifold, barometric
    case ambient
    case intakeAir = "intake-air"
    case airFlow = "air-flow"
    case load
    case absoluteLoad = "absolute-load"
    case throttle, pedal
    case lambda
    case commandedLambda = "commanded-lambda"
    case frontVoltage = "front-voltage"
    case rearVoltage = "rear-voltage"
    case secondaryTrim = "secondary-trim"
    case purge
    case tankPressure = "tank-pressure"
    case railPressure = "rail-pressure"
    case commandedRail = "commanded-rail"
    case boost
    case commandedBoost = "commanded-boost"
    case egrError = "egr-error"
    case commandedEGR = "commanded-egr"

    /// The place in arrays of all quantities.
    var place: Int { Self.places[self] ?? 0 }

    private static let places = Dictionary(
        uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
