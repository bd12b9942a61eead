import OBDCore

/// A vehicle to simulate: how it is driven, what it can do, what it speaks.
struct Scenario: Sendable {
    /// A frame that an ECU sends unasked, again and again (CAN only).
    struct Broadcast: Sendable {
        /// CAN identifier.
        var id: UInt32
        /// Unit: milliseconds.
        var period: Int64
        /// The data field.
        var bytes: @Sendable (VehicleState) -> [UInt8]
    }

    /// What the user types.
    var name: String
    /// One line for people.
    var title: String
    /// What the vehicle speaks unless the user wants another protocol.
    var vehicleProtocol: VehicleProtocol
    /// What drives it.
    var powertrain: Powertrain
    /// How it is driven.
    var cycle: DriveCycle
    /// Its ECUs; the first one has the engine.
    var ecus: [ECUModel]
    /// What can be heard on its bus.
    var broadcasts: [Broadcast]

    /// All scenarios; the first one is the default.
    static var all: [Scenario] { [.petrol, .diesel, .hybrid, .electric, .onUDS] }

    /// Bus traffic that says little more than that the vehicle lives.
    static var ordinaryTraffic: [Broadcast] {
        [
            Broadcast(id: 0x0C9, period: 10) { state in
                let rpm = UInt16(max(0, min(16_383, state.rpm)) * 4)
                return SimulatedECU.bytes(rpm) + [0, UInt8(state.throttle * 2), 0, 0, 0, 0]
            },
            Broadcast(id: 0x1E5, period: 20) { _ in [0, 0, 0x12, 0, 0, 0, 0, 0x7F] },
            Broadcast(id: 0x3E9, period: 50) { state in
                SimulatedECU.bytes(UInt16(max(0, min(600, state.speed)) * 100)) + [0, 0]
            },
            Broadcast(id: 0x4C1, period: 500) { state in
                [UInt8(max(0, min(255, state.coolant + 40))), 0x55]
            },
        ]
    }
}

/// Records that several scenarios share, each with the formula of SAE J1979 written out.
enum CommonRecords {
    /// The quantities of a combustion engine that petrol and diesel have in common.
    static var engine: [DataRecord] {
        [
            DataRecord(0x04, percent("LOAD_PCT") { $0.load }),
            DataRecord(0x05, celsius("ECT") { $0.coolant }),
            DataRecord(0x0B, Field("MAP") { $0.manifoldPressure }),
            DataRecord(0x0C, Field("RPM", bytes: 2, perUnit: 4) { $0.rpm }),
            DataRecord(0x0D, Field("VSS") { $0.speed }),
            DataRecord(0x0F, celsius("IAT") { $0.intakeAir }),
            DataRecord(0x10, Field("MAF", bytes: 2, perUnit: 100) { $0.airFlow }),
            DataRecord(0x11, percent("TP") { $0.throttle }),
            DataRecord(0x1C, Field("OBDSUP") { _ in 7 }),
            DataRecord(0x1F, Field("RUNTM", bytes: 2) { $0.runtime.rounded(.down) }),
            DataRecord(0x21, Field("MIL_DIST", bytes: 2) { $0.counters.distanceWithLamp }),
            DataRecord(0x2F, percent("FLI") { $0.fuelLevel }),
            DataRecord(0x30, Field("WARM_UPS") { $0.counters.warmUps }),
            DataRecord(0x31, Field("CLR_DIST", bytes: 2) { $0.counters.distanceSinceClear }),
            DataRecord(0x33, Field("BARO") { $0.barometric }),
            DataRecord(0x42, Field("VPWR", bytes: 2, perUnit: 1000) { $0.voltage }),
            DataRecord(0x45, percent("TP_R") { max(0, $0.throttle - 12) }),
            DataRecord(0x46, celsius("AAT") { $0.ambient }),
            DataRecord(0x49, percent("APP_D") { 14 + $0.pedal * 0.75 }),
            DataRecord(0x4A, percent("APP_E") { 7 + $0.pedal * 0.375 }),
            DataRecord(0x4D, Field("MIL_TIME", bytes: 2) { $0.counters.minutesWithLamp }),
            DataRecord(0x4E, Field("CLR_TIME", bytes: 2) { $0.counters.minutesSinceClear }),
            DataRecord(0x5C, celsius("EOT") { $0.oil }),
            DataRecord(0x5E, Field("FUEL_RATE", bytes: 2, perUnit: 20) { $0.fuelRate }),
            DataRecord(0x61, Field("TQ_DD", zero: 125) { $0.demandedTorque }),
            DataRecord(0x62, Field("TQ_ACT", zero: 125) { $0.torque }),
            DataRecord(0x63, Field("TQ_REF", bytes: 2) { $0.referenceTorque }),
            DataRecord(
                0x67, [.fixed([0x01]), .field(celsius("ECT1") { $0.coolant }), .fixed([0])]),
            DataRecord(
                0x9D,
                [
                    .field(Field("ENG_FUEL_RATE", bytes: 2, perUnit: 50) { $0.fuelMassRate }),
                    .field(Field("VEH_FUEL_RATE", bytes: 2, perUnit: 50) { $0.fuelMassRate }),
                ]),
            DataRecord(0xA6, Field("ODO", bytes: 4, perUnit: 10) { $0.odometer }),
        ]
    }

