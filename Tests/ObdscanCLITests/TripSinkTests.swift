import Diagnostics
import OBDCore
import PIDTables
import ScanSession
import Synchronization
import SystemIO
import Testing
import TripRecorder
import TripStore
import VehicleLink
import VehicleScan

@testable import ObdscanCLI

/// The sink turns the results of exchanges into rows of a trip.
@Suite struct `The sink of a trip` {
    private static let ecu = ECUAddress(0x7E8, .can11)

    /// Readings of the engine speed at `seconds`.
    private func batch(_ table: PIDTable, seconds: Int, readings: Int = 1) throws -> ReadingBatch {
        let signal = try #require(try SignalNames(table).find("RPM").signal)
        let reading = DiagnosticItem.reading(
            Reading(
                ecu: Self.ecu, dataID: DataID(.currentData, 0x0C), signal: signal,
                value: .number(800), raw: [0x0C, 0x80], line: 0))
        return ReadingBatch(
            id: RequestID(rawValue: 1),
            exchange: Exchange(request: [0x01, 0x0C], vehicleProtocol: .can11At500),
            asked: .zero + .seconds(seconds), answered: .zero + .seconds(seconds),
            messages: [ECUMessage(ecu: Self.ecu, payload: [0x41, 0x0C, 0x0C, 0x80])],
            items: Array(repeating: reading, count: readings))
    }

    /// The rows of a trip as text.
    private func rows(_ store: TripStore, _ trip: Int64) throws -> [String] {
        var rows: [String] = []
        let readings = try store.readings(ofTrip: trip)
        try readings.forEachRecord { _, record in
            switch record {
            case .item(.reading(let reading)): rows.append(readings.table[reading.signal].id)
            case .event(let event): rows.append(event.kind.rawValue)
            default: rows.append("?")
            }
        }
        return rows
    }

    private func store(_ program: Program) throws -> TripStore {
        try TripStore(path: program.home.appendingPathComponent("t.db").path)
    }

    private func begin(
        _ store: TripStore, _ table: PIDTable, _ limits: TripWriter.Limits = .init()
    ) throws -> (TripSink, TripWriter) {
        let sink = try TripSink()
        let anchor = TimeAnchor(monotonic: .zero, utc: UTC(microseconds: 1_000_000_000))
        let trip = try store.startTrip(TripStart(anchor: anchor), table: table, limits: limits)
        sink.begin(trip, at: .zero, asked: nil)
        return (sink, trip)
    }

