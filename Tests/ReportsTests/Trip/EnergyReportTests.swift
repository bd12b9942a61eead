import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import SystemIO
import TestSupport
import Testing
import TripStore

@testable import Reports

/// Trips of electric cars in a database, with the signals of the packs.
@Suite final class `A trip of an electric car` {
    private static let roles = PIDTables.signalRoles()
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let store: TripStore
    private final class Collected { var bytes: [UInt8] = [] }

    init() throws { store = try TripStore(path: folder.appending(path: "a.db").path) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private typealias Column = (
        quantity: BatteryQuantity, dataID: DataID, id: String, unit: String, ecu: UInt32
    )

    /// Records a simulated drive under the names of `columns`.
    private func record(
        _ readings: SimulatedBattery.Readings, _ columns: [Column], after hours: Int64 = 0,
        vin: String = "KNACC81GFK5000001"
    ) throws -> TripReadings {
        var table = PIDTable()
        for column in columns {
            table.add(
                column.dataID, name: column.id, length: 1...60,
                signals: [
                    Signal(
                        id: column.id, name: column.id, bitOffset: 0, bitLength: 16, kind: .number,
                        unit: column.unit)
                ])
        }
        let start = UTC(microseconds: 1_795_248_902_000_000 + hours * 3_600_000_000)
        let writer = try store.startTrip(
            TripStart(
                purpose: .log, anchor: TimeAnchor(monotonic: .zero, utc: start), vin: VIN(vin)),
            table: table)
        for (t, quantity, value) in readings.values {
            for (place, column) in columns.enumerated() where column.quantity == quantity {
                let reading = Reading(
                    ecu: ECUAddress(column.ecu, .can11), dataID: column.dataID,
                    signal: SignalIndex(rawValue: Int32(place)), value: .number(value), raw: [1],
                    line: 0)
                while !writer.offer([.reading(reading)], at: .zero + .microseconds(t)) {}
            }
        }
        try writer.end(
            .stopped, at: .zero + .microseconds(readings.values.last?.t ?? 0))
        return try store.readings(ofTrip: writer.trip)
    }

    private static let speed: Column = (.speed, DataID(.currentData, 0x0D), "VSS", "km/h", 0x7E8)

    private static func pack(
        _ service: Service, _ current: (UInt32, String), _ voltage: (UInt32, String),
        _ charge: (UInt32, String)?, _ ecu: UInt32
    ) -> [Column] {
        var columns: [Column] = [
            (.current, DataID(service, current.0), current.1, "A", ecu),
            (.voltage, DataID(service, voltage.0), voltage.1, "V", ecu), speed,
        ]
        if let charge { columns.append((.charge, DataID(service, charge.0), charge.1, "%", ecu)) }
        return columns
    }

    private static let kona = pack(
        .readData, (0x0101, "EV_CURRENT"), (0x0101, "EV_VOLTAGE"), (0x0101, "EV_SOC_BMS"), 0x7EC)

    /// The packs with voltage and current, each with the names of its file.
    @Test(arguments: [
        kona,
        pack(
            Service(0x21), (0x01, "EV_CURRENT"), (0x01, "EV_VOLTAGE"), (0x01, "EV_SOC_BMS"), 0x7EC),
        pack(.readData, (0xDD69, "I3_CURRENT"), (0xDD68, "I3_VOLTAGE"), (0xDDBC, "I3_SOC"), 0x607),
        pack(
            .readData, (0x48F9, "MACHE_CURRENT"), (0x480D, "MACHE_VOLTAGE"), (0x4845, "MACHE_SOC"),
            0x7EC),
        pack(.readData, (0xB043, "MG_CURRENT"), (0xB042, "MG_VOLTAGE"), (0xB046, "MG_SOC"), 0x7ED),
        pack(.currentData, (0x9A, "HEV_BATT_A"), (0x9A, "HEV_BATT_V"), (0x5B, "BAT_PWR"), 0x7E8),
    ])
    private func `every pack with voltage and current gives the energy`(
        _ columns: [Column]
    ) throws {
        for sign in [1.0, -1] {
            var battery = SimulatedBattery(seed: 11)
            battery.sign = sign
            let truth = battery.run([.stand(seconds: 90), .drive(seconds: 900)])
            let readings = try record(truth, columns)
            let energy = try #require(try TripEnergy(readings, Self.roles))
            let used = try #require(energy.use.used, "\(energy.use.missing)")
            #expect(abs(used.value - (truth.out - truth.into)) <= used.error)
            #expect(energy.use.direction == (sign > 0 ? .discharge : .charge))
            #expect(energy.signals[.current] == columns[0].id)
            // The speed is cut to whole km/h, which is half a km/h too low.
            let distance = try #require(energy.use.distance)
            #expect(abs(distance.value / truth.kilometres - 1) < 0.03)
        }
    }

    @Test func `the names of the packs have the roles that the energy needs`() {
        let expected: [String: SignalRole] = [
            "EV_CURRENT": .packCurrent, "EV_SOC_BMS": .ownCharge, "EV_SOC": .stateOfCharge,
            "EV_KWH_IN": .energyCharged, "EV_KWH_OUT": .energyDischarged,
            "EV_AH_IN": .chargeTakenUp, "EV_AH_OUT": .chargeGivenOff,
            "EV_CELL_MAX": .highestCell, "EV_CELL_MIN": .lowestCell,
            "EV_CELL_MIN_NO": .lowestCellNumber, "EV_ISOLATION": .isolation,
            "LEAF_ISOLATION": .isolation, "EV_CHARGING_DC": .fastCharging,
            "BOLT_SOC_RAW": .ownCharge, "EGOLF_SOC_BMS": .ownCharge,
        ]
        for (name, role) in expected { #expect(Self.roles.byName[name] == role, "\(name)") }
        // Nobody has confirmed the current of the Leaf.
        #expect(Self.roles.byName["LEAF_CURRENT"] == nil)
    }

    @Test func `the battery's own charge comes before the displayed one`() throws {
        var battery = SimulatedBattery(seed: 2)
        let shown: Column = (.charge, DataID(.readData, 0x0105), "EV_SOC", "%", 0x7EC)
        let readings = try record(
            battery.run([.stand(seconds: 90), .drive(seconds: 120)]), [shown] + Self.kona)
        #expect(try TripEnergy(readings, Self.roles)?.signals[.charge] == "EV_SOC_BMS")
    }

    /// Another ECU's current of another battery does not belong to the voltage.
    @Test func `current and voltage are those of one ECU`() throws {
        var battery = SimulatedBattery(seed: 2)
        let other: Column = (.current, DataID(.readData, 0xDD69), "I3_CURRENT", "A", 0x607)
        let truth = battery.run([.stand(seconds: 90), .drive(seconds: 300)])
        let readings = try record(truth, [other] + Self.kona)
        let energy = try #require(try TripEnergy(readings, Self.roles))
        #expect(energy.signals[.current] == "EV_CURRENT")
    }

    @Test func `a trip without a battery has no energy`() throws {
        var battery = SimulatedBattery(seed: 2)
        let readings = try record(battery.run([.drive(seconds: 60)]), [Self.speed])
        #expect(try TripEnergy(readings, Self.roles) == nil)
    }

    /// A drive, and a session from 19 to 81 %.
    private func week() throws -> [TripEnergy] {
        var battery = SimulatedBattery(seed: 7)
        let drive = try record(
            battery.run([.stand(seconds: 90), .drive(seconds: 1800)]), Self.kona)
        battery.charge = 19
        let charge = try record(
            battery.run([.stand(seconds: 90), .direct(until: 81)]), Self.kona, after: 5)
        return try [drive, charge].map { try #require(try TripEnergy($0, Self.roles)) }
    }

    private func printed(_ body: (inout TextOutput) throws -> Void) throws -> String {
        let collected = Collected()
        var writer = TextOutput { bytes in collected.bytes += bytes }
        try body(&writer)
        try writer.flush()
        return String(decoding: collected.bytes, as: UTF8.self)
    }

    @Test func `text, JSON, CSV, sheet and page have the same figures`() throws {
        let week = try week()
        let text = try printed {
            try EnergyReport(week, OutputForm(format: .text)).print(&$0)
        }
        let used = try #require(week[0].use.used)
        #expect(text.contains(EnergyTables.text(used, "kWh")), "\(text)")
        #expect(text.contains("probably DC: above 22 kW on average"), "\(text)")
        #expect(text.contains("as the battery computer counts (1 session)"), "\(text)")
        #expect(text.contains("20 to 25 %"), "\(text)")
        let json = try printed { try EnergyReport(week, OutputForm(format: .json)).print(&$0) }
        let objects = try json.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(
            objects.map { $0["kind"] as? String } == [
                "tripEnergy", "tripEnergy", "chargingSession", "vehicleEnergy",
            ])
        #expect(abs((objects[0]["usedKWh"] as? Double ?? 0) - used.value) < 0.001)
        let capacity = objects[3]["capacityAh"] as? Double ?? 0
        #expect(abs(capacity - 100) < 2 && objects[3]["noCapacity"] is NSNull)
        #expect((objects[2]["curve"] as? [Any])?.count == 14)
        let report = EnergyReport(week, OutputForm(format: .csv))
        let lines = try printed { try report.print(&$0) }.split(whereSeparator: \.isNewline)
        #expect(lines.count == 5 && lines[1].hasPrefix("tripEnergy,"))
        #expect(report.csv.starts(with: lines[0].utf8))
        #expect(report.sheet.bytes.starts(with: Array("PK".utf8)))
        let page = String(decoding: report.page.bytes, as: UTF8.self)
        #expect(page.contains("probably DC") && page.contains("Charging"))
    }

    @Test func `miles give miles per kilowatt-hour`() throws {
        let week = try week()
        let tables = EnergyTables(.us)
        // 20 kWh per 100 km are 5 km/kWh, which are 3.11 mi/kWh; the error of 2 % is 0.06.
        #expect(tables.consumption(Estimated(20, 0.2)) == "3.11 ± 0.06 mi/kWh")
        #expect(EnergyTables(.metric).consumption(Estimated(20, 0.2)) == "20.00 ± 0.40 kWh/100 km")
        let text = try printed {
            try EnergyReport(week, OutputForm(format: .text, units: .us)).print(&$0)
        }
        #expect(text.contains("mi/kWh") && !text.contains(" km"), "\(text)")
    }

    @Test func `the summary and the report of a trip show its energy`() throws {
        let trip = try week()[0].trip.id
        let text = try printed {
            try TripDetails.print(
                trip, store, OutputForm(format: .text), { _ in FuelProfile() }, &$0)
        }
        #expect(text.contains("energy") && text.contains("kWh/100 km"), "\(text)")
        let report = try TripReport(
            store.readings(ofTrip: trip), store, .metric, FuelProfile())
        let page = String(decoding: report.page.bytes, as: UTF8.self)
        #expect(page.contains("<h2>Energy</h2>") && page.contains("Regenerated"))
    }
}
