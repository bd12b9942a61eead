import OBDCore

extension Scenario {
    /// A diesel van with particle filter and SCR, on 29-bit identifiers.
    static var diesel: Scenario {
        Scenario(
            name: "diesel", title: "diesel van, 2.2 L, particle filter and SCR, 29-bit CAN",
            vehicleProtocol: .can29At500,
            powertrain: Powertrain(
                kind: .compression, displacement: 2.2, idle: 810,
                gears: [96, 54, 36, 27, 21, 17.5],
                shifts: [15, 30, 46, 62, 80], mass: 2150, referenceTorque: 390, ambient: 9,
                barometric: 97, odometer: 131_906.7, fuelLevel: 44),
            cycle: .everyday,
            ecus: [dieselEngine, CommonRecords.transmissionECU], broadcasts: ordinaryTraffic)
    }

    private static var dieselEngine: ECUModel {
        ECUModel(
            acronym: "ECM", name: "Diesel Engine", address: 0x10, vin: "WXXBD2DA8MX000077",
            calibrations: ["OBDSIM-CDI-0451"], verification: [0x0AD2_77E1],
            inUse: [530, 1490, 511, 530, 208, 530, 0, 0, 122, 530, 498, 530, 466, 530, 509, 530]
                + [487, 530],
            records: (CommonRecords.engine + dieselRecords).sorted { $0.id < $1.id },
            freezePIDs: [0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0F, 0x10, 0x1F, 0x23, 0x2F, 0x33, 0x42],
            readiness: ECUModel.Readiness(
                compression: true, supported: 0b1110_1010, incomplete: 0b0100_0000,
                incompleteThisCycle: 0b0110_0010),
            monitorTests: [
                ECUModel.MonitorTest(
                    mid: 0x31, tid: 0x80, uas: 0xAF, value: 0xFF38, low: 0xFA24, high: 0x05DC),
                ECUModel.MonitorTest(
                    mid: 0x85, tid: 0x81, uas: 0x99, value: 0xFFEC, low: 0xFF38, high: 0x00C8),
                ECUModel.MonitorTest(
                    mid: 0x98, tid: 0x82, uas: 0x20, value: 172, low: 128, high: 65_535),
                ECUModel.MonitorTest(
                    mid: 0xB2, tid: 0x83, uas: 0x17, value: 410, low: 60, high: 2200),
            ],
            faults: FaultMemory(
                stored: [DTC(0x2002)], pending: [DTC(0x2002), DTC(0x0299)],
                permanent: [DTC(0x2002)],
                freezeFrames: [FaultMemory.FreezeFrame(dtc: DTC(0x2002), elapsed: 322)]))
    }

    private static var dieselRecords: [DataRecord] {
        [
            DataRecord(0x23, Field("FRP_DI", bytes: 2, perUnit: 0.1) { $0.railPressure }),
            DataRecord(0x2C, CommonRecords.percent("EGR_PCT") { $0.egr }),
            DataRecord(0x2D, CommonRecords.trim("EGR_ERR") { $0.egr * 0.04 }),
            DataRecord(0x51, Field("FUEL_TYP") { _ in 4 }),
            DataRecord(
                0x5D, Field("FUEL_TIMING", bytes: 2, perUnit: 128, zero: 26_880) { $0.load * 0.1 }),
            DataRecord(
                0x66,
                [
                    .fixed([0x01]), .field(Field("MAFA", bytes: 2, perUnit: 32) { $0.airFlow }),
                    .fixed([0, 0]),
                ]),
            DataRecord(
                0x70,
                [
                    .fixed([0x03]),
                    .field(Field("BP_A_CMD", bytes: 2, perUnit: 32) { $0.manifoldPressure + 2 }),
                    .field(Field("BP_A_ACT", bytes: 2, perUnit: 32) { $0.manifoldPressure }),
                    .fixed([0, 0, 0, 0, 0]),
                ]),
            DataRecord(
                0x78,
                [
                    .fixed([0x03]),
                    .field(Field("EGT11", bytes: 2, perUnit: 10, zero: 400) { $0.exhaust }),
                    .field(Field("EGT12", bytes: 2, perUnit: 10, zero: 400) { $0.exhaust - 35 }),
                    .fixed([0, 0, 0, 0]),
                ]),
            DataRecord(
                0x7A,
                [
                    .fixed([0x01]),
                    .field(
                        Field("DPF1_DP", bytes: 2, perUnit: 100, signed: true) {
                            $0.filterPressure
                        }),
                    .fixed([0, 0, 0, 0]),
                ]),
            DataRecord(
                0x83,
                [
                    .fixed([0x01]), .field(Field("NOX11", bytes: 2) { $0.nox }),
                    .fixed([0, 0, 0, 0, 0, 0]),
                ]),
            DataRecord(
                0x85,
                [
                    .fixed([0x04, 0, 0, 0, 0]),
                    .field(CommonRecords.percent("REAG_LVL") { $0.reagentLevel }),
                    .fixed([0, 0, 0, 0]),
                ]),
        ]
    }
}