    /// What a transmission ECU tells.
    static var transmission: [DataRecord] {
        [
            DataRecord(0x0C, Field("RPM", bytes: 2, perUnit: 4) { $0.rpm }),
            DataRecord(0x0D, Field("VSS") { $0.speed }),
            DataRecord(0x1C, Field("OBDSUP") { _ in 7 }),
            DataRecord(0x42, Field("VPWR", bytes: 2, perUnit: 1000) { $0.voltage - 0.05 }),
            DataRecord(
                0xA4,
                [
                    .fixed([0x03]), .computed { [UInt8(max(0, min(15, $0.gear))) << 4] },
                    .field(Field("GEAR_RAT", bytes: 2, perUnit: 1000) { $0.gearRatio }),
                ]),
        ]
    }

    /// A share of 255 counts.
    static func percent(
        _ name: String, _ value: @escaping @Sendable (VehicleState) -> Double
    ) -> Field {
        Field(name, perUnit: 2.55, value)
    }

    /// One degree a count, 40 below zero at count 0.
    static func celsius(
        _ name: String, _ value: @escaping @Sendable (VehicleState) -> Double
    ) -> Field {
        Field(name, zero: 40, value)
    }

    /// A fuel trim: 128 counts are 100 %.
    static func trim(
        _ name: String, _ value: @escaping @Sendable (VehicleState) -> Double
    ) -> Field {
        Field(name, perUnit: 1.28, zero: 128, value)
    }

    /// The transmission ECU of a vehicle with an automatic gearbox.
    static var transmissionECU: ECUModel {
        ECUModel(
            acronym: "TCM", name: "Transmission", address: 0x18, vin: nil,
            calibrations: ["OBDSIM-TCM-0101"], verification: [0x5AC3_1E07],
            records: transmission, readiness: ECUModel.Readiness(continuous: 0x04), padding: 0xAA,
            faults: FaultMemory(commandsLamp: false))
    }

    /// An ECU of no importance, for vehicles that shall have more of them.
    static func extraECU(number: Int) -> ECUModel {
        ECUModel(
            acronym: "AUX\(number)", name: "Auxiliary", address: UInt8(0x28 + number * 8), vin: nil,
            calibrations: ["OBDSIM-AUX-\(1000 + number)"], verification: [0x1000_0000],
            records: [
                DataRecord(0x0D, Field("VSS") { $0.speed }),
                DataRecord(0x1C, Field("OBDSUP") { _ in 7 }),
                DataRecord(0x42, Field("VPWR", bytes: 2, perUnit: 1000) { $0.voltage - 0.1 }),
            ],
            readiness: ECUModel.Readiness(continuous: 0x04),
            faults: FaultMemory(commandsLamp: false))
    }
}
