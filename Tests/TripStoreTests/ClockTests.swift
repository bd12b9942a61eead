import Diagnostics
import Foundation
import OBDCore
import Synchronization
import TestSupport
import Testing

@testable import SystemIO
@testable import TripStore

/// A machine whose clocks a test sets.
private final class Machine: Sendable {
    private let state: Mutex<ClockReading>

    /// A machine that booted 100 s before the trips of the fixtures, whose clock is right unless it is `late`.
    init(boot: String = "boot-1", late: Int64 = 0, isSet: Bool) {
        let right = UTC(microseconds: Fixtures.start.microseconds - 100_000_000)
        state = Mutex(
            ClockReading(
                instant: Fixtures.after(0), boot: boot, bootTime: right.later(by: -late),
                isSet: isSet))
    }

    var reading: ClockReading { state.withLock { $0 } }
    var read: @Sendable () -> ClockReading { { self.reading } }

    func change(_ body: @Sendable (inout ClockReading) -> Void) { state.withLock { body(&$0) } }

    /// Sets the clock; unit of `step`: µs.
    func set(by step: Int64, at seconds: Double, isSet: Bool = true) {
        change {
            $0.bootTime = $0.bootTime.later(by: step)
            $0.instant = Fixtures.after(seconds)
            $0.isSet = isSet
        }
    }
}

private let day: Int64 = 86_400_000_000

@Suite struct ClockTests {
    // MARK: What a machine says

    @Test(
        arguments: [
            // (kernel, timesyncd, battery clocks, PC, right)
            (true, false, [], false, true),
            (nil, false, [], false, true),
            (false, true, [], false, true),
            (false, false, [], false, false),
            (false, false, [], true, true),
            (false, false, [now + 200], false, true),
            (false, false, [now + 400], false, false),
            // A battery clock that contradicts says more than the kind of the machine.
            (false, false, [now - 86_400], true, false),
            // It shows local time.
            (false, false, [now + 3600 - 5], false, true),
            // One without a battery begins in 1970; the other is right.
            (false, false, [100, now], false, true),
        ] as [(Bool?, Bool, [Int64], Bool, Bool)])
    func `a clock counts as set if the kernel, timesyncd or a battery clock says so`(
        _ row: (kernel: Bool?, network: Bool, batteries: [Int64], isPC: Bool, isRight: Bool)
    ) {
        let evidence = ClockEvidence(
            kernel: row.kernel, hasNetworkTime: row.network, batteryClocks: row.batteries,
            isPC: row.isPC)
        #expect(evidence.isSet(now: Self.now, offset: 3600) == row.isRight)
        // No word makes 2025 right.
        #expect(!evidence.isSet(now: ClockEvidence.earliest - 1, offset: 3600))
    }

    private static let now: Int64 = 1_795_248_902

    @Test func `the clocks of the test machine agree with each other`() {
        let (first, second) = (SystemClock.reading(), SystemClock.reading())
        #expect(abs(first.utc.microseconds - SystemClock.utc.microseconds) < 1_000_000)
        #expect(abs(first.bootTime.microseconds - second.bootTime.microseconds) < 100_000)
        #expect(first.boot == second.boot && first.instant <= second.instant)
    }

    // MARK: The clock of a trip

    @Test func `a clock that the network sets corrects the trip once and by the whole step`() {
        let machine = Machine(late: 2 * day, isSet: false)
        let anchor = TimeAnchor(
            monotonic: Fixtures.after(0), utc: Fixtures.start.later(by: -2 * day))
        var clock = TripClock(anchor, machine.reading)
        #expect(!clock.isSet && clock.lag == 0)
        #expect(clock.take(machine.reading) == nil)
        machine.set(by: 2 * day + 250_000, at: 60)
        #expect(clock.take(machine.reading) == .corrected(2 * day + 250_000))
        #expect(clock.take(machine.reading) == nil)
        // Afterwards the clock of the machine does not matter.
        machine.set(by: -3_600_000_000, at: 70)
        #expect(clock.take(machine.reading) == .stepped(-3_600_000_000))
        #expect(clock.take(machine.reading) == nil)
    }

