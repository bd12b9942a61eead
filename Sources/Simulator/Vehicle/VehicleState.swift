/// The physical state of the simulated vehicle at a given time, in metric units.
///
/// The properties are input values; the ECUs encode them with the scenario's own formulas.
struct VehicleState: Hashable, Sendable {
    /// Seconds since the drive began.
    var elapsed = 0.0
    /// Seconds since the engine was started; 0 while it is off.
    var runtime = 0.0
    var engineRuns = false
    /// km/h.
    var speed = 0.0
    /// km since the drive began.
    var distance = 0.0
    /// 0 = neutral.
    var gear = 0.0
    /// Revolutions of the engine per revolution of the gearbox output.
    var gearRatio = 0.0
    /// 1/min.
    var rpm = 0.0
    /// % of the torque available at this speed.
    var load = 0.0
    /// %: air mass per stroke compared with a full cylinder of ambient air.
    var absoluteLoad = 0.0
    /// %.
    var throttle = 0.0
    /// %.
    var pedal = 0.0
    /// kPa, absolute.
    var manifoldPressure = 0.0
    /// g/s.
    var airFlow = 0.0
    /// L/h.
    var fuelRate = 0.0
    /// g/s.
    var fuelMassRate = 0.0
    var lambda = 1.0
    /// The fuel system status in the encoding of PID 03.
    var fuelSystemStatus = 0.0
    /// %, short term.
    var shortTrim = 0.0
    /// %, long term.
    var longTrim = 0.0
    /// Degrees before top dead centre.
    var sparkAdvance = 0.0
    /// °C.
    var coolant = 0.0
    /// °C.
    var oil = 0.0
    /// °C.
    var intakeAir = 0.0
    /// °C.
    var ambient = 0.0
    /// °C.
    var catalyst = 0.0
    /// °C.
    var exhaust = 0.0
    /// kPa, absolute.
    var barometric = 0.0
    /// kPa, gauge.
    var railPressure = 0.0
    /// V at the ECU.
    var voltage = 0.0
    /// % of a full tank.
    var fuelLevel = 0.0
    /// %.
    var purge = 0.0
    /// %.
    var egr = 0.0
    /// V of a narrow-band sensor before the catalyst.
    var frontOxygen = 0.45
    /// V of the sensor after the catalyst.
    var rearOxygen = 0.0
    /// Lambda measured by the sensor before the catalyst.
    var measuredLambda = 1.0
    /// mA of the sensor before the catalyst.
    var pumpCurrent = 0.0
    /// % of the reference torque, demanded by the driver.
    var demandedTorque = 0.0
    /// % of the reference torque.
    var torque = 0.0
    /// N·m.
    var referenceTorque = 0.0
    /// %: hybrid or electric battery, remaining.
    var batteryCharge = 0.0
    /// V: hybrid or electric battery.
    var batteryVoltage = 0.0
    /// A: hybrid or electric battery; positive is charging.
    var batteryCurrent = 0.0
    /// kPa: pressure difference across the particle filter.
    var filterPressure = 0.0
    /// ppm before the SCR catalyst.
    var nox = 0.0
    /// % of a full reagent tank.
    var reagentLevel = 0.0
    /// km over the vehicle's life.
    var odometer = 0.0

    /// The ECU's counters since its codes were cleared and since the check engine light was turned on.
    var counters = FaultMemory.Counters()
}