    @Test func `readings beside a fault are stored`() throws {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let (sink, trip) = try begin(store, table)
        var faulty = try batch(table, seconds: 1, readings: 2)
        faulty.statuses = [.bufferFull]
        faulty.linkErrors = [LinkError(.notAFrame)]
        faulty.strayTexts = ["FOO"]
        faulty.unasked = [ECUMessage(ecu: Self.ecu, payload: [0x41, 0x0D, 0x00])]
        faulty.failure = .timedOut
        faulty.voltage = 12.6
        #expect(sink.offer(faulty))
        #expect(try sink.offer(batch(table, seconds: 2)))
        try trip.end(.stopped, at: .zero + .seconds(3))
        #expect(
            try rows(store, trip.trip).sorted() == [
                "ADAPTER_VOLTAGE", "RPM", "RPM", "RPM", "adapterStatus", "linkError", "linkError",
                "linkError", "timeout",
            ])
        #expect(try store.trip(trip.trip).readings == 4)
    }

    /// The session offers a refused batch again when there is room.
    ///
    /// A refused batch must not count as stored.
    @Test func `a trip refuses readings if too many readings wait to be stored`() throws {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let (sink, trip) = try begin(
            store, table, TripWriter.Limits(commitEvery: .seconds(3600), waiting: 4))
        #expect(try sink.offer(batch(table, seconds: 1)))
        #expect(try !sink.offer(batch(table, seconds: 2, readings: 4)))
        try trip.flush()
        #expect(try sink.offer(batch(table, seconds: 2, readings: 4)))
        try trip.end(.stopped, at: .zero + .seconds(3))
        #expect(try store.trip(trip.trip).readings == 5)
        // The trip has ended, so no writer takes the batch.
        #expect(try !sink.offer(batch(table, seconds: 4)))
        sink.end()
        #expect(try sink.offer(batch(table, seconds: 4)))
    }

    /// A session that waits for room asks again, and its last answer is in the trip.
    @Test func `the end of a trip accepts the refused batch, and the session continues`() throws {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let (sink, trip) = try begin(
            store, table, TripWriter.Limits(commitEvery: .seconds(3600), waiting: 4))
        #expect(try sink.offer(batch(table, seconds: 1)))
        #expect(try !sink.offer(batch(table, seconds: 2, readings: 4)))
        sink.end()
        var waiting = WaitList()
        let space = waiting.add(try #require(sink.spaceDescriptor))
        waiting.add(deadline: SystemClock.now())
        waiting.wait()
        #expect(waiting.isReady(space))
        #expect(try sink.offer(batch(table, seconds: 2, readings: 4)))
        try trip.end(.stopped, at: .zero + .seconds(3))
        #expect(try store.trip(trip.trip).readings == 5)
        #expect(try sink.offer(batch(table, seconds: 4)))
    }

    /// A trip that has ended never has room again, so that a batch must not wait for it.
    @Test func `a batch that is offered during the end of a trip is never refused`() throws {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let batch = try batch(table, seconds: 1)
        let sink = try TripSink()
        let stop = try EventDescriptor()
        let refusals = Mutex(0)
        let offering = try SystemThread {
            var waiting = WaitList()
            repeat {
                if !sink.offer(batch) { refusals.withLock { $0 += 1 } }
                waiting = WaitList()
                _ = waiting.add(stop.descriptor)
                waiting.add(deadline: .zero)
                waiting.wait()
            } while !waiting.isReady(0)
        }
        defer {
            stop.signal()
            offering.join()
        }
        for _ in 0..<5 {
            let anchor = TimeAnchor(monotonic: .zero, utc: UTC(microseconds: 1_000_000_000))
            let trip = try store.startTrip(
                TripStart(anchor: anchor), table: table, limits: .init(waiting: 1_000_000))
            sink.begin(trip, at: .zero, asked: nil)
            sink.end()
            try trip.end(.stopped, at: .zero + .seconds(2))
        }
        #expect(refusals.withLock { $0 } == 0)
    }

    private static let gap = TripEvent(.gap, text: "")

    /// A sink whose vehicle is in doubt since second 2; a position arrives without a link, an answer after that.
    private func doubting(
        _ store: TripStore, _ table: PIDTable, _ limits: TripWriter.Limits = .init()
    ) throws -> (TripSink, TripWriter, VehicleDoubt) {
        let (sink, trip) = try begin(store, table, limits)
        let doubt = VehicleDoubt()
        sink.begin(trip, at: .zero, asked: nil, hiding: nil, while: doubt)
        #expect(try sink.offer(batch(table, seconds: 1)))
        doubt.begin(at: .zero + .seconds(2))
        // The loss itself is the old trip's.
        #expect(sink.take(.event(.init(.linkLost, text: "")), at: .zero + .seconds(2)))
        let position = try #require(Position(latitude: 48, longitude: 11))
        #expect(sink.take(.position(position), at: .zero + .seconds(3)))
        doubt.linkIsBack()
        #expect(sink.take(.event(.init(.reconnected, text: "")), at: .zero + .seconds(4)))
        #expect(try sink.offer(batch(table, seconds: 4)))
        return (sink, trip, doubt)
    }

    /// Whether the vehicle was the same, another one, or never known; and the rows of the trip.
    @Test(
        arguments: [
            (true, ["RPM", "linkLost", "?", "reconnected", "RPM", "RPM"]),
            (false, ["RPM", "linkLost"]),
            // A place without a link is not the answer of another vehicle.
            (nil, ["RPM", "linkLost", "?"]),
        ] as [(Bool?, [String])])
    func `readings after a lost link belong to the vehicle that is found`(
        isSame: Bool?, expected: [String]
    ) throws {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let (sink, trip, doubt) = try doubting(store, table)
        switch isSame {
        case true?:
            doubt.end()
            #expect(try sink.offer(batch(table, seconds: 5)))
        case false?: doubt.meetsOther()
        case nil: break
        }
        sink.end()
        try trip.end(.stopped, at: .zero + .seconds(6))
        #expect(try rows(store, trip.trip) == expected)
    }

    /// The first doubt is over, and nothing arrives before the second loss, after which the vehicle is another one.
    @Test func `readings of a vehicle are kept although another vehicle is found later`() throws {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let (sink, trip, doubt) = try doubting(store, table)
        doubt.end()
        doubt.begin(at: .zero + .seconds(5))
        #expect(sink.take(.event(Self.gap), at: .zero + .seconds(6)))
        doubt.meetsOther()
        sink.end()
        try trip.end(.linkLost, at: .zero + .seconds(5))
        #expect(
            try rows(store, trip.trip) == ["RPM", "linkLost", "?", "reconnected", "RPM"])
    }

    @Test func `all readings that waited for the vehicle are stored, however full the queue is`()
        throws
    {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let (sink, trip, doubt) = try doubting(store, table, .init(waiting: 4))
        for seconds in 5..<25 { #expect(try sink.offer(batch(table, seconds: seconds))) }
        doubt.end()
        sink.end()
        try trip.end(.stopped, at: .zero + .seconds(30))
        #expect(try store.trip(trip.trip).readings == 22)
    }

    /// `private = "on"` on a truck that tells where it is; its first value may arrive before the trip.
    @Test(arguments: [false, true])
    func `a private position of the vehicle is not stored`(isEarly: Bool) throws {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let trip = try begin(store, table).1
        let sink = try TripSink(keepsFirst: isEarly)
        var privacy = PositionPrivacy()
        privacy.isAlways = true
        let positions = VehiclePositions(privacy, table)
        if !isEarly { sink.begin(trip, at: .zero, asked: nil, hiding: positions, while: nil) }
        var batch = try batch(table, seconds: 1)
        let place = try #require(try SignalNames(table).find("SPN584").signal)
        batch.items.append(
            .reading(
                Reading(
                    ecu: Self.ecu, dataID: nil, signal: place, value: .number(48), raw: [1],
                    line: 0)))
        #expect(sink.offer(batch))
        if isEarly { sink.begin(trip, at: .zero, asked: nil, hiding: positions, while: nil) }
        try trip.end(.stopped, at: .zero + .seconds(3))
        #expect(try rows(store, trip.trip) == ["RPM"])
    }

    @Test func `answers to requests from before the trip are not stored`() throws {
        let program = try Program()
        defer { program.remove() }
        let (store, table) = (try store(program), try PIDTables.standard())
        let (sink, trip) = try begin(store, table)
        sink.begin(trip, at: .zero + .seconds(10), asked: nil)
        for seconds in [9, 10, 11] { #expect(try sink.offer(batch(table, seconds: seconds))) }
        try trip.end(.stopped, at: .zero + .seconds(12))
        #expect(try store.trip(trip.trip).readings == 2)
    }

    /// The database stores why a recording ended, and its last moment.
    @Test(
        arguments: [
            (.stopped, .stopped), (.duration, .duration), (.finished, .duration),
            (.failed(.adapterSilent), .failed),
            (.failed(.linkLost(.lost(address: "adapter", errno: 5))), .linkLost),
        ] as [(PollLoop.End, EndReason)])
    func `the reason of a trip's end is that of its recording`(
        end: PollLoop.End, reason: EndReason
    ) throws {
        let program = try Program()
        defer { program.remove() }
        let store = try store(program)
        try TableVehicle.run([:]) { vehicle in
            let (_, trip) = try TripRecording.run(
                TripRecording.Plan(store: store), on: vehicle.connection, from: try TripSink(),
                tell: { _ in }
            ) { _ in end }
            #expect(try store.trip(trip).endReason == reason)
        }
    }

    @Test func `a drive that ended ends its trip, and a recording that cannot continue fails`()
        throws
    {
        let program = try Program()
        defer { program.remove() }
        let store = try store(program)
        try TableVehicle.run([:]) { vehicle in
            let plan = TripRecording.Plan(store: store)
            let table = vehicle.connection.table
            let (_, trip) = try TripRecording.run(
                plan, on: vehicle.connection, from: try TripSink(), tell: { _ in }
            ) { recording in
                // The last answer came seven seconds after the start.
                let watch = TripEndDetector(
                    TripEndRule.Limits(silence: .seconds(60)), table: table,
                    start: recording.start)
                var last = try batch(table, seconds: 0)
                last.answered = recording.start + .seconds(7)
                _ = watch.offer(last)
                return .vehicleOff(
                    try #require(watch.end(by: recording.start + .seconds(100))))
            }
            let drive = try store.trip(trip)
            #expect(drive.endReason == .vehicleOff && drive.seconds == 7)
            for (error, reason) in [
                (OutputError.readerGone, EndReason.stopped), (.failed(errno: 28), .failed),
            ] {
                var number: Int64 = 0
                #expect(throws: error) {
                    _ = try TripRecording.run(
                        plan, on: vehicle.connection, from: try TripSink(), tell: { _ in }
                    ) { recording in
                        number = recording.number
                        throw error
                    }
                }
                #expect(try store.trip(number).endReason == reason)
            }
        }
    }

    /// Counts the values that a session gets.
    private final class Values: ReadingSink {
        let count = Mutex(0)
        var spaceDescriptor: Int32? { nil }
        func offer(_ batch: ReadingBatch) -> Bool {
            let values = batch.items.count { if case .reading = $0 { true } else { false } }
            count.withLock { $0 += values }
            return true
        }
    }

    /// The vehicle is off between two drives, and the answer that shows the second one is its first.
    @Test func `each drive of a session is a trip, and no answer is lost between them`() throws {
        let program = try Program()
        defer { program.remove() }
        let (store, sink, values) = (try store(program), try TripSink(), Values())
        let (on, off) = ("7E8 04 41 0C 1A F8", "NO DATA")
        let answers = [on, on, on] + Array(repeating: off, count: 30) + [on, on, on, on, off]
        try TableVehicle.run(
            ["010C": answers, "ATRV": ["12.3V"]], sinks: [sink, values]
        ) { vehicle in
            let connection = vehicle.connection
            let rpm = DataID(.currentData, 0x0C)
            var limits = BatteryGuard.Limits()
            (limits.silence, limits.voltagePeriod) = (.milliseconds(10), .milliseconds(50))
            (limits.firstPause, limits.longestPause) = (.milliseconds(50), .milliseconds(50))
            var plan = PollPlan(wants: [.init(rpm, length: 2, period: .milliseconds(100))])
            let signal = try #require(try SignalNames(connection.table).find("RPM").signal)
            plan.protectBattery(
                by: BatteryGuard(limits: limits),
                PollPlan.Motion(engineSpeed: [signal], wants: [.init(rpm, length: 2)]))
            var loop = PollLoop(
                connection, queue: nil, until: SystemClock.now() + .seconds(120))
            var trips: [Int64] = []
            while trips.count < 2 {
                let (end, trip) = try TripRecording.run(
                    TripRecording.Plan(store: store), on: connection, from: sink, tell: { _ in }
                ) { _ in
                    if trips.isEmpty { connection.scan.poll(plan) }
                    loop.border = .end(lost: .seconds(60), silent: .seconds(60))
                    return try loop.run(event: { _, _ in }, batch: { _ in })
                }
                guard case .vehicleRests(let rest) = end else {
                    Issue.record("the drive ended with \(end)")
                    return
                }
                #expect(rest.cause == .silence && rest.lastAnswer.map { $0 < rest.since } == true)
                trips.append(trip)
                if trips.count == 2 { break }
                sink.awaitTrip()
                loop.border = .beginning
                let next = try loop.run(event: { _, _ in }, batch: { _ in })
                guard case .vehicleIsOn(let time, afterLoss: false) = next else {
                    Issue.record("the pause ended with \(next)")
                    return
                }
                sink.dropEarly(before: time + (.zero - .seconds(1)))
            }
            let stored = try trips.map { try store.trip($0) }
            #expect(stored.allSatisfy { $0.endReason == .vehicleOff })
            // Among the rows is the voltage that the guard reads.
            let speeds = try trips.map { try rows(store, $0).count { $0 == "RPM" } }
            #expect(speeds == [3, 4])
            #expect(values.count.withLock { $0 } == 7)
        }
    }

    /// A poll ends if its link is lost for good.
    ///
    /// The exchange must not look like a complete poll.
    @Test func `a recording has the reason for the end of polling`() throws {
        for (answers, end) in [
            (["7E8 04 41 0C 1A F8"], PollLoop.End.finished),
            (
                ["7E8 04 41 0C 1A F8", TableAdapter.hangUp],
                .failed(.linkLost(.lost(address: "adapter", errno: 0)))
            ),
        ] {
            let queue = try BatchQueue(full: .refuse)
            try TableVehicle.run(["010C": answers], sinks: [queue]) { vehicle in
                vehicle.connection.scan.poll(
                    PollPlan(wants: [.init(DataID(.currentData, 0x0C), length: 2)], rounds: 2))
                var loop = PollLoop(
                    vehicle.connection, queue: queue, until: SystemClock.now() + .seconds(20))
                var batches: [ReadingBatch] = []
                let found = try loop.run(event: { _, _ in }, batch: { batches.append($0) })
                #expect(found == end)
                // The last readings count even if they were still in the queue at the end.
                let readings = batches.flatMap(\.items).count { item in
                    guard case .reading(let reading) = item else { return false }
                    return reading.dataID == DataID(.currentData, 0x0C)
                }
                #expect(readings == (end == .finished ? 2 : 1))
            }
        }
    }

    /// An exchange without an answer is not a sign of life.
    @Test func `a drive is over after long enough without an answer`() throws {
        let table = try PIDTables.standard()
        let watch = TripEndDetector(
            TripEndRule.Limits(silence: .seconds(60)), table: table, start: .zero)
        #expect(try watch.offer(batch(table, seconds: 30)))
        for seconds in stride(from: 31, to: 100, by: 1) {
            var silent = try batch(table, seconds: seconds)
            (silent.messages, silent.items) = ([], [])
            #expect(watch.offer(silent))
        }
        #expect(watch.end(by: .zero + .seconds(89)) == nil)
        #expect(watch.end(by: .zero + .seconds(91))?.instant == .zero + .seconds(30))
        #expect(try watch.offer(batch(table, seconds: 95)))
        #expect(watch.end(by: .zero + .seconds(100)) == nil)
    }
}