    @Test func `a step of a clock that is not proven right moves no trip`() {
        let machine = Machine(late: 2 * day, isSet: false)
        var clock = TripClock(
            TimeAnchor(monotonic: Fixtures.after(0), utc: Fixtures.start.later(by: -2 * day)),
            machine.reading)
        machine.set(by: day, at: 10, isSet: false)
        #expect(clock.take(machine.reading) == nil)
        #expect(!clock.isSet)
        machine.set(by: day, at: 20)
        #expect(clock.take(machine.reading) == .corrected(2 * day))
    }

    @Test func `slow adjustments of a clock are not steps`() {
        let machine = Machine(isSet: true)
        var clock = TripClock(Fixtures.anchor, machine.reading)
        for second in 1...100 {
            machine.set(by: 80_000, at: Double(second))
            #expect(clock.take(machine.reading) == nil)
        }
    }

    @Test func `a trip takes the clock that was set while the adapter was awaited`() throws {
        let machine = Machine(isSet: true)
        let old = TimeAnchor(
            monotonic: Fixtures.after(0), utc: Fixtures.start.later(by: -2 * day))
        #expect(TripClock(old, machine.reading).lag == 2 * day)
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let writer = try Fixtures.begin(store, anchor: old)
        #expect(writer.anchor.utc == Fixtures.start)
        try writer.end(.stopped, at: Fixtures.after(5))
        #expect(try store.trip(writer.trip).start == Fixtures.start)
        #expect(try store.trip(writer.trip).isClockSet == true)
    }

