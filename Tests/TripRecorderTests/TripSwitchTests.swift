import Accessory
import Diagnostics
import Dispatch
import Glibc
import LocalLinks
import OBDCore
import PIDTables
import ScanSession
import Synchronization
import SystemIO
import Testing
import TripStore
import VehicleScan

@testable import TripRecorder

/// Begins and ends trips while a session runs.
@Suite struct `A switch for trips` {
    private struct Unreadable: Error {}

    /// A folder for a database, and the switch over it.
    private final class Place {
        let folder: String
        var path: String { folder + "/t.db" }

        init() throws {
            var template = Array("/tmp/obdscan-switch-XXXXXX".utf8CString)
            folder = String(cString: try #require(mkdtemp(&template)))
        }

        deinit {
            for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
            rmdir(folder)
        }

        func trips() throws -> [TripSummary] {
            guard access(path, F_OK) == 0 else { return [] }
            return try TripStore(path: path, access: .readOnly).trips()
        }

        func make(
            isOn: Bool, lights: LightChanges? = nil, fault: Fault? = nil,
            commitEvery: Duration = .milliseconds(20),
            tell: @escaping @Sendable (TripWriter.Notice) -> Void = { _ in }
        ) throws -> TripSwitch {
            try TripSwitch(
                isOn: isOn, lights: lights, marks: try MarkSignals(),
                plan: { [path] in
                    if fault?.isThere.withLock({ $0 }) == true { throw Unreadable() }
                    var plan = TripRecording.Plan(store: try TripStore(path: path))
                    plan.limits.commitEvery = commitEvery
                    return plan
                }, tell: tell, marked: { _ in })
        }
    }

    /// A fault of the database that passes.
    private final class Fault: Sendable { let isThere = Mutex(true) }

    /// Runs a session of a simulated vehicle; `body` is called with each batch until it returns true.
    private func session(
        _ trips: TripSwitch, _ lights: LightChanges? = nil,
        refused: (any Error) throws -> Void = { throw $0 },
        body: @escaping (Int, VIN?) throws -> Bool
    ) throws -> TripSwitch.Ended? {
        let queue = try BatchQueue(full: .dropOldest)
        let table = try PIDTables.standard()
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address("sim:petrol?latency=0ms&wait=1ms&search=0ms"),
            table: table, monitors: PIDTables.monitorTables(), sinks: trips.sinks + [queue])
        defer { vehicle.close() }
        let setup = try PollSetup.make([], [], vehicle, every: nil) { _ in }
        return try trips.session(on: vehicle, refused: refused) {
            let done = try EventDescriptor()
            vehicle.scan.poll(setup.plan)
            var loop = PollLoop(
                vehicle, queue: queue, until: SystemClock.now() + .seconds(20),
                identity: VINQuery(vehicle, by: setup.profiles))
            loop.codes = trips.codes(vehicle, by: setup.profiles)
            var (count, vin): (Int, VIN?) = (0, nil)
            let isOver = Flag()
            loop.others.append((done.descriptor, { done.take() }))
            return try loop.run(
                vehicle: {
                    vin = $0
                    trips.take($0)
                }, event: { trips.take($1, at: $0) }
            ) { _ in
                count += 1
                guard !isOver.value, try body(count, vin) else { return }
                isOver.value = true
                vehicle.scan.stop()
            }
        }.trip
    }

    private final class Flag { var value = false }

    /// The adapter may be in another vehicle after a lost link.
    @Test func `a trip that begins while the vehicle is unknown waits until the vehicle is known`()
        throws
    {
        let place = try Place()
        let trips = try place.make(isOn: false)
        let vehicle = try Vehicle.open(
            TransportRegistry.all.address("sim:petrol?latency=0ms&wait=1ms&search=0ms"),
            table: try PIDTables.standard(), monitors: PIDTables.monitorTables(),
            sinks: trips.sinks)
        defer { vehicle.close() }
        let (_, last) = try trips.session(on: vehicle) {
            vehicle.doubt.begin(at: SystemClock.now())
            try trips.begin()
            #expect(!trips.isRecording)
            #expect(try !trips.tryAgain() && !trips.isRecording)
            vehicle.doubt.end()
            #expect(try trips.tryAgain() && trips.isRecording)
            #expect(try !trips.tryAgain())
            return .stopped
        }
        #expect(last?.number == 1)
        #expect(try place.trips().count == 1)
    }

    @Test func `a trip begins and ends in the middle of a session`() throws {
        let place = try Place()
        let trips = try place.make(isOn: false)
        var numbers: [Int64] = []
        let last = try session(trips) { count, vin in
            // The vehicle is known before the first trip begins.
            guard vin != nil else { return false }
            switch numbers.count {
            case 0 where !trips.isRecording:
                #expect(trips.progress == nil && trips.mark() == nil)
                #expect(try place.trips().isEmpty)
                try trips.begin()
                // A second time changes nothing.
                try trips.begin()
                #expect(trips.progress?.trip == 1)
            case 0 where trips.progress?.readings ?? 0 > 40:
                #expect(trips.mark()?.number == 1)
                let ended = try #require(try trips.end())
                #expect(ended.number == 1 && ended.path == place.path)
                #expect(ended.trip?.vin == "5XXBD1GA8LX000042")
                #expect(ended.trip?.endReason == .stopped && ended.trip?.readings ?? 0 > 40)
                #expect(try trips.end() == nil && trips.progress == nil)
                numbers.append(ended.number)
            case 1 where !trips.isRecording: try trips.begin()
            case 1: return trips.progress?.readings ?? 0 > 40
            default: break
            }
            return false
        }
        #expect(last?.number == 2 && last?.trip?.vin == "5XXBD1GA8LX000042")
        let stored = try place.trips()
        #expect(stored.map(\.id) == [1, 2] && stored.allSatisfy { $0.endReason != nil })
        #expect(stored[0].end <= stored[1].start)
        // The switch is still on: the next session is a trip of its own.
        #expect(trips.progress == .init())
        let next = try session(trips) { count, _ in count > 20 }
        #expect(next?.number == 3)
    }

