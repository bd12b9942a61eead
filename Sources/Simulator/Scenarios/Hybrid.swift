import OBDCore

extension Scenario {
    /// A petrol hybrid whose engine stops and starts; no codes.
    static var hybrid: Scenario {
        var engine = petrolEngine(vin: "JXXBD3HA2NX000123")
        engine.name = "Hybrid Engine"
        engine.records = engine.records.filter { $0.id != 0x51 }
        engine.records += [
            DataRecord(0x51, Field("FUEL_TYP") { _ in 17 }),
            DataRecord(0x5B, CommonRecords.percent("BAT_PWR") { $0.batteryCharge }),
            batteryRecord,
        ]
        engine.records.sort { $0.id < $1.id }
        engine.readiness.incomplete = 0
        engine.faults = FaultMemory()
        return Scenario(
            name: "hybrid", title: "petrol hybrid, 1.5 L, no codes, every monitor complete",
            vehicleProtocol: .can11At500,
            powertrain: Powertrain(
                kind: .hybrid, displacement: 1.5, idle: 980, gears: [62, 40, 28], shifts: [40, 80],
                mass: 1390, referenceTorque: 120, ambient: 17, barometric: 101, odometer: 22_781.2,
                fuelLevel: 81),
            cycle: .everyday, ecus: [engine, batteryECU(vin: nil)], broadcasts: ordinaryTraffic)
    }

    /// An electric car: no engine, no monitors of one.
    static var electric: Scenario {
        Scenario(
            name: "electric", title: "electric car: speed, battery, voltage, odometer; no engine",
            vehicleProtocol: .can11At500,
            powertrain: Powertrain(
                kind: .electric, displacement: 0, idle: 0, gears: [], shifts: [], mass: 1810,
                referenceTorque: 310, ambient: 24, barometric: 99, odometer: 9_077.5, fuelLevel: 0),
            cycle: .everyday, ecus: [batteryECU(vin: "7XXBD4EA7PX000256")],
            broadcasts: ordinaryTraffic)
    }

    private static var batteryRecord: DataRecord {
        DataRecord(
            0x9A,
            [
                .fixed([0x06, 0x00]),
                .field(Field("HEV_BATT_V", bytes: 2, perUnit: 64) { $0.batteryVoltage }),
                .field(
                    Field("HEV_BATT_A", bytes: 2, perUnit: 10, signed: true) {
                        $0.batteryCurrent
                    }),
            ])
    }

    private static func batteryECU(vin: String?) -> ECUModel {
        ECUModel(
            acronym: "BECM", name: "Battery Energy", address: vin == nil ? 0x1D : 0x10, vin: vin,
            calibrations: ["OBDSIM-BEC-0300"], verification: [0x7712_00AB],
            records: [
                DataRecord(0x0D, Field("VSS") { $0.speed }),
                DataRecord(0x1C, Field("OBDSUP") { _ in 7 }),
                DataRecord(0x33, Field("BARO") { $0.barometric }),
                DataRecord(0x42, Field("VPWR", bytes: 2, perUnit: 1000) { $0.voltage }),
                DataRecord(0x46, CommonRecords.celsius("AAT") { $0.ambient }),
                DataRecord(0x49, CommonRecords.percent("APP_D") { 14 + $0.pedal * 0.75 }),
                DataRecord(0x51, Field("FUEL_TYP") { _ in vin == nil ? 17 : 8 }),
                DataRecord(0x5B, CommonRecords.percent("BAT_PWR") { $0.batteryCharge }),
                batteryRecord,
                DataRecord(0xA6, Field("ODO", bytes: 4, perUnit: 10) { $0.odometer }),
            ],
            readiness: ECUModel.Readiness(continuous: 0x04))
    }
}