    @Test func `three positions that agree set the clock of a trip`() {
        let machine = Machine(late: day, isSet: false)
        let anchor = TimeAnchor(monotonic: Fixtures.after(0), utc: Fixtures.start.later(by: -day))
        var clock = TripClock(anchor, machine.reading)
        func take(_ seconds: Double, delay: Int64) -> TripClock.Change? {
            clock.take(
                satellites: Fixtures.start.later(by: Int64(seconds * 1e6) - delay),
                at: Fixtures.after(seconds))
        }
        // A receiver without an almanac is years behind, and one position alone may be wrong.
        #expect(
            clock.take(
                satellites: UTC(microseconds: 1_100_000_000_000_000), at: Fixtures.after(1)) == nil)
        #expect(take(2, delay: 60_000_000) == nil)
        #expect(take(3, delay: 400_000) == nil)
        #expect(take(4, delay: 300_000) == nil)
        #expect(take(5, delay: 900_000) == .corrected(day - 300_000))
        #expect(take(6, delay: 0) == nil && clock.isSet)
    }

    @Test func `a correction is printed in days, hours, minutes and seconds`() {
        #expect(TripClock.Change.text(2 * day + 3_661_400_000) == "+2 d 1 h 1 min 1 s")
        #expect(TripClock.Change.text(-1_500_000) == "−2 s")
        #expect(TripClock.Change.corrected(499_999).event == nil)
    }

    // MARK: In the database

    /// Records a drive of a minute whose clock is `late`, and ends it; `during` runs in the middle of it.
    private func drive(
        _ store: TripStore, late: Int64 = 0, at seconds: Double = 0, codes: [String] = [],
        during: () -> Void = {}
    ) throws -> Int64 {
        let anchor = TimeAnchor(
            monotonic: Fixtures.after(seconds),
            utc: Fixtures.start.later(by: Int64(seconds * 1e6) - late))
        let writer = try Fixtures.begin(store, anchor: anchor)
        let vin = try #require(VIN(Fixtures.vinText))
        #expect(writer.offer(.vehicle(vin), at: Fixtures.after(seconds)))
        #expect(writer.offer([Fixtures.rpm(800)], at: Fixtures.after(seconds + 1)))
        for code in codes {
            let report = CodeReport(
                ecu: Fixtures.ecu, kind: .stored, code: .dtc(try #require(DTC(code))), line: 0)
            #expect(writer.offer([.code(report)], at: Fixtures.after(seconds + 2)))
        }
        try writer.flush()
        during()
        #expect(writer.offer([Fixtures.rpm(900)], at: Fixtures.after(seconds + 60)))
        try writer.end(.stopped, at: Fixtures.after(seconds + 60))
        return writer.trip
    }

    private func events(_ store: TripStore, _ trip: Int64) throws -> [String] {
        var found: [String] = []
        try store.readings(ofTrip: trip).forEachRecord { _, record in
            if case .event(let event) = record, event.kind == .clockSet { found.append(event.text) }
        }
        return found
    }

    @Test func `a trip is corrected during its recording, with an event`() throws {
        let scratch = try Scratch()
        let machine = Machine(late: 2 * day, isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let trip = try drive(store, late: 2 * day) {
            #expect((try? store.trips().first?.isClockSet) == false)
            machine.set(by: 2 * day, at: 30)
        }
        let found = try store.trip(trip)
        #expect(found.start == Fixtures.start && found.isClockSet == true && found.seconds == 60)
        #expect(try events(store, trip) == ["the clock was set: the trip's times moved by +2 d"])
        #expect(try store.settleClocks(by: machine.reading) == [])
        var times: [Int64] = []
        try store.readings(ofTrip: trip).forEach { time, _ in
            times.append(time.microseconds(since: Fixtures.start))
        }
        #expect(times == [1_000_000, 60_000_000])
        #expect(try store.check() == [])
    }

    @Test func `the next start in the same boot corrects ended trips and their codes`() throws {
        let scratch = try Scratch()
        let machine = Machine(late: 2 * day, isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let trip = try drive(store, late: 2 * day, codes: ["P0301"])
        #expect(try store.settleClocks(by: machine.reading) == [])
        #expect(try store.mayBeWrong(by: machine.reading))
        machine.set(by: 2 * day, at: 500)
        #expect(
            try store.settleClocks(by: machine.reading)
                == [ClockCorrection(trip: trip, step: .seconds(172_800))])
        #expect(try store.settleClocks(by: machine.reading) == [])
        #expect(try store.trip(trip).start == Fixtures.start)
        #expect(try events(store, trip).count == 1)
        let code = try #require(try store.codeHistory().first)
        let seen = Fixtures.start.later(by: 2_000_000)
        #expect(code.firstSeen == seen && code.lastSeen == seen)
        #expect(code.changes.map(\.time) == [seen])
        let vehicle = try scratch.sql { try $0.row("SELECT first_seen, last_seen FROM vehicle") }
        #expect(try vehicle?["first_seen"] as Int64? == Fixtures.start.microseconds)
        #expect(
            try vehicle?["last_seen"] as Int64? == Fixtures.start.microseconds + 60_000_000)
    }

    @Test func `a trip of another boot stays marked without a later trip that has a right clock`()
        throws
    {
        let scratch = try Scratch()
        let first = Machine(boot: "boot-1", late: 3 * day, isSet: false)
        var store = try TripStore(path: scratch.path(), clock: first.read)
        let lost = try drive(store, late: 3 * day)
        let second = Machine(boot: "boot-2", late: 2 * day, isSet: false)
        store = try TripStore(path: scratch.path(), clock: second.read)
        let early = try drive(store, late: 2 * day, at: 1000)
        let late = try drive(store, late: 2 * day, at: 2000) { second.set(by: 2 * day, at: 2030) }
        // Only now, in the third boot, does a program look.
        let third = Machine(boot: "boot-3", isSet: false)
        #expect(
            try store.settleClocks(by: third.reading).map(\.trip) == [early])
        #expect(try store.trip(early).start == Fixtures.start.later(by: 1_000_000_000))
        #expect(try store.trip(lost).isClockSet == false)
        #expect(try store.trip(late).isClockSet == true)
        third.set(by: 0, at: 4000)
        #expect(try store.settleClocks(by: third.reading) == [])
    }

    @Test func `a trip that is still recorded is corrected only by its recorder`() throws {
        let scratch = try Scratch()
        let machine = Machine(late: day, isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let writer = try Fixtures.begin(
            store,
            anchor: TimeAnchor(monotonic: Fixtures.after(0), utc: Fixtures.start.later(by: -day)))
        machine.set(by: day, at: 10)
        #expect(try store.settleClocks(by: machine.reading) == [])
        try writer.end(.stopped, at: Fixtures.after(20))
        #expect(try store.trip(writer.trip).start == Fixtures.start)
    }

    @Test func `an old trip with a future time is marked, and stays marked after that time`()
        throws
    {
        let scratch = try Scratch()
        let unknown = try TripStore(path: scratch.path())
        let ahead = try drive(unknown, late: -10 * day)
        let right = try drive(unknown)
        let machine = Machine(isSet: true)
        #expect(try unknown.settleClocks(by: machine.reading) == [])
        machine.set(by: 0, at: 3600)
        #expect(try unknown.mayBeWrong(by: machine.reading))
        #expect(try unknown.settleClocks(by: machine.reading) == [])
        #expect(try unknown.trip(ahead).isClockSet == false)
        #expect(try unknown.trip(right).isClockSet == nil)
    }

    @Test func `a shift by the user moves a trip, accepts its clock, and can be undone`() throws {
        let scratch = try Scratch()
        let machine = Machine(late: 2 * day, isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let trip = try drive(store, late: 2 * day, codes: ["P0420"])
        let before = try store.codeHistory()
        try store.shiftTrips([trip], by: .seconds(172_800))
        #expect(try store.trip(trip).start == Fixtures.start)
        #expect(try store.trip(trip).isClockSet == true)
        #expect(try store.codeHistory()[0].firstSeen == Fixtures.start.later(by: 2_000_000))
        #expect(try store.undoEdit() == TripEdit(action: .shift, trip: trip, others: []))
        #expect(try store.trip(trip).start == Fixtures.start.later(by: -2 * day))
        #expect(try store.trip(trip).isClockSet == false)
        #expect(try store.codeHistory() == before)
        // The boot is known again, too.
        machine.set(by: 2 * day + 7_000_000, at: 600)
        #expect(
            try store.settleClocks(by: machine.reading)
                == [ClockCorrection(trip: trip, step: .seconds(172_807))])
    }

    @Test func `a shift by the user moves no other trip of the same boot`() throws {
        let scratch = try Scratch()
        let machine = Machine(late: 2 * day, isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let trips = [try drive(store, late: 2 * day), try drive(store, late: 2 * day, at: 200)]
        try store.shiftTrips([trips[0], trips[0]], by: .seconds(86_400))
        #expect(try store.settleClocks(by: machine.reading) == [])
        #expect(try store.trip(trips[0]).start == Fixtures.start.later(by: -day))
        #expect(try store.trip(trips[1]).isClockSet == false)
    }

    @Test func `a trip of a clock that was not set is joined only when its time is known`() throws {
        let scratch = try Scratch()
        let machine = Machine(late: 2 * day, isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let early = try drive(store, late: 2 * day)
        machine.set(by: 2 * day, at: 500)
        let late = try drive(store, at: 500)
        #expect(throws: TripEditFault.clock(early)) { try store.joinTrips([early, late]) }
        try store.settleClocks(by: machine.reading)
        #expect(try store.joinTrips([early, late]) == early)
        #expect(try store.trip(early).seconds == 560)
    }

    @Test
    func `a trip that a power cut ended is closed, then corrected by a later trip of its boot`()
        throws
    {
        let scratch = try Scratch()
        let machine = Machine(late: 2 * day, isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let trip = try drive(store, late: 2 * day)
        try scratch.sql {
            try $0.execute(
                "UPDATE trip SET end_reason = NULL, writer = 'boot-0:1:1' WHERE id = ?", [trip])
        }
        // Without a later trip of that boot nobody can say when it was.
        let next = Machine(boot: "boot-2", isSet: true)
        let other = try TripStore(path: scratch.path(), clock: next.read)
        #expect(try other.settleClocks(by: next.reading) == [])
        #expect(try other.trip(trip).endReason == .crashed)
        #expect(try other.trip(trip).isClockSet == false)
        machine.set(by: 2 * day, at: 900)
        #expect(try other.settleClocks(by: machine.reading).map(\.trip) == [trip])
        #expect(try other.trip(trip).start == Fixtures.start)
    }

    @Test func `trips of a clock that was not set are listed as they were recorded`() throws {
        let scratch = try Scratch()
        let machine = Machine(isSet: true)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        let first = try drive(store, at: 0)
        machine.change { $0.isSet = false }
        let unset = try drive(store, late: 400 * day, at: 1000)
        let other = try drive(store, late: -400 * day, at: 2000)
        machine.change { $0.isSet = true }
        let last = try drive(store, at: 3000)
        let order = [first, unset, other, last]
        let store2 = try TripStore(path: scratch.path(), access: .readOnly)
        #expect(try store2.trips().map(\.id) == order)
        var latest = TripStore.TripFilter()
        latest.latest = 2
        #expect(try store2.trips(latest).map(\.id) == [other, last])
    }

    @Test func `without an earlier trip of a right clock, trips are listed as they were recorded`()
        throws
    {
        let scratch = try Scratch()
        let machine = Machine(isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        // A clock that is ahead, and the next boot, which continues from an earlier time.
        var order = [try drive(store, late: -9 * day), try drive(store, late: 9 * day, at: 1000)]
        #expect(try store.trips().map(\.id) == order)
        machine.change { $0.isSet = true }
        order.append(try drive(store, at: 2000))
        #expect(try store.trips().map(\.id) == order)
    }

    @Test func `a corrected trip is known when an earlier copy of it is merged`() throws {
        let scratch = try Scratch()
        let machine = Machine(late: 2 * day, isSet: false)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        _ = try drive(store, late: 2 * day)
        let other = try TripStore(path: scratch.path("other.db"))
        #expect(try other.merge(from: store.path).trips.count == 1)
        machine.set(by: 2 * day, at: 500)
        #expect(try store.settleClocks(by: machine.reading).count == 1)
        let again = try other.merge(from: store.path)
        #expect(again.trips.isEmpty && again.known == 1)
    }

    // MARK: Old drives

    @Test func `an unset clock and one far ahead of the newest drive delete nothing`() throws {
        let scratch = try Scratch()
        let machine = Machine(isSet: true)
        let store = try TripStore(path: scratch.path(), clock: machine.read)
        #expect(try store.checkThatDrivesExpire(by: machine.reading) == nil)
        _ = try drive(store)
        #expect(try store.checkThatDrivesExpire(by: machine.reading) == nil)
        machine.change { $0.isSet = false }
        #expect(try store.checkThatDrivesExpire(by: machine.reading) == .clockIsNotSet)
        machine.set(by: 3650 * day, at: 0)
        let end = Fixtures.start.later(by: 60_000_000)
        #expect(try store.checkThatDrivesExpire(by: machine.reading) == .clockIsAhead(newest: end))
    }

    @Test func `an expired drive can be restored for a week`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        let trips = [try drive(store), try drive(store, at: 100)]
        let now = Fixtures.start.later(by: 400 * day)
        let limit = now.later(by: -365 * day)
        #expect(try store.deleteTrips(endedBefore: limit, now: now).deleted == trips)
        #expect(try store.trips().isEmpty)
        #expect(
            try store.undoEdit() == TripEdit(action: .expire, trip: trips[1], others: [trips[0]]))
        #expect(try store.trips().map(\.id) == trips)
        #expect(try store.deleteTrips(endedBefore: limit, now: now).deleted == trips)
        let kept = { try scratch.sql { try $0.value(Int.self, "SELECT count(*) FROM trip") } }
        #expect(
            try store.deleteTrips(endedBefore: limit, now: now.later(by: 6 * day)).deleted == [])
        #expect(try kept() == 2)
        #expect(
            try store.deleteTrips(endedBefore: limit, now: now.later(by: 8 * day)).deleted == [])
        #expect(try kept() == 0)
        #expect(throws: TripEditFault.nothingToUndo) { try store.undoEdit() }
    }
}
