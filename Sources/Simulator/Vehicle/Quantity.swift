/// A quantity of the drive with its name in vehicle files; the units are those of ``VehicleState``.
enum Quantity: String, Hashable, Sendable, CaseIterable {
    case absoluteLoad = "absolute-load"
    case airFlow = "air-flow"
    case ambient
    case barometric
    case batteryCharge = "battery-charge"
    case batteryCurrent = "battery-current"
    case batteryVoltage = "battery-voltage"
    case catalyst
    case clearDistance = "clear-distance"
    case clearTime = "clear-time"
    case coolant
    case demandedTorque = "demanded-torque"
    case distance
    case egr
    case exhaust
    case filterPressure = "filter-pressure"
    case frontOxygen = "front-oxygen"
    case fuelLevel = "fuel-level"
    case fuelMassRate = "fuel-mass-rate"
    case fuelRate = "fuel-rate"
    case fuelSystemStatus = "fuel-system-status"
    case gear
    case gearRatio = "gear-ratio"
    case hours
    case intakeAir = "intake-air"
    case lambda
    case load
    case longTrim = "long-trim"
    case manifoldPressure = "manifold-pressure"
    case measuredLambda = "measured-lambda"
    case milDistance = "mil-distance"
    case milTime = "mil-time"
    case nox
    case odometer
    case oil
    case pedal
    case pumpCurrent = "pump-current"
    case purge
    case railPressure = "rail-pressure"
    case reagentLevel = "reagent-level"
    case rearOxygen = "rear-oxygen"
    case referenceTorque = "reference-torque"
    case rpm
    case runtime
    case shortTrim = "short-trim"
    case sparkAdvance = "spark-advance"
    case speed
    case throttle
    case torque
    case voltage
    case warmUps = "warm-ups"

    /// The quantity's value in a given state.
    func value(_ state: VehicleState) -> Double {
        switch self {
        case .absoluteLoad: state.absoluteLoad
        case .airFlow: state.airFlow
        case .ambient: state.ambient
        case .barometric: state.barometric
        case .batteryCharge: state.batteryCharge
        case .batteryCurrent: state.batteryCurrent
        case .batteryVoltage: state.batteryVoltage
        case .catalyst: state.catalyst
        case .clearDistance: state.counters.distanceSinceClear
        case .clearTime: state.counters.minutesSinceClear
        case .coolant: state.coolant
        case .demandedTorque: state.demandedTorque
        case .distance: state.distance
        case .egr: state.egr
        case .exhaust: state.exhaust
        case .filterPressure: state.filterPressure
        case .frontOxygen: state.frontOxygen
        case .fuelLevel: state.fuelLevel
        case .fuelMassRate: state.fuelMassRate
        case .fuelRate: state.fuelRate
        case .fuelSystemStatus: state.fuelSystemStatus
        case .gear: state.gear
        case .gearRatio: state.gearRatio
        case .hours: state.elapsed / 3600
        case .intakeAir: state.intakeAir
        case .lambda: state.lambda
        case .load: state.load
        case .longTrim: state.longTrim
        case .manifoldPressure: state.manifoldPressure
        case .measuredLambda: state.measuredLambda
        case .milDistance: state.counters.distanceWithLamp
        case .milTime: state.counters.minutesWithLamp
        case .nox: state.nox
        case .odometer: state.odometer
        case .oil: state.oil
        case .pedal: state.pedal
        case .pumpCurrent: state.pumpCurrent
        case .purge: state.purge
        case .railPressure: state.railPressure
        case .reagentLevel: state.reagentLevel
        case .rearOxygen: state.rearOxygen
        case .referenceTorque: state.referenceTorque
        case .rpm: state.rpm
        case .runtime: state.runtime
        case .shortTrim: state.shortTrim
        case .sparkAdvance: state.sparkAdvance
        case .speed: state.speed
        case .throttle: state.throttle
        case .torque: state.torque
        case .voltage: state.voltage
        case .warmUps: state.counters.warmUps
        }
    }
}
