import Accessory
import Diagnostics
import Glibc
import LocalLinks
import OBDCore
import PIDTables
import Reports
import ScanSession
import Synchronization
import SystemIO
import Testing
import TripStore
import VehicleScan

@testable import TripRecorder

/// Records trips of every simulated vehicle in the tests' own process.
@Suite struct `A recording inside the test process` {
    /// The results of a trip.
    private struct Recorded {
        var end: PollLoop.End
        var trip: TripSummary
        var events: [TripEvent]
        var readings: Int
        /// The number of readings that the session offered since the trip began.
        var offered: Int
        /// The report of the trip, as a page.
        var page: String
        /// The lists of codes of the trip: how many there are in each status.
        var lists: [String] = []
        /// The codes that the history had before the trip ended.
        var early: [String] = []
    }

    /// Collects the batches that a session offers once the trip has begun.
    private final class CountingSink: ReadingSink {
        let batches = Mutex<[ReadingBatch]>([])
        var spaceDescriptor: Int32? { nil }
        func offer(_ batch: ReadingBatch) -> Bool {
            batches.withLock { $0.append(batch) }
            return true
        }
    }

    private func record(
        _ text: String, for duration: Duration = .milliseconds(400),
        every period: Duration? = nil, limits: TripEndRule.Limits? = nil, readsCodes: Bool = false,
        _ further: (TripRecording) -> Void = { _ in }
    ) throws -> Recorded {
        var template = Array("/tmp/obdscan-trip-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        defer {
            for ending in ["", "-wal", "-shm"] { unlink(folder + "/t.db" + ending) }
            rmdir(folder)
        }
        let table = try PIDTables.standard()
        let sink = try TripSink()
        let counting = CountingSink()
        var sinks: [any ReadingSink] = [sink, counting]
        let watch = limits.map { TripEndDetector($0, table: table, start: SystemClock.now()) }
        if let watch { sinks.append(watch) }
        let lights = readsCodes ? try LightChanges(table) : nil
        if let lights { sinks.append(lights) }
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address("sim:\(text)"), table: table,
            monitors: PIDTables.monitorTables(), sinks: sinks)
        defer { vehicle.close() }
        let setup = try PollSetup.make([], [], vehicle, every: period) { _ in }
        let store = try TripStore(path: folder + "/t.db")
        var start = SystemClock.now()
        var early: [String] = []
        var plan = TripRecording.Plan(store: store)
        plan.limits.commitEvery = .milliseconds(20)
        let (end, number) = try TripRecording.run(plan, on: vehicle, from: sink, tell: { _ in }) {
            recording in
            var recording = recording
            start = recording.start
            further(recording)
            vehicle.scan.poll(setup.plan)
            var loop = PollLoop(
                vehicle, queue: nil, until: SystemClock.now() + duration, watch: watch,
                identity: VINQuery(vehicle, by: setup.profiles))
            if let lights {
                loop.codes = CodeWatch(vehicle, by: setup.profiles, lights) { [recording] in
                    recording.take($0)
                }
            }
            let end = try loop.run(
                vehicle: { recording.take($0) }, event: { recording.take($1, at: $0) },
                batch: { _ in })
            let limit = SystemClock.now() + .seconds(10)
            while readsCodes, early.count < 5, SystemClock.now() < limit {
                early = try store.codeHistory().filter(\.isPresent).map {
                    "\($0.kind.rawValue) \($0.code.text)"
                }
            }
            return end
        }
        var events: [TripEvent] = []
        var readings = 0
        var lists: [String] = []
        try store.readings(ofTrip: number).forEachRecord { _, record in
            switch record {
            case .event(let event): events.append(event)
            case .item(let item) where isPolled(item): readings += 1
            case .codeList(_, let kind, let codes): lists.append("\(kind.rawValue) \(codes)")
            default: break
            }
        }
        let offered = counting.batches.withLock { batches in
            batches.filter { $0.answered >= start }.flatMap(\.items)
                .count { isPolled($0) }
        }
        let report = try TripReport(
            store.readings(ofTrip: number), store, .metric, FuelProfile(), plotting: [],
            signalNamed: SignalNames.standardSignal)
        return Recorded(
            end: end, trip: try store.trip(number), events: events, readings: readings,
            offered: offered, page: String(decoding: report.page.bytes, as: UTF8.self),
            lists: lists, early: early)
    }

    /// Whether the item is an ECU's value.
    ///
    /// The adapter's voltage is stored with these values but offered separately.
    private func isPolled(_ item: DiagnosticItem) -> Bool {
        if case .reading(let reading) = item { reading.dataID != nil } else { false }
    }

    private static let fast = "latency=0ms&wait=1ms&search=0ms"

    @Test(arguments: [
        ("petrol", "5XXBD1GA8LX000042"), ("diesel", "WXXBD2DA8MX000077"),
        ("electric", "7XXBD4EA7PX000256"), ("hybrid", "JXXBD3HA2NX000123"),
        ("onuds", "5XXBD1GA9RX000043"), ("truck", "4XXBD5TA1NX000311"),
    ])
    func `a trip holds every reading and the VIN`(
        name: String, vin: String
    ) throws {
        let recorded = try record("\(name)?\(Self.fast)")
        #expect(recorded.end == .duration)
        #expect(recorded.trip.endReason == .duration)
        #expect(recorded.trip.vin == vin)
        #expect(recorded.readings > 0)
        #expect(recorded.readings == recorded.offered)
        #expect(recorded.page.contains(vin))
        #expect(recorded.page.contains(">Readings<"))
    }

    /// Damaged lines bring errors; the other readings are stored whole, and nothing else is.
    @Test(arguments: ["drop:0.002", "double:0.002", "reorder:0.05"])
    func `a trip over a bad link holds exactly the delivered readings`(fault: String) throws {
        var recorded = 0
        for seed in 1...3 {
            do {
                let trip = try record("petrol?faults=\(fault)&seed=\(seed)&\(Self.fast)")
                #expect(trip.readings == trip.offered)
                recorded += 1
            } catch VehicleError.session {
                // The set-up was hit.
            }
        }
        #expect(recorded > 0)
    }

    @Test func `a trip ends with its readings when the link stays lost`() throws {
        var lost = 0
        for seed in 1...8 {
            do {
                let trip = try record(
                    "petrol?faults=close:0.02&seed=\(seed)&\(Self.fast)", for: .seconds(2))
                #expect(trip.readings == trip.offered)
                guard case .failed(let error) = trip.end else { continue }
                switch error {
                case .linkLost, .accessory: lost += 1
                default: Issue.record("\(error)")
                }
                #expect(trip.trip.endReason != nil)
            } catch VehicleError.session {
                // The set-up was hit.
            }
        }
        #expect(lost > 0)
    }

    @Test func `a trip ends when all ECUs are silent`() throws {
        let recorded = try record(
            "petrol?\(Self.fast)", for: .seconds(20), every: .seconds(60),
            limits: TripEndRule.Limits(silence: .milliseconds(300), standstill: nil))
        guard case .vehicleOff(let end) = recorded.end else {
            Issue.record("it ended by \(recorded.end)")
            return
        }
        #expect(end.rule == .silence)
        #expect(recorded.trip.endReason == .vehicleOff)
    }

    /// The file of the vehicle has two stored codes, a pending and two permanent ones; its gearbox has none.
    @Test func `a trip has its vehicle's codes, and reading them loses no other reading`() throws {
        let recorded = try record("petrol?\(Self.fast)", readsCodes: true)
        #expect(recorded.readings > 0 && recorded.readings == recorded.offered)
        for list in ["stored 2", "stored 0", "pending 1", "permanent 2"] {
            #expect(recorded.lists.contains(list), "\(recorded.lists)")
        }
        // They were read a moment ago, so the end asks for none.
        #expect(recorded.lists.count { $0 == "stored 2" } == 1)
        #expect(
            recorded.early.sorted() == [
                "pending P0171", "permanent P0301", "permanent P0420", "stored P0301",
                "stored P0420",
            ])
    }

    @Test func `a trip counts its marks`() throws {
        let marks = Mutex<[Int]>([])
        _ = try record("petrol?\(Self.fast)", for: .milliseconds(100)) { recording in
            for _ in 0..<3 {
                if let mark = recording.mark() { marks.withLock { $0.append(mark.number) } }
            }
        }
        #expect(marks.withLock { $0 } == [1, 2, 3])
    }
}
