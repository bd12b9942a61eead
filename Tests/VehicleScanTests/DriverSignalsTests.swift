import Diagnostics
import OBDCore
import PIDTables
import Testing
import VehicleScan

@Suite struct `Signals that a driver needs first` {
    /// What a vehicle reports, and its driver's display.
    struct Vehicle: Sendable, CustomTestStringConvertible {
        var title: String
        /// PIDs of service 01, or parameter groups.
        var ids: [UInt32]
        var profile = DiagnosticProfile.classicCAN
        /// The code of PID 51.
        var fuel: UInt32?
        var driver: [String]

        var testDescription: String { title }
    }

    static let vehicles = [
        Vehicle(
            title: "a petrol car",
            ids: [0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0F, 0x10, 0x11, 0x1C, 0x2F, 0x42, 0x51, 0x5C],
            driver: ["RPM", "VSS", "ECT", "LOAD_PCT", "FLI", "EOT", "TP", "MAF"]),
        Vehicle(
            title: "a car with the eight PIDs that every car has",
            ids: [0x04, 0x05, 0x0C, 0x0D, 0x0F],
            driver: ["RPM", "VSS", "ECT", "LOAD_PCT", "IAT", "ADAPTER_VOLTAGE"]),
        Vehicle(
            title: "an electric car without an engine speed",
            ids: [0x0D, 0x1C, 0x33, 0x42, 0x46, 0x49, 0x51, 0x5B, 0x9A, 0xA6],
            driver: [
                "BAT_PWR", "HEV_BATT_V", "HEV_BATT_A", "VSS", "AAT", "VPWR", "ADAPTER_VOLTAGE",
                "ODO",
            ]),
        Vehicle(
            title: "an electric car that reports an engine speed, by its fuel type",
            ids: [0x0C, 0x0D, 0x42, 0x51, 0x5B], fuel: 0x08,
            driver: ["BAT_PWR", "VSS", "VPWR", "ADAPTER_VOLTAGE"]),
        Vehicle(
            title: "a hybrid", ids: [0x04, 0x05, 0x0C, 0x0D, 0x2F, 0x51, 0x5B, 0x5C, 0x9A],
            fuel: 0x11,
            driver: ["RPM", "VSS", "ECT", "LOAD_PCT", "BAT_PWR", "FLI", "EOT", "ADAPTER_VOLTAGE"]),
        Vehicle(
            title: "a car without an engine speed and without a battery", ids: [0x0D, 0x05],
            driver: ["VSS", "ECT", "ADAPTER_VOLTAGE"]),
        Vehicle(
            title: "a truck",
            ids: [0xF003, 0xF004, 0xFEF1, 0xFEEE, 0xFEEF, 0xFEFC, 0xFEF2, 0xFEF7],
            profile: .j1939,
            driver: [
                "SPN84", "SPN190", "SPN92", "SPN110", "SPN100", "SPN96", "SPN183", "SPN168",
            ]),
    ]

    private static func setup(_ vehicle: Vehicle, _ table: PIDTable) throws -> PollSetup {
        let service = vehicle.profile == .j1939 ? DataID.parameterGroups : .currentData
        let wants = try vehicle.ids.map { id in
            let record = try #require(table.record(DataID(service, id)), "\(id)")
            return PollPlan.Want(record, as: record.dataID, period: nil, ecu: nil)
        }
        var setup = PollSetup([], table: table, every: nil, ecu: nil)
        (setup.wants, setup.profiles, setup.readsVoltage) = (wants, [vehicle.profile], true)
        setup.fuelType = vehicle.fuel
        return setup
    }

    @Test(arguments: vehicles)
    func `a driver's display has the signals that fit the vehicle`(vehicle: Vehicle) throws {
        let table = try PIDTables.standard()
        let setup = try Self.setup(vehicle, table)
        #expect(setup.driver(table).map { table[$0].id } == vehicle.driver)
        #expect(Array(setup.order(table).prefix(8)) == setup.driver(table))
    }

    @Test func `signals that the user named keep their order`() throws {
        let table = try PIDTables.standard()
        let named = try ["fuel-level", "speed", "rpm"].map { try SignalNames(table).find($0) }
        let setup = PollSetup(named, table: table, every: nil, ecu: nil)
        #expect(setup.driver(table).map { table[$0].id } == ["FLI", "VSS", "RPM"])
    }

    @Test func `a driver's view polls only its own signals and the alarms`() throws {
        let table = try PIDTables.standard()
        var setup = try Self.setup(Self.vehicles[0], table)
        let alarm = try #require(try SignalNames(table).find("intake-temp").signal)
        setup.keepDriver(table, and: [alarm])
        #expect(
            setup.wants.map(\.dataID.id) == [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x10, 0x11, 0x2F, 0x5C])
        #expect(!setup.readsVoltage)
        #expect(setup.named.map { table[$0].id }.last == "IAT")
    }

    @Test func `signals that describe the vehicle are constant, and measurements are not`() throws {
        let table = try PIDTables.standard()
        let constants = Set(DriverSignals.constants(table).map { table[$0].id })
        #expect(constants.isSuperset(of: ["OBDSUP", "FUEL_TYP", "EMIS_SUP", "SPN1483"]))
        for vehicle in Self.vehicles {
            #expect(constants.isDisjoint(with: vehicle.driver), "\(vehicle.title)")
        }
        #expect(constants.isDisjoint(with: ["ODO", "WARM_UPS", "SPN899", "SPN190", "SPN110"]))
    }
}
