import Diagnostics
import OBDCore
import Testing

@testable import TripStore

@Suite struct `The state of a recorder in its database` {
    @Test func `an open trip of a living process is a recording`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        #expect(try store.activity() == StoreActivity())
        let trip = try Fixtures.begin(store)
        #expect(try store.activity().isRecording)
        #expect(trip.offer([Fixtures.rpm(900)], at: Fixtures.after(5)))
        #expect(
            trip.offer(
                .event(TripEvent(.linkLost, text: "the cable is out")), at: Fixtures.after(6)))
        #expect(
            trip.offer(.event(TripEvent(.gap, text: "nothing of interest")), at: Fixtures.after(7)))
        try trip.flush()
        // Another process writes it, and that process is gone.
        try scratch.sql { try $0.execute("UPDATE trip SET writer = 'boot:1:2'") }
        let open = try store.activity()
        #expect(!open.isRecording && open.fault == .linkLost)
        #expect(open.faultTime == Fixtures.start.later(by: 6_000_000))
        try trip.end(.stopped, at: Fixtures.after(9))
        #expect(try store.activity().lastRecord == Fixtures.start.later(by: 9_000_000))
        let scan = try Fixtures.begin(store, purpose: .scan)
        try scan.end(.stopped, at: Fixtures.after(60))
        #expect(try store.activity().lastRecord == Fixtures.start.later(by: 9_000_000))
    }

    /// A computer without a clock of its own starts in 1970.
    @Test func `a drive whose clock is not set can be the newest drive`() throws {
        let scratch = try Scratch()
        let store = try TripStore(path: scratch.path())
        for day in 0..<6 as Range<Int64> {
            let start = Fixtures.start.later(by: day * 86_400_000_000)
            let drive = try Fixtures.begin(
                store, anchor: TimeAnchor(monotonic: Fixtures.anchor.monotonic, utc: start))
            #expect(
                drive.offer(.event(TripEvent(.linkLost, text: "out")), at: Fixtures.after(1)))
            try drive.end(.stopped, at: Fixtures.after(9))
        }
        let last = Fixtures.start.later(by: 5 * 86_400_000_000 + 9_000_000)
        #expect(try store.activity().lastRecord == last)
        let lost = try Fixtures.begin(
            store,
            anchor: TimeAnchor(
                monotonic: Fixtures.anchor.monotonic, utc: UTC(microseconds: 60_000_000)))
        #expect(
            lost.offer(.event(TripEvent(.linkError, text: "00 FF")), at: Fixtures.after(1)))
        try lost.flush()
        try scratch.sql {
            try $0.execute("UPDATE trip SET clock = 'unset' WHERE id = ?", [lost.trip])
        }
        // Nobody knows when that drive was.
        #expect(
            try store.activity()
                == StoreActivity(
                    isRecording: true, lastRecord: nil, fault: .linkError, faultTime: nil))
        try lost.end(.stopped, at: Fixtures.after(2))
        #expect(try !store.activity().isRecording)
    }
}
