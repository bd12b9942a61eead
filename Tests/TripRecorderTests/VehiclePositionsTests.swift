import Diagnostics
import OBDCore
import PIDTables
import Testing

@testable import TripRecorder

@Suite struct `Positions that the vehicle reports` {
    private static let ecu = ECUAddress(0x7E8, .can11)
    private static let id = DataID(.currentData, 0xF3)

    private static func number(_ id: String, _ name: String, _ unit: String) -> Signal {
        Signal(id: id, name: name, bitOffset: 0, bitLength: 32, kind: .number, unit: unit)
    }

    /// A table with a position, an altitude in the same message, and the speed in another one.
    private static func table(
        _ latitude: (String, String, String) = ("A", "Latitude", "°"),
        _ longitude: (String, String, String) = ("B", "Longitude", "°")
    ) -> PIDTable {
        var table = PIDTable()
        table.add(
            id, name: "place", length: 1...20,
            signals: [
                number(latitude.0, latitude.1, latitude.2),
                number(longitude.0, longitude.1, longitude.2), number("ALT", "Altitude", "m"),
            ])
        table.add(
            DataID(.currentData, 0x0D), name: "speed", length: 1...20,
            signals: [number("LAT_ACC", "Lateral acceleration", "m/s²")])
        return table
    }

    private static func item(_ signal: Int32, _ value: Double) -> DiagnosticItem {
        .reading(
            Reading(
                ecu: ecu, dataID: signal < 3 ? id : DataID(.currentData, 0x0D),
                signal: SignalIndex(rawValue: signal), value: .number(value), raw: [1, 2], line: 0))
    }

    private static let home = [item(0, 48.137), item(1, 11.576), item(2, 520), item(3, 1)]
    private static let away = [item(0, 48.2), item(1, 11.576), item(2, 520), item(3, 1)]

    private func zones() throws -> PositionPrivacy {
        var privacy = PositionPrivacy()
        privacy.zones = [try #require(PositionPrivacy.Zone("48.137,11.576,500m"))]
        return privacy
    }

    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    @Test func `a private position is removed with its whole message, other messages stay`() throws
    {
        var privacy = PositionPrivacy()
        #expect(VehiclePositions(privacy, Self.table()) == nil)
        privacy.isAlways = true
        var always = try #require(VehiclePositions(privacy, Self.table()))
        #expect(always.allowed(Self.away, at: at(1), minute: 0) == [Self.away[3]])
        privacy = PositionPrivacy()
        privacy.hours = [try #require(PositionPrivacy.Hours("18:00-06:00"))]
        var hours = try #require(VehiclePositions(privacy, Self.table()))
        #expect(hours.allowed(Self.home, at: at(1), minute: 720) == Self.home)
        for minute in [1200, nil] {
            #expect(hours.allowed(Self.home, at: at(1), minute: minute) == [Self.home[3]])
        }
    }

    @Test func `a zone hides the positions inside it, and halves of positions`() throws {
        var zones = try #require(try VehiclePositions(zones(), Self.table()))
        #expect(zones.allowed(Self.home, at: at(1), minute: nil) == [Self.home[3]])
        #expect(zones.allowed(Self.away, at: at(2), minute: nil) == Self.away)
        // The other half is known, then too old.
        #expect(zones.allowed([Self.away[0]], at: at(3), minute: nil) == [Self.away[0]])
        #expect(zones.allowed([Self.home[0]], at: at(4), minute: nil) == [])
        #expect(zones.allowed([Self.away[0]], at: at(9), minute: nil) == [])
        #expect(zones.allowed([Self.item(3, 1)], at: at(9), minute: nil) == [Self.item(3, 1)])
    }

    @Test(
        arguments: [
            ("GPS_Lat", "", "deg", "GPS_Long", "", "deg"),
            ("x", "GPS latitude", "Deg", "y", "GPS longitude", "Deg"),
        ])
    func `a position is recognised by the names that users' tables have`(
        id: String, name: String, unit: String, other: String, otherName: String, otherUnit: String
    ) throws {
        let table = Self.table((id, name, unit), (other, otherName, otherUnit))
        var zones = try #require(try VehiclePositions(zones(), table))
        #expect(zones.allowed(Self.home, at: at(1), minute: nil) == [Self.home[3]])
        #expect(zones.allowed(Self.away, at: at(2), minute: nil) == Self.away)
    }

    @Test func `a position in another unit is hidden, because no zone can be compared with it`()
        throws
    {
        let table = Self.table(("LATITUDE", "", "min"), ("LONGITUDE", "", "min"))
        var zones = try #require(try VehiclePositions(zones(), table))
        #expect(zones.allowed(Self.away, at: at(1), minute: nil) == [Self.away[3]])
    }

    /// PGN 65267 of a truck.
    @Test func `the position in the standard table is recognised`() throws {
        let table = try PIDTables.standard()
        let record = try #require(
            table.records.first { record in
                record.signals.contains { table.signals[Int($0)].id == "SPN584" }
            })
        let items = record.signals.map { index in
            DiagnosticItem.reading(
                Reading(
                    ecu: Self.ecu, dataID: record.dataID, signal: SignalIndex(rawValue: index),
                    value: .number(index == record.signals.lowerBound ? 48.137 : 11.576), raw: [],
                    line: 0))
        }
        #expect(items.count == 2)
        var zones = try #require(try VehiclePositions(zones(), table))
        #expect(zones.allowed(items, at: at(1), minute: nil) == [])
    }
}
