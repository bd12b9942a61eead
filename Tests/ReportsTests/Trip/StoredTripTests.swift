import Diagnostics
import Foundation
import OBDCore
import PIDTables
import TestSupport
import Testing
import TripStore

@testable import Reports

/// Calculations from a trip in a database, without the program.
@Suite final class `A stored trip` {
    private static let engine = ECUAddress(0x7E8, .can11)
    private static let other = ECUAddress(0x7E9, .can11)
    private static let vin = "1HGCM82633A004352"
    private static let start = UTC(microseconds: 1_795_248_902_000_000)

    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "obdscan-\(UUID().uuidString)", directoryHint: .isDirectory)
    private let store: TripStore

    init() throws {
        store = try TripStore(path: folder.appending(path: "a.db").path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Fuel rate and speed, as J1979 has them; only their names and numbers count here.
    private static let table = PIDTable.ofNumbers([
        (0x5E, "FUEL_RATE", "L/h"), (0x0D, "VSS", "km/h"),
    ])

    private static func reading(
        _ signal: Int, _ pid: UInt32, _ value: Double, _ ecu: ECUAddress
    ) -> DiagnosticItem {
        .reading(
            TestSupport.reading(
                .number(value), DataID(.currentData, pid), signal: signal, ecu: ecu, raw: [0x01]))
    }

    @Test(arguments: [
        // 0.015 as a binary number is a little less than 0.015.
        (0.015, "0.02 kg"), (0.0151, "0.02 kg"), (0.0144, "0.01 kg"), (12.3449, "12.35 kg"),
        (0, "0.00 kg"),
    ])
    func `carbon dioxide is rounded from the grams in the JSON`(_ mass: Double, _ text: String) {
        #expect(TripFuel.carbonDioxideText(mass) == text)
    }

    private func begin(
        after hours: Int64 = 0, _ table: PIDTable? = nil
    ) throws -> TripWriter {
        let utc = UTC(microseconds: Self.start.microseconds + hours * 3_600_000_000)
        return try store.startTrip(
            TripStart(
                purpose: .log, anchor: TimeAnchor(monotonic: .zero, utc: utc),
                vin: VIN(Self.vin)), table: table ?? Self.table)
    }

    @Test func `the state of charge and the odometer have one name for every make`() throws {
        var table = PIDTable()
        for (number, id, name, unit) in [
            (0x0105, "EV_SOC", "Battery state of charge, as displayed", "%"),
            (0xB002, "ANY_ODO", "Odometer", "km"),
            (0x0101, "EV_SOC_BMS", "Battery state of charge (battery's own)", "%"),
        ] {
            table.add(
                DataID(.readData, UInt32(number)), name: name, length: 1...20,
                signals: [
                    Signal(
                        id: id, name: name, bitOffset: 0, bitLength: 16, kind: .number, unit: unit)
                ])
        }
        let writer = try store.startTrip(
            TripStart(
                purpose: .log, anchor: TimeAnchor(monotonic: .zero, utc: Self.start),
                vin: VIN(Self.vin)), table: table)
        for (second, values) in [(0, [76, 13_067, 80]), (60, [71.5, 13_069, 75])] {
            for (place, value) in values.enumerated() {
                let reading = Reading(
                    ecu: Self.engine, dataID: DataID(.readData, [0x0105, 0xB002, 0x0101][place]),
                    signal: SignalIndex(rawValue: Int32(place)), value: .number(value), raw: [1],
                    line: 0)
                #expect(writer.offer([.reading(reading)], at: .zero + .seconds(second)))
            }
        }
        try writer.end(.stopped, at: .zero + .seconds(60))
        let found = try TripRole.all(
            of: store.readings(ofTrip: writer.trip), PIDTables.signalRoles())
        #expect(found.map(\.role) == [.odometer, .stateOfCharge])
        #expect(found.map(\.id) == ["ANY_ODO", "EV_SOC"])
        #expect(found.map(\.first) == [13_067, 76] && found.map(\.last) == [13_069, 71.5])
        // The current at the first and at the last moment says nothing about the trip.
        let swinging = [SignalRole.packVoltage, .packCurrent, .packPower].map { role in
            var one = found[1]
            one.role = role
            return one
        }
        #expect(TripRole.withEnds(found + swinging, hasOdometer: false) == found)
        #expect(TripRole.withEnds(found + swinging, hasOdometer: true) == [found[1]])
    }

    /// Ten minutes of 6 L/h are a litre; at 60 km/h they are 10 km.
    @Test func `the fuel that several ECUs report is counted once`() throws {
        let writer = try begin()
        for second in 0...600 {
            let time = Instant.zero + .seconds(second)
            #expect(writer.offer([Self.reading(0, 0x5E, 6, Self.engine)], at: time))
            #expect(writer.offer([Self.reading(1, 0x0D, 60, Self.engine)], at: time))
            if second % 2 == 0 {
                #expect(writer.offer([Self.reading(0, 0x5E, 6, Self.other)], at: time))
            }
        }
        try writer.end(.stopped, at: .zero + .seconds(600))
        let readings = try store.readings(ofTrip: writer.trip)
        let profile = FuelProfile(kind: .diesel, price: 2, currency: "EUR")
        let use = try #require(try TripFuel.use(of: readings, profile))
        let amount = try #require(use.amount)
        let per100km = try #require(use.per100km)
        #expect(abs(amount - 1) < 0.01 && abs(per100km - 10) < 0.2)
        var bytes: [UInt8] = []
        TripFuel.row(use, of: readings.trip, profile).appendJSON(to: &bytes)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(object["kind"] as? String == "tripFuel" && object["fuel"] as? String == "diesel")
        #expect(object["currency"] as? String == "EUR")
        #expect(abs((object["cost"] as? Double ?? 0) - 2) < 0.02)
    }

    @Test func `a trip without fuel readings has no fuel figure`() throws {
        let writer = try begin()
        try writer.end(.stopped, at: .zero + .seconds(1))
        let readings = try store.readings(ofTrip: writer.trip)
        #expect(try TripFuel.use(of: readings, FuelProfile()) == nil)
    }

    /// A repair turns the light off.
    @Test func `a stored trip has the state of the check engine light`() throws {
        let table = try PIDTables.standard()
        let status = DataID(.currentData, 0x01)
        let light = try #require(
            table.record(status)?.signals.map { SignalIndex(rawValue: $0) }
                .first { table[$0].id == "MIL" })
        for (hour, isOn) in [(1, true), (3, false)] as [(Int64, Bool)] {
            let writer = try begin(after: hour, table)
            let reading = Reading(
                ecu: Self.engine, dataID: status, signal: light, value: .flag(isOn), raw: [0],
                line: 0)
            #expect(writer.offer([.reading(reading)], at: .zero))
            try writer.end(.stopped, at: .zero + .seconds(1))
        }
        func lights(_ hour: Int64) throws -> [Bool] {
            let time = UTC(microseconds: Self.start.microseconds + hour * 3_600_000_000)
            return try VehicleCondition(of: Self.vin, at: time, in: store).lights.map(\.isOn)
        }
        #expect(try [lights(0), lights(2), lights(4)] == [[], [true], [false]])
    }

    /// One reading is enough, as reading the codes brings it.
    @Test func `a stored trip has the value of the odometer`() throws {
        let table = try PIDTables.standard()
        let id = DataID(.currentData, 0xA6)
        let first = try #require(table.record(id)?.signals.first)
        for (hour, kilometres) in [(1, 48_213.4), (3, 48_260)] as [(Int64, Double)] {
            let writer = try begin(after: hour, table)
            let reading = Reading(
                ecu: Self.engine, dataID: id, signal: SignalIndex(rawValue: first),
                value: .number(kilometres), raw: [0], line: 0)
            #expect(writer.offer([.reading(reading)], at: .zero))
            try writer.end(.stopped, at: .zero + .seconds(1))
        }
        func known(_ hour: Int64) throws -> Double? {
            try store.odometer(
                ofVehicle: Self.vin,
                at: UTC(microseconds: Self.start.microseconds + hour * 3_600_000_000))
        }
        #expect(try [known(0), known(2), known(4)] == [nil, 48_213.4, 48_260])
    }

    /// The condition at a past moment has neither codes that came later nor codes that were gone by
    /// then.
    @Test func `a stored trip adds facts about its vehicle`() throws {
        for (hour, codes) in [(1, ["P0301"]), (3, ["P0420"]), (5, [])] as [(Int64, [String])] {
            let writer = try begin(after: hour)
            let reports = try codes.map { text in
                DiagnosticItem.code(
                    CodeReport(
                        ecu: Self.engine, kind: .stored, code: .dtc(try #require(DTC(text))),
                        line: 0))
            }
            #expect(writer.offer(reports, at: .zero))
            #expect(writer.offer(.codeList(Self.engine, .stored, codes: codes.count), at: .zero))
            try writer.end(.stopped, at: .zero + .seconds(1))
        }
        func known(_ hour: Int64) throws -> VehicleCondition {
            let time = UTC(microseconds: Self.start.microseconds + hour * 3_600_000_000)
            return try VehicleCondition(of: Self.vin, at: time, in: store)
        }
        let (none, first, second, last) = (
            try known(0), try known(2), try known(4), try known(6)
        )
        #expect(none.isEmpty && last.codes.isEmpty)
        #expect([first, second].map { $0.codes.map(\.code.text) } == [["P0301"], ["P0420"]])
        let change = ConditionChange(before: first, now: second)
        #expect(
            change.codes.map { "\($0.code.code.text) \($0.fate?.rawValue ?? "")" }
                == ["P0420 came", "P0301 gone"])
    }
}