    @Test func `a trip switch that is on waits for a session`() throws {
        let place = try Place()
        let trips = try place.make(isOn: false)
        try trips.begin()
        #expect(trips.progress == .init() && trips.start == nil)
        let ended = try session(trips) { count, _ in count > 20 }
        #expect(ended?.number == 1 && ended?.trip?.endReason == .failed)
        #expect(try trips.end() == nil && trips.progress == nil)
        #expect(try session(trips) { count, _ in count > 20 } == nil)
        #expect(try place.trips().count == 1)
    }

    @Test func `a trip ends with an error of its session`() throws {
        let place = try Place()
        let trips = try place.make(isOn: true)
        #expect(throws: Unreadable.self) {
            try session(trips) { count, _ in
                if count > 20 { throw Unreadable() }
                return false
            }
        }
        #expect(try place.trips().map(\.endReason) == [.failed])
        #expect(!trips.isRecording)
    }

    @Test func `a database that cannot be opened does not end the session`() throws {
        let place = try Place()
        for isOn in [true, false] {
            let trips = try place.make(isOn: isOn, fault: Fault())
            var refusals = 0
            let ended = try session(trips, refused: { _ in refusals += 1 }) { count, _ in
                #expect(throws: Unreadable.self) { try trips.begin() }
                // What the user asked for before is still wanted, and nothing else.
                #expect(trips.progress == (isOn ? .init() : nil))
                return count > 20
            }
            #expect(ended == nil && refusals == (isOn ? 1 : 0))
        }
        #expect(try place.trips().isEmpty)
    }

    @Test func `a trip that could not begin with its session begins later in the session`() throws {
        let place = try Place()
        let fault = Fault()
        let trips = try place.make(isOn: true, fault: fault)
        var count = 0
        let ended = try session(trips, refused: { _ in }) { (_, _) throws in
            count += 1
            let later = SystemClock.now() + TripSwitch.retryPause
            if count == 5 {
                #expect(try !trips.tryAgain())
                #expect(throws: Unreadable.self) { try trips.tryAgain(at: later) }
                fault.isThere.withLock { $0 = false }
                #expect(try !trips.tryAgain())
                #expect(try trips.tryAgain(at: later + TripSwitch.retryPause))
                #expect(trips.progress?.trip == 1)
                #expect(try !trips.tryAgain(at: later + TripSwitch.retryPause * 2))
            }
            return count > 5 && trips.progress?.readings ?? 0 > 20
        }
        #expect(ended?.number == 1)
    }

    @Test
    func `a trip that could not begin starts with the next session, unless the user ended it`()
        throws
    {
        let place = try Place()
        let fault = Fault()
        let trips = try place.make(isOn: true, fault: fault)
        #expect(try session(trips, refused: { _ in }) { count, _ in count > 5 } == nil)
        fault.isThere.withLock { $0 = false }
        #expect(try session(trips) { count, _ in count > 20 }?.number == 1)
        fault.isThere.withLock { $0 = true }
        _ = try session(trips, refused: { _ in }) { (count, _) throws in
            let later = SystemClock.now() + TripSwitch.retryPause * 2
            if count == 5 {
                #expect(try trips.end() == nil)
                #expect(try !trips.tryAgain(at: later) && trips.progress == nil)
            }
            return count > 20
        }
        #expect(try place.trips().count == 1)
    }

    /// The thread that stores a trip tells its news to a board; another thread that shows the progress on this
    /// board may have it at that moment.
    @Test func `the progress of a trip can be read while its end waits for the writer`() throws {
        let place = try Place()
        let known = Mutex<TripSwitch?>(nil)
        let reads = Mutex<[Bool]>([])
        let trips = try place.make(isOn: true, commitEvery: .seconds(3600)) { _ in
            guard let trips = known.withLock({ $0 }) else { return }
            let done = DispatchSemaphore(value: 0)
            guard
                let reader = try? SystemThread({
                    _ = (trips.progress, trips.isRecording, trips.start)
                    done.signal()
                })
            else { return }
            reader.detach()
            let isRead = done.wait(timeout: .now() + 10) == .success
            reads.withLock { $0.append(isRead) }
        }
        known.withLock { $0 = trips }
        defer { known.withLock { $0 = nil } }
        _ = try session(trips) { (count, _) throws in
            guard count > 20 else { return false }
            // The last commit finds out that the files are gone, and tells it.
            for ending in ["", "-wal", "-shm"] { unlink(place.path + ending) }
            #expect(try trips.end()?.trip?.readings ?? 0 > 20)
            return true
        }
        #expect(reads.withLock { $0 } == [true])
        #expect(try place.trips().map(\.endReason) == [.stopped])
    }

    /// The codes that `log` reads at its start are read when a trip begins, and not without a trip.
    @Test func `each trip gets the codes that were read at its beginning`() throws {
        let place = try Place()
        let lights = try LightChanges(try PIDTables.standard())
        let trips = try place.make(isOn: false, lights: lights)
        let hasCodes = {
            try TripStore(path: place.path, access: .readOnly).codeHistory().isEmpty == false
        }
        _ = try session(trips) { count, _ in
            if count < 60 { return false }
            if count == 60 { try trips.begin() }
            return try hasCodes() || count > 20_000
        }
        #expect(try hasCodes())
    }
}
