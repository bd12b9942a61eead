import OBDCore

extension Scenario {
    /// A petrol car with a gearbox ECU, two stored codes and the lamp on.
    static var petrol: Scenario {
        Scenario(
            name: "petrol", title: "petrol car, 1.8 L, automatic, two codes stored",
            vehicleProtocol: .can11At500,
            powertrain: Powertrain(
                kind: .spark, displacement: 1.8, idle: 780, gears: [118, 66, 44, 33, 27, 22],
                shifts: [17, 34, 50, 68, 88], mass: 1420, referenceTorque: 210, ambient: 21,
                barometric: 100, odometer: 48_213.4, fuelLevel: 68),
            cycle: .everyday,
            ecus: [petrolEngine(vin: "5XXBD1GA8LX000042"), CommonRecords.transmissionECU],
            broadcasts: ordinaryTraffic)
    }

    /// A petrol car of a model year that answers SAE J1979-2 alone.
    static var onUDS: Scenario {
        var scenario = petrol
        scenario.name = "onuds"
        scenario.title = "petrol car that answers SAE J1979-2 (OBDonUDS) only"
        scenario.ecus[0].vin = "5XXBD1GA9RX000043"
        for index in scenario.ecus.indices { scenario.ecus[index].isOnUDS = true }
        return scenario
    }

    /// The engine ECU of a petrol car.
    static func petrolEngine(vin: String) -> ECUModel {
        ECUModel(
            acronym: "ECM", name: "Engine Control", address: 0x10, vin: vin,
            calibrations: ["OBDSIM-ECM-0001", "OBDSIM-ECM-0002"],
            verification: [0x1791_BC82, 0x60F4_0D3A],
            inUse: [
                412, 1207, 388, 412, 0, 0, 401, 412, 0, 0, 377, 412, 0, 0, 96, 412, 365, 412, 0, 0,
            ],
            records: (CommonRecords.engine + petrolRecords).sorted { $0.id < $1.id },
            freezePIDs: [
                0x03, 0x04, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x1F,
            ]
                + [0x2E, 0x33, 0x42, 0x44, 0x45, 0x46],
            readiness: ECUModel.Readiness(
                supported: 0b1110_0101, incomplete: 0b0000_0100, incompleteThisCycle: 0b0010_0101),
            monitorTests: petrolMonitorTests,
            legacyTests: [
                ECUModel.LegacyTest(tid: 0x01, component: 0x01, value: 0x0132, limit: 0x0200),
                ECUModel.LegacyTest(tid: 0x01, component: 0x81, value: 0x0132, limit: 0x0040),
                ECUModel.LegacyTest(tid: 0x05, component: 0x11, value: 0x02A1, limit: 0x0280),
            ],
            oxygenTests: [
                ECUModel.OxygenTest(tid: 0x01, sensor: 0x02, data: [90]),
                ECUModel.OxygenTest(tid: 0x02, sensor: 0x02, data: [90]),
                ECUModel.OxygenTest(tid: 0x05, sensor: 0x02, data: [24, 0, 62]),
                ECUModel.OxygenTest(tid: 0x07, sensor: 0x02, data: [12, 0, 44]),
            ],
            identifiers: [
                DataRecord(0x2101, Field("", bytes: 2, perUnit: 10) { $0.load * 3 }),
                DataRecord(
                    0x2102, [.field(Field("", zero: 40) { $0.oil }), .fixed([0xA5, 0x5A])]),
            ],
            faults: FaultMemory(
                stored: [DTC(0x0301), DTC(0x0420)], pending: [DTC(0x0171)],
                permanent: [DTC(0x0301), DTC(0x0420)],
                freezeFrames: [FaultMemory.FreezeFrame(dtc: DTC(0x0301), elapsed: 322)]))
    }

    private static var petrolRecords: [DataRecord] {
        [
            DataRecord(
                0x03, [.field(Field("FUELSYSA") { $0.fuelSystemStatus }), .fixed([0])]),
            DataRecord(0x06, CommonRecords.trim("SHRTFT1") { $0.shortTrim }),
            DataRecord(0x07, CommonRecords.trim("LONGFT1") { $0.longTrim }),
            DataRecord(0x0E, Field("SPARKADV", perUnit: 2, zero: 128) { $0.sparkAdvance }),
            DataRecord(0x13, Field("") { _ in 0x03 }),
            DataRecord(
                0x15, [.field(Field("O2S12", perUnit: 200) { $0.rearOxygen }), .fixed([0xFF])]),
            DataRecord(0x2E, CommonRecords.percent("EVAP_PCT") { $0.purge }),
            DataRecord(
                0x32, Field("EVAP_VP", bytes: 2, perUnit: 4, signed: true) { $0.purge * -9.5 }),
            DataRecord(
                0x34,
                [
                    .field(Field("LAMBDA11_I", bytes: 2, perUnit: 32_768) { $0.measuredLambda }),
                    .field(
                        Field("O2S11_WRI", bytes: 2, perUnit: 256, zero: 32_768) {
                            $0.pumpCurrent
                        }),
                ]),
            DataRecord(0x3C, Field("CATEMP11", bytes: 2, perUnit: 10, zero: 400) { $0.catalyst }),
            DataRecord(0x43, Field("LOAD_ABS", bytes: 2, perUnit: 2.55) { $0.absoluteLoad }),
            DataRecord(0x44, Field("LAMBDA", bytes: 2, perUnit: 32_768) { $0.lambda }),
            DataRecord(0x47, CommonRecords.percent("TP_B") { $0.throttle + 1 }),
            DataRecord(0x4C, CommonRecords.percent("TAC_PCT") { $0.throttle - 1 }),
            DataRecord(0x51, Field("FUEL_TYP") { _ in 1 }),
        ]
    }

    private static var petrolMonitorTests: [ECUModel.MonitorTest] {
        var tests = [
            // Oxygen sensors: switch time in ms, voltage in 1/8.192 mV.
            ECUModel.MonitorTest(mid: 0x01, tid: 0x05, uas: 0x10, value: 118, low: 0, high: 400),
            ECUModel.MonitorTest(
                mid: 0x02, tid: 0x07, uas: 0x0A, value: 1311, low: 0, high: 2458),
            ECUModel.MonitorTest(
                mid: 0x02, tid: 0x08, uas: 0x0A, value: 6226, low: 4915, high: 65_535),
            // Catalyst: a ratio that is over its limit, hence P0420.
            ECUModel.MonitorTest(mid: 0x21, tid: 0x80, uas: 0x20, value: 211, low: 0, high: 180),
            // Evaporative leak: a pressure below zero, quarter pascals.
            ECUModel.MonitorTest(
                mid: 0x3C, tid: 0x81, uas: 0xFE, value: 0xFB50, low: 0xF830, high: 0xFE0C),
            ECUModel.MonitorTest(mid: 0x42, tid: 0x82, uas: 0x14, value: 12, low: 3, high: 40),
        ]
        for (cylinder, count) in ([214, 3, 0, 5] as [UInt16]).enumerated() {
            let mid = 0xA2 + UInt8(cylinder)
            tests.append(
                ECUModel.MonitorTest(
                    mid: mid, tid: 0x0B, uas: 0x24, value: count / 2, low: 0, high: 65_535))
            tests.append(
                ECUModel.MonitorTest(
                    mid: mid, tid: 0x0C, uas: 0x24, value: count, low: 0, high: 65_535))
        }
        return tests
    }
}
