import Diagnostics
import OBDCore
import Testing

@testable import TripStore

@Suite struct TripEditingTests {
    /// A drive of a minute at 60 km/h, `start` seconds after the fixtures' start.
    private func drive(
        _ store: TripStore, start: Int64, vin: String? = nil, tags: [String] = []
    ) throws -> Int64 {
        let utc = UTC(microseconds: Fixtures.start.microseconds + start * 1_000_000)
        let anchor = TimeAnchor(monotonic: Fixtures.anchor.monotonic, utc: utc)
        let writer = try store.startTrip(
            TripStart(anchor: anchor, vin: vin.flatMap { VIN($0) }, tags: tags),
            table: Fixtures.table)
        for second in 0...60 {
            let speed = Fixtures.reading(Fixtures.speed, 0x0D, .number(60), [60])
            #expect(
                writer.offer(
                    [.reading(speed), Fixtures.rpm(Double(second))],
                    at: Fixtures.after(Double(second))))
        }
        #expect(writer.offer(.note("end"), at: Fixtures.after(60)))
        try writer.end(.vehicleOff, at: Fixtures.after(60))
        return writer.trip
    }

    private func values(_ store: TripStore, _ trip: Int64) throws -> [String] {
        var found: [String] = []
        try store.readings(ofTrip: trip).forEachRecord { found.append("\($0) \($1)") }
        return found
    }

    @Test func `a trip that is split and joined again is unchanged`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let id = try drive(store, start: 0, vin: Fixtures.vinText, tags: ["home"])
        let before = try store.trip(id)
        let valuesBefore = try values(store, id)
        let signalsBefore = try store.readings(ofTrip: id).signals

        let cut = UTC(microseconds: Fixtures.start.microseconds + 20_000_000)
        let new = try store.splitTrip(id, at: cut)
        let first = try store.trip(id)
        let second = try store.trip(new)
        #expect(first.readings == 40 && second.readings == 82)
        #expect(first.seconds == 20 && second.seconds == 40)
        #expect(second.start == cut && second.anchor.monotonic == Fixtures.after(20))
        #expect(second.tags == ["home"] && second.vin == before.vin)
        // The answers of the first part cover 19 of its 20 seconds.
        #expect(abs((first.distance ?? 0) - 19.0 / 60) < 1e-9)
        #expect(abs((second.distance ?? 0) - 40.0 / 60) < 1e-9)
        #expect(try store.readings(ofTrip: new).signals.map(\.minimum) == [60, 20])
        #expect(try values(store, id) + values(store, new) == valuesBefore)

        try store.joinTrips([new, id])
        var after = try store.trip(id)
        #expect(abs((after.distance ?? 0) - (before.distance ?? 1)) < 1e-9)
        after.distance = before.distance
        after.driven = before.driven
        #expect(after == before)
        #expect(try values(store, id) == valuesBefore)
        #expect(try store.readings(ofTrip: id).signals == signalsBefore)
        #expect(try store.trips().count == 1 && store.check() == [])
    }

    @Test func `trips that overlap or are of two vehicles are not joined`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let first = try drive(store, start: 0, vin: Fixtures.vinText)
        let overlapping = try drive(store, start: 30)
        let other = try drive(store, start: 100, vin: "WVWZZZ1JZXW000001")
        let unnamed = try drive(store, start: 200)
        #expect(throws: TripEditFault.overlap(first, overlapping)) {
            try store.joinTrips([overlapping, first])
        }
        #expect(throws: TripEditFault.overlap(first, first)) {
            try store.joinTrips([first, first])
        }
        #expect(throws: TripEditFault.vehicles(first, other)) {
            try store.joinTrips([first, other])
        }
        #expect(throws: TripEditFault.store(.unknownTrip(99, path: store.path))) {
            try store.joinTrips([first, 99])
        }
        try store.addNote("rain", toTrip: unnamed)
        try store.joinTrips([other, unnamed])
        #expect(try store.notes(ofTrip: other).map(\.text) == ["rain", "end", "end"])
        #expect(try store.trip(other).readings == 244 && store.trip(other).seconds == 160)
    }

    @Test func `several trips are joined completely or not at all`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let ids = [
            try drive(store, start: 0), try drive(store, start: 100), try drive(store, start: 200),
        ]
        let overlapping = try drive(store, start: 230)
        let before = try store.trips()
        #expect(throws: TripEditFault.overlap(ids[2], overlapping)) {
            try store.joinTrips(ids + [overlapping])
        }
        #expect(throws: TripEditFault.between(ids[1], joining: [ids[0], ids[2]])) {
            try store.joinTrips([ids[2], ids[0]])
        }
        #expect(try store.trips() == before)
        #expect(try store.joinTrips([ids[2], ids[0], ids[1]]) == ids[0])
        #expect(try store.trip(ids[0]).readings == 366 && store.trip(ids[0]).seconds == 260)
        let undone = try store.undoEdit()
        #expect(undone.action == .join && undone.others == [ids[1], ids[2]])
        #expect(try store.trips() == before && store.check() == [])
    }

    /// The second trip begins in the same microsecond as the last reading of the first one.
    @Test func `trips with readings at the same time are not joined`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let first = try drive(store, start: 0)
        let second = try drive(store, start: 60)
        #expect(throws: TripEditFault.overlap(first, second)) {
            try store.joinTrips([first, second])
        }
        #expect(try store.trips().count == 2 && store.check() == [])
    }

    @Test(arguments: [-1, 0, 60, 61] as [Int64])
    func `a trip is not split at its ends or outside`(_ second: Int64) throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let id = try drive(store, start: 0)
        let time = UTC(microseconds: Fixtures.start.microseconds + second * 1_000_000)
        #expect(throws: TripEditFault.outside(id)) { try store.splitTrip(id, at: time) }
    }
}
