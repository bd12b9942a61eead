import Diagnostics
import OBDCore
import Testing

@testable import TripStore

@Suite struct `What a database says about its recorder` {
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
        #expect(!open.isRecording && open.fault == "the cable is out")
        #expect(open.faultTime == Fixtures.start.later(by: 6_000_000))
        try trip.end(.stopped, at: Fixtures.after(9))
        #expect(try store.activity().lastRecord == Fixtures.start.later(by: 9_000_000))
        let scan = try Fixtures.begin(store, purpose: .scan)
        try scan.end(.stopped, at: Fixtures.after(60))
        #expect(try store.activity().lastRecord == Fixtures.start.later(by: 9_000_000))
    }
}
