import Glibc
import OBDCore
import Publishing
import SystemIO
import Testing
import TripStore

@testable import Engines

/// A folder with a trip database, which goes with the value.
private final class Folder {
    let path: String

    init() throws {
        var template = Array("/tmp/obdscan-delivery-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
        _ = try TripStore(path: database)
    }

    deinit {
        for name in Files.names(in: path) { unlink(path + "/" + name) }
        rmdir(path)
    }

    var database: String { path + "/trips.db" }

    func deliveries() throws -> DeliveryStore {
        try DeliveryStore(path: DeliveryStore.path(of: database), access: .readWrite)
    }
}

@Suite struct `Messages of a sink` {
    private static func report(_ change: (inout SinkReport) -> Void) -> SinkReport {
        var report = SinkReport()
        change(&report)
        return report
    }

    @Test(
        arguments: [
            (report { _ in }, report { $0.delivered = 5 }, []),
            (report { _ in }, report { $0.fault = "busy" }, [.fault("busy")]),
            (report { $0.fault = "busy" }, report { $0.fault = "gone" }, []),
            (report { $0.fault = "busy" }, report { _ in }, [.works]),
            (report { $0.fault = "busy" }, report { $0.end = .stopped }, [.ended(.stopped)]),
            (report { _ in }, report { $0.isForgetful = true }, [.forgetful]),
            (report { $0.command = "a" }, report { $0.command = "a" }, []),
            (report { $0.command = "a" }, report { $0.command = "b" }, [.command("b")]),
            (report { $0.refused = 2 }, report { $0.refused = 2 }, []),
            (report { $0.refused = 2 }, report { $0.refused = 3 }, [.refused(3)]),
            (report { $0.end = .drained }, report { $0.end = .drained }, []),
        ] as [(SinkReport, SinkReport, [DeliveryNews])])
    func `each change of a sink's state is reported once`(
        old: SinkReport, new: SinkReport, news: [DeliveryNews]
    ) {
        #expect(DeliveryNews.between(old, and: new) == news)
    }
}

@Suite struct `A run of deliveries` {
    @Test func `a run of deliveries ends with the last sink and returns each result`() throws {
        let folder = try Folder()
        let deliveries = try folder.deliveries()
        let works = [3, 5].map { count in
            DeliveryRun.Work(name: "sink\(count)", target: "influx+http://host") { state, _, _ in
                state.change { $0.delivered = count }
                state.change { $0.end = .drained }
            }
        }
        var ended: Set<Int> = []
        var hasBegun = false
        let reports = try DeliveryRun(deliveries, database: folder.database).run(
            works, try .relay(), begun: { hasBegun = true }
        ) { place, news in
            if news == .ended(.drained) { ended.insert(place) }
        }
        #expect(reports.map(\.delivered) == [3, 5])
        #expect(ended == [0, 1] && hasBegun)
        // Another run may have them now.
        let sinks = try deliveries.sinks()
        #expect(sinks.map(\.name) == ["sink3", "sink5"] && !sinks.contains(where: \.isActive))
    }

    @Test func `a signal of the system stops the sinks`() throws {
        let folder = try Folder()
        let inbox = try SignalInbox.relay()
        let work = DeliveryRun.Work(name: "sink", target: "mqtt://host") { state, stop, _ in
            inbox.pass(SIGINT)
            var list = WaitList()
            let stopped = list.add(stop.descriptor)
            list.add(deadline: SystemClock.now() + .seconds(60))
            list.wait()
            state.change { $0.end = list.isReady(stopped) ? .stopped : .drained }
        }
        let reports = try DeliveryRun(try folder.deliveries(), database: folder.database).run(
            [work], inbox
        ) { _, _ in }
        #expect(reports.map(\.end) == [.stopped])
    }

    @Test func `a write to the database wakes the sinks`() throws {
        let folder = try Folder()
        let store = try TripStore(path: folder.database)
        let work = DeliveryRun.Work(name: "sink", target: "mqtt://host") { state, _, wake in
            // The run looks for a new log of the database once a second.
            for _ in 0..<100 {
                _ = try? store.remember(RememberedAccessory(address: "a"), seen: SystemClock.utc)
                var list = WaitList()
                let woken = list.add(wake.descriptor)
                list.add(deadline: SystemClock.now() + .milliseconds(100))
                list.wait()
                guard list.isReady(woken) else { continue }
                return state.change { $0.end = .drained }
            }
            state.change { $0.end = .stopped }
        }
        let reports = try DeliveryRun(try folder.deliveries(), database: folder.database).run(
            [work], try .relay()
        ) { _, _ in }
        #expect(reports.map(\.end) == [.drained])
    }
}
