/// A measured quantity that tells something about the condition of the vehicle.
package enum DriveQuantity: Int, Hashable, Sendable, CaseIterable {
    /// km/h, 1/min, °C.
    case speed, engineSpeed, coolant
    /// Fuel trims of both banks, in %.
    case shortTrim1, longTrim1, shortTrim2, longTrim2
    /// The code of PID 03, and that of PID 51.
    case fuelStatus, fuelType
    /// The share of ethanol in %: the vehicle takes any mixture.
    case ethanol
    /// V at the ECU.
    case voltage
    /// kPa.
    case manifold, barometric
    /// °C.
    case ambient, intakeAir

    /// The short name of its signal in a list of what is missing.
    package var signal: String {
        switch self {
        case .speed: "VSS"
        case .engineSpeed: "RPM"
        case .coolant: "ECT"
        case .shortTrim1: "SHRTFT1"
        case .longTrim1: "LONGFT1"
        case .shortTrim2: "SHRTFT2"
        case .longTrim2: "LONGFT2"
        case .fuelStatus: "FUELSYSA"
        case .fuelType: "FUEL_TYP"
        case .ethanol: "ALCH_PCT"
        case .voltage: "VPWR"
        case .manifold: "MAP"
        case .barometric: "BARO"
        case .ambient: "AAT"
        case .intakeAir: "IAT"
        }
    }
}
