import Diagnostics
import Foundation
import OBDCore
import Synchronization
import SystemIO
import TestSupport

@testable import Engines
@testable import TripStore

/// A contradiction between what a logger keeps or delivers and the truth.
struct MonthFault: Error, CustomStringConvertible {
    var description: String
}

private let second: Int64 = 1_000_000
private let minute = 60 * second
private let hour = 60 * minute
private let day = 24 * hour

/// A logger in a car for a month, with the truth about everything that it records.
final class Pi {
    /// What happened.
    struct Counts {
        var drives = 0, records = 0, promised = 0, boots = 0, steps = 0, kills = 0, cuts = 0
        var full = 0, refused = 0, lost = 0, held = 0, deleted = 0, delivered = 0, repeated = 0
        var dropped = 0

        static func += (sum: inout Counts, more: Counts) {
            for field in fields { sum[keyPath: field.path] += more[keyPath: field.path] }
        }

        static var fields: [(name: String, path: WritableKeyPath<Counts, Int>)] {
            [
                ("drives", \.drives), ("records", \.records), ("of them promised", \.promised),
                ("boots", \.boots), ("clock steps", \.steps), ("kills", \.kills),
                ("power cuts", \.cuts), ("failed commits", \.full), ("refused starts", \.refused),
                ("records lost by cuts and kills", \.lost),
                ("drives held back", \.held), ("drives deleted", \.deleted),
                ("lines delivered", \.delivered), ("repeated", \.repeated),
                ("dropped with another vehicle", \.dropped),
            ]
        }
    }

    private static let sink = "broker"
    private static let rpm = DataID(.currentData, 0x0C)
    private static let table: PIDTable = {
        var table = PIDTable()
        let signal = Signal(
            id: "RPM", name: "Engine speed", bitOffset: 0, bitLength: 16, kind: .number, unit: "rpm"
        )
        table.add(rpm, name: signal.name, length: 1...20, signals: [signal])
        return table
    }()

    private(set) var counts = Counts()
    private var random: SeededGenerator
    private let folder: String
    private var database: String { folder + "/obdscan.db" }
    private let limits: TripStore.Limits
    private let commitEvery: Duration
    private let keep: Int64
    private let keepFree: Int64
    private let capacity: Int64
    private let machine: Machine
    private var selection = SinkSelection()

    private var broker = Broker()
    private var publisher: Publisher?
    /// The file of cursors as it is after a power cut.
    private var safeCursors: [String: Data] = [:]
    /// The wall clock that the next boot continues from.
    private var saved: Int64
    /// The true time of each record.
    private var truth: [Broker.Thing: Int64] = [:]
    private var next = 1
    /// The records of each trip that are known to be stored.
    private var stored: [Int64: [Broker.Thing]] = [:]
    private var deleted: Set<Int64> = []
    /// The records of a time in which the adapter may have been in another vehicle.
    private var dropped: Set<Broker.Thing> = []
    private var recording: Recording?

    init(seed: UInt64, folder: String) throws {
        random = SeededGenerator(seed: seed)
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let start = 1_795_248_902 * second
        machine = Machine(at: start, drift: Int64.random(in: -10...10, using: &random))
        saved = start - Int64.random(in: 0...20 * day, using: &random)
        commitEvery =
            [.seconds(1), .seconds(20), .seconds(60), .seconds(600)]
            .randomElement(using: &random) ?? .seconds(1)
        keep = Int64.random(in: 4...20, using: &random) * day
        // The schema alone has 70 pages.
        let pages = random.once(in: 3) ? 10_000 : Int64.random(in: 90...160, using: &random)
        capacity = pages * 4096
        keepFree = Int64.random(in: 6...20, using: &random) * 4096
        var limits = TripStore.Limits(size: Int(capacity), patience: .seconds(10), isFast: true)
        limits.memory = folder + "/memory"
        try FileManager.default.createDirectory(
            atPath: limits.memory, withIntermediateDirectories: true)
        self.limits = limits
        selection.hasPosition = true
        selection.hasText = true
        if random.once(in: 2) { selection.id = "pi" }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }
    private func span(_ range: ClosedRange<Int64>) -> Int64 {
        Int64.random(in: range, using: &random)
    }

    private func require(_ holds: Bool, _ words: @autoclosure () -> String) throws {
        if holds { return }
        throw MonthFault(description: words())
    }

    // MARK: A month

    func run(days: Int) throws {
        let end = machine.now + Int64(days) * day
        var awayUntil: Int64 = 0
        while machine.now < end {
            if machine.now > awayUntil, chance(10) { awayUntil = machine.now + span(0...6) * day }
            broker.isAway = machine.now < awayUntil
            try boot()
            machine.wait(span(30 * minute...14 * hour))
        }
        try settleEverything()
    }

    /// From the start of the engine, and of the machine, to the end of the power.
    private func boot() throws {
        counts.boots += 1
        // Rarely the clock is anywhere.
        machine.start(showing: chance(8) ? machine.now + span(-9 * day...9 * day) : saved)
        machine.wait(span(10...40) * second)
        publisher = try startPublisher()
        let atHome = chance(40)
        if atHome, chance(60) { synchronise() }
        do {
            for _ in 0..<(chance(25) ? 2 : 1) {
                try session()
                if chance(15) { machine.wait(span(10 * minute...9 * hour)) }
                if chance(5) { machine.loseNetwork() }
            }
            machine.wait(span(5...600) * second)
            // Home again.
            if chance(55) {
                synchronise()
                try publish()
            }
            if chance(30) { throw PowerCut() }
            saved = machine.wall
            publisher = nil
            if chance(50) { try keepCursors() }
        } catch is PowerCut {
            try cutPower()
        }
    }

    private struct PowerCut: Error {}
    private struct Kill: Error {}

    private func synchronise() {
        if !machine.isSet { counts.steps += 1 }
        machine.synchronise(error: span(-20_000...20_000))
    }

    /// At the end, the network and the broker are there for a while.
    private func settleEverything() throws {
        machine.start(showing: saved)
        machine.wait(30 * second)
        synchronise()
        broker.isAway = false
        isAtEnd = true
        publisher = try startPublisher()
        for _ in 0..<3 {
            machine.wait(minute)
            if let store = try openStore() {
                try keepRoom(store, ages: true)
                store.closeFile()
            }
            try publish()
        }
        try checkDeliveries()
    }

    // MARK: Recording

    /// A process of `log`.
    private func session() throws {
        let start = TimeAnchor(monotonic: machine.instant, utc: UTC(microseconds: machine.wall))
        guard let store = try openStore() else { return }
        // The adapter is awaited.
        if chance(30) {
            machine.wait(span(1...900) * second)
            if chance(30) { synchronise() }
        }
        defer { store.closeFile() }
        do {
            for _ in 0..<(chance(20) ? 2 : 1) {
                try drive(store, start)
                machine.wait(span(1...300) * second)
            }
        } catch is Kill {
            counts.kills += 1
            try bury(losesMemory: false)
            // systemd starts it again.
            machine.wait(span(1...30) * second)
            if chance(70) { try session() }
        }
    }

    /// A recording without its thread.
    private struct Recording {
        var trip: Int64
        var anchor: TimeAnchor
        var steps: WriterSteps
        var transactions: TripTransactions
        let queue: Box
        /// The records with the times when they were offered.
        var offered: [(thing: Broker.Thing, at: Instant)] = []
        /// Since when the disk refuses.
        var failing: Instant?
        var hasEnded = false

        final class Box {
            let queue: Mutex<WriteQueue>
            init(_ limits: TripWriter.Limits) { queue = Mutex(WriteQueue(limits: limits)) }
        }
    }

    private func drive(_ store: TripStore, _ session: TimeAnchor) throws {
        let vin = VIN("1HGCM82633A004352")
        let isLate = chance(20)
        let anchor = TimeAnchor(monotonic: machine.instant, utc: session.utc(at: machine.instant))
        let begun: (trip: Int64, anchor: TimeAnchor, clock: TripClock?)
        var writing = TripWriter.Limits()
        writing.commitEvery = commitEvery
        writing.copies = commitEvery > .seconds(1)
        do {
            begun = try store.insertTrip(
                TripStart(purpose: .log, anchor: anchor, vin: isLate ? nil : vin))
            recording = Recording(
                trip: begun.trip, anchor: begun.anchor, steps: WriterSteps(writing),
                transactions: try TripTransactions(
                    of: store,
                    RowWriter(
                        trip: begun.trip, anchor: begun.anchor, clock: begun.clock,
                        table: Self.table), copies: writing.copies),
                queue: Recording.Box(writing))
        } catch let error as StoreError where error.isFullDisk {
            counts.refused += 1
            return
        }
        counts.drives += 1
        stored[begun.trip] = []
        let pause = [second / 5, second, 10 * second, 45 * second].randomElement(using: &random)
        let length = Int(span(5...45))
        let network = chance(12) ? Int(span(0...Int64(length))) : -1
        let end = chance(25) ? Int(span(0...Int64(length))) : -1
        let hasNumbers = !chance(10)
        let hasPositions = chance(30) || !hasNumbers
        var lostUntil = 0
        var held: [Broker.Thing] = []
        for number in 0..<length {
            try advance(store, by: span((pause ?? second) / 2...(pause ?? second)))
            if number == network {
                synchronise()
                if chance(50) { try publish() }
            }
            if number == 3, isLate, let vin { try offer(.vehicle(vin), nil, store) }
            if lostUntil > number {
                // The link is lost, and the receiver goes on.
                if let position = try position() {
                    held.append(position.1)
                    try offer(.held(position.0), position.1, store)
                }
                if number == end { throw chance(50) ? PowerCut() as any Error : Kill() }
                continue
            } else if !held.isEmpty {
                if chance(40) { return try meetOther(store, held) }
                try offer(.settleHeld(keeps: true), nil, store)
                held = []
            }
            if hasPositions, chance(4) { lostUntil = number + Int(span(1...15)) }
            if hasNumbers { try offer(reading(), store) }
            if hasPositions, let position = try position() { try offer(position, store) }
            if chance(2) { try offer(try code(), store) }
            if chance(3) { try keepRoom(store, ages: false) }
            if chance(3) { try publish() }
            if number == end {
                if chance(50) { throw PowerCut() }
                // Between a commit and the removal of the copy.
                if chance(30) { try commitBeforeKill(store) }
                throw Kill()
            }
        }
        try endDrive(store)
        try forgetRecording()
    }

    private func endDrive(_ store: TripStore) throws {
        let queue = try unwrap(recording).queue
        _ = queue.queue.withLock { $0.requestEnd(.stopped, at: machine.instant) }
        try step(store)
        if try unwrap(recording).failing != nil { throw Kill() }
    }

    /// The adapter is in another vehicle since the link was lost: what happened without a link is no one's.
    private func meetOther(_ store: TripStore, _ held: [Broker.Thing]) throws {
        try offer(.settleHeld(keeps: false), nil, store)
        try endDrive(store)
        recording?.offered.removeAll { held.contains($0.thing) }
        counts.records -= held.count
        counts.dropped += held.count
        dropped.formUnion(held)
        try forgetRecording()
    }

    private func unwrap<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw MonthFault(description: "there is no recording") }
        return value
    }

    // MARK: Records

    private func reading() -> (TripEntry, Broker.Thing) {
        let value = reading(of: next)
        defer { next += 1 }
        return (.items([.reading(value)]), .record(next))
    }

    private func reading(of number: Int) -> Reading {
        TestSupport.reading(
            .number(Double(number)), Self.rpm, signal: 0, ecu: ECUAddress(0x7E8, .can11),
            raw: [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)])
    }

    private func position() throws -> (TripEntry, Broker.Thing)? {
        guard var position = Position(latitude: Double(next) / 100_000, longitude: 8) else {
            throw MonthFault(description: "too many records")
        }
        if gpsHasTime {
            position.fixTime = UTC(microseconds: machine.now - span(100_000...600_000))
        }
        defer { next += 1 }
        return (.position(position), .record(next))
    }

    /// One logger in four has a receiver that says the time.
    private lazy var gpsHasTime = chance(25)

    private func code() throws -> (TripEntry, Broker.Thing) {
        let digits = String(codes, radix: 16, uppercase: true)
        let text = "P" + String(repeating: "0", count: 4 - digits.count) + digits
        codes += 1
        guard let code = DTC(text) else { throw MonthFault(description: text) }
        let report = CodeReport(
            ecu: ECUAddress(0x7E8, .can11), kind: .stored, code: .dtc(code), line: 0)
        return (.items([.code(report)]), .code(text))
    }

    private var codes = 1
    /// Whether nothing disturbs the delivery any more.
    private var isAtEnd = false

    // MARK: The writer

    private func offer(_ record: (TripEntry, Broker.Thing), _ store: TripStore) throws {
        try offer(record.0, record.1, store)
    }

    private func offer(_ entry: TripEntry, _ thing: Broker.Thing?, _ store: TripStore) throws {
        let (now, queue) = (machine.instant, try unwrap(recording).queue)
        let answer = queue.queue.withLock { $0.offer(entry, at: now, on: now) }
        try require(answer != .full, "the queue was full")
        if let thing {
            counts.records += 1
            recording?.offered.append((thing, now))
            truth[thing] = machine.now
        }
        if answer == .takenAndDue { try step(store) }
    }

    /// Lets time pass, with what is due in it.
    private func advance(_ store: TripStore, by time: Int64) throws {
        let end = machine.now + time
        while let recording,
            let due = [recording.steps.due, recording.steps.copyDue]
                .compactMap({ $0 }).min()
        {
            let before = machine.now
            if due > machine.instant { machine.wait(until: due) }
            if machine.now > end {
                machine.wait(before - machine.now)
                break
            }
            try step(store)
        }
        machine.wait(max(0, end - machine.now))
    }

    private func step(_ store: TripStore) throws {
        guard var now = recording else { return }
        recording = nil
        let (clock, wasSet) = (machine, machine.isSet)
        var notices: [TripWriter.Notice] = []
        now.hasEnded = now.steps.take(
            now.queue.queue, into: store, by: &now.transactions, clock: { clock.instant },
            notify: { notices.append($0) })
        let failure = now.queue.queue.withLock { $0.failure }
        if failure != nil {
            counts.full += 1
            now.failing = now.failing ?? machine.instant
        } else {
            now.failing = nil
        }
        for notice in notices {
            if case .rejected(_, let message) = notice {
                throw MonthFault(description: "rejected: \(message)")
            }
        }
        recording = now
        // Whatever was committed while the clock was set has its time.
        if wasSet, failure == nil, now.queue.queue.withLock({ $0.items }) == 0 {
            let trip = now.trip
            let isSet = try store.read {
                try $0.value(String.self, "SELECT clock FROM trip WHERE id = ?", [trip])
            }
            try require(
                isSet == "set" || now.offered.isEmpty,
                "trip \(trip) was committed while the clock was set, and is \(isSet ?? "-")")
        }
    }

    // MARK: Ends

    /// Commits, and leaves the copy in memory as it was before.
    private func commitBeforeKill(_ store: TripStore) throws {
        let copies = self.copies
        let contents = try copies.map { ($0, try Data(contentsOf: URL(filePath: $0))) }
        let done = DispatchSemaphore(value: 0)
        let queue = try unwrap(recording).queue
        if queue.queue.withLock({ $0.requestFlush(done) }) { try step(store) }
        // Its connection is closed before the file is written.
        recording?.transactions.close(keeps: true)
        for (path, bytes) in contents { try bytes.write(to: URL(filePath: path)) }
    }

    private var copies: [String] {
        let folder = "\(limits.memory)/obdscan-\(geteuid())"
        return Files.names(in: folder).filter { !$0.hasSuffix("-journal") }.map {
            folder + "/" + $0
        }
    }

    /// The process of the recording is dead, and its memory with it.
    private func bury(losesMemory: Bool) throws {
        defer { recording = nil }
        guard let dead = recording else { return }
        let now = machine.instant
        // The promise: rows are copied to memory or on the disk within a second, and on the disk within the
        // time between commits.
        let promise = losesMemory ? commitEvery : min(commitEvery, .seconds(1)) + .milliseconds(100)
        let limit = min(now, dead.failing ?? now) + (.zero - promise)
        lastDead = (
            dead.trip, dead.offered.filter { $0.at <= limit }.map(\.thing),
            dead.offered.map(\.thing)
        )
        counts.promised += lastDead?.promised.count ?? 0
        recording?.transactions.close(keeps: true)
        recording = nil
        try Connection(database).access {
            try $0.execute("UPDATE trip SET writer = 'dead:1:1' WHERE end_reason IS NULL")
        }
        for copy in copies {
            if losesMemory {
                try FileManager.default.removeItem(atPath: copy)
            } else {
                try? Connection(copy).access {
                    try $0.execute("UPDATE source SET writer = 'dead:1:1'")
                }
            }
        }
    }

    private var lastDead: (trip: Int64, promised: [Broker.Thing], offered: [Broker.Thing])?

    private func cutPower() throws {
        counts.cuts += 1
        try bury(losesMemory: true)
        publisher = nil
        // The clock was saved within the last hour.
        saved = machine.wall - span(0...hour)
        for (name, bytes) in safeCursors { try bytes.write(to: URL(filePath: folder + "/" + name)) }
    }

    /// The end of a drive that was closed.
    private func forgetRecording() throws {
        guard let done = recording else { return }
        recording = nil
        counts.promised += done.offered.count
        try learn(
            done.trip, promised: done.offered.map(\.thing), offered: done.offered.map(\.thing))
    }

    /// Compares what a trip has with what it was promised to have.
    private func learn(
        _ trip: Int64, promised: [Broker.Thing], offered: [Broker.Thing]
    ) throws {
        let found = try contents(trip)
        let set = Set(found)
        try require(set.count == found.count, "trip \(trip) has a record twice")
        let missing = promised.filter { !set.contains($0) }
        try require(missing.isEmpty, "trip \(trip) lost \(missing.count) promised records")
        try require(set.isSubset(of: offered), "trip \(trip) has a record of another one")
        counts.lost += offered.count - found.count
        stored[trip] = found
    }

    private func contents(_ trip: Int64) throws -> [Broker.Thing] {
        try Connection(database).access { database in
            try database.values(
                Double.self, "SELECT value FROM reading WHERE trip = ? ORDER BY t, sequence", [trip]
            ).map { .record(Int($0)) }
                + database.values(
                    Double.self, "SELECT latitude FROM position WHERE trip = ?", [trip]
                ).map { .record(Int(($0 * 100_000).rounded())) }
                + database.values(
                    String.self, "SELECT code FROM code_report WHERE trip = ?", [trip]
                )
                .map { .code($0) }
        }
    }

    // MARK: Keeping

    /// Opens the database as `log` does; nil = the card is so full that it cannot be opened.
    private func openStore() throws -> TripStore? {
        let machine = machine
        let store: TripStore
        do throws(StoreError) {
            store = try TripStore(path: database, limits: limits, clock: { machine.reading })
        } catch {
            guard error.isFullDisk else { throw error }
            counts.refused += 1
            return nil
        }
        try require(store.copiesLeft.isEmpty, "left: \(store.copiesLeft)")
        if let dead = lastDead {
            lastDead = nil
            try learn(dead.trip, promised: dead.promised, offered: dead.offered)
        }
        do throws(StoreError) {
            try settle(store)
        } catch {
            guard error.isFullDisk else { throw error }
            counts.refused += 1
            store.closeFile()
            return nil
        }
        try keepRoom(store, ages: true)
        let order = try store.trips().map(\.id)
        try require(order == order.sorted(), "the trips are in the order \(order)")
        return store
    }

    private func settle(_ store: TripStore) throws(StoreError) {
        let reading = machine.reading
        if try store.mayBeWrong(by: reading) { try store.settleClocks(by: reading) }
    }

    /// What `log` deletes.
    private func keepRoom(_ store: TripStore, ages: Bool) throws {
        do {
            let reading = machine.reading
            guard try store.checkThatDrivesExpire(by: reading) == nil else { return }
            if ages {
                let owed = Set(try store.undelivered(to: [Self.sink]).keys)
                let gone = try store.deleteTrips(
                    endedBefore: reading.utc.later(by: -keep), except: owed, now: reading.utc)
                try checkDeleted(gone.deleted)
            }
            let capacity = capacity
            let clearing = try store.makeRoom(
                keepFree,
                except: { () throws(StoreError) in
                    Set(try store.undelivered(to: [Self.sink]).keys)
                },
                disk: {
                    let pages = try? store.read { try $0.value(Int64.self, "PRAGMA page_count") }
                    return pages.flatMap { $0 }.map { capacity - $0 * 4096 }
                })
            try checkDeleted(clearing?.trips ?? [])
        } catch let error as StoreError where error.isFullDisk {
            counts.full += 1
        }
    }

    private func checkDeleted(_ trips: [Int64]) throws {
        for trip in trips {
            let missing = (stored[trip] ?? []).filter { broker.times[$0] == nil }
            try require(
                missing.isEmpty,
                "trip \(trip) was deleted, and \(missing.count) of its records were not delivered")
            deleted.insert(trip)
            counts.deleted += 1
        }
    }

    // MARK: Publishing

    /// A process of `publish`.
    private final class Publisher {
        let deliveries: DeliveryStore
        let feed: SinkFeed
        var pending: FeedBatch?
        var wasSet: Bool

        init(_ deliveries: DeliveryStore, _ feed: SinkFeed, wasSet: Bool) {
            (self.deliveries, self.feed, self.wasSet) = (deliveries, feed, wasSet)
        }
    }

    private func startPublisher() throws -> Publisher? {
        // Without a database, `publish` ends.
        guard Files.exists(database) else { return nil }
        try settleForPublisher()
        let deliveries = try DeliveryStore(
            path: DeliveryStore.path(of: database), access: .readWrite)
        try deliveries.claim(Self.sink, target: "http://broker")
        let feed = try SinkFeed(
            database: database, deliveries: deliveries, sink: Self.sink, selection: selection,
            limit: chance(50) ? 7 : 5000)
        return Publisher(deliveries, feed, wasSet: machine.isSet)
    }

    private func settleForPublisher() throws {
        let store = try TripStore(path: database, access: .readOnly)
        guard try store.mayBeWrong(by: machine.reading) else { return }
        try? settle(TripStore(path: database, limits: limits))
    }

    /// Delivers what there is; sometimes the process ends before it has noted that.
    private func publish() throws {
        if publisher == nil { publisher = try startPublisher() }
        guard let publisher else { return }
        if machine.isSet, !publisher.wasSet { try settleForPublisher() }
        publisher.wasSet = machine.isSet
        try publisher.feed.refresh(now: UTC(microseconds: machine.wall))
        while let batch = try publisher.pending ?? publisher.feed.next() {
            publisher.pending = batch
            guard broker.take(batch.lines) else { return }
            if !isAtEnd, chance(2) {
                self.publisher = nil
                return
            }
            publisher.pending = nil
            let now = UTC(microseconds: machine.wall)
            try publisher.deliveries.acknowledge(
                batch.key, batch.table, batch.cursor, by: Self.sink, at: now)
            if let settled = batch.settled {
                try publisher.deliveries.settle(batch.key, readings: settled, for: Self.sink)
            }
        }
    }

    /// Keeps the file of cursors, which a power cut brings back.
    private func keepCursors() throws {
        publisher = nil
        let name = (DeliveryStore.path(of: database) as NSString).lastPathComponent
        for end in ["", "-wal", "-shm"] where Files.exists(folder + "/" + name + end) {
            safeCursors[name + end] = try Data(
                contentsOf: URL(filePath: folder + "/" + name + end))
        }
    }

    // MARK: The end

    private func checkDeliveries() throws {
        let store = try TripStore(path: database, access: .readOnly)
        let faults = try store.check()
        try require(faults.isEmpty, "\(faults)")
        let known = try store.read { database in
            let rows = try database.rows("SELECT id, clock, boot, deleted, vehicle FROM trip")
            return try Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    (
                        try row["id"] as Int64,
                        (
                            try row["clock"] as String?, try row["boot"] as String?,
                            try row["vehicle"] as Int64?
                        )
                    )
                })
        }
        let rightBoots = Set(known.values.filter { $0.0 == "set" }.compactMap(\.1))
        for (trip, things) in stored.sorted(by: { $0.key < $1.key }) {
            guard let (clock, boot, vehicle) = known[trip] else {
                try require(deleted.contains(trip), "trip \(trip) vanished")
                continue
            }
            if !deleted.contains(trip) {
                let found = try contents(trip)
                try require(Set(found) == Set(things), "trip \(trip) changed")
            }
            let isNamed = selection.id != nil || vehicle != nil
            if clock == "set", isNamed {
                let missing = things.filter { broker.times[$0] == nil }
                try require(
                    missing.isEmpty,
                    "trip \(trip): \(missing.count) of \(things.count) records were not delivered")
            } else {
                counts.held += 1
                try require(
                    clock == "set" || !rightBoots.contains(boot ?? ""),
                    "trip \(trip) is held back, and the time of its boot is known")
                try require(
                    things.allSatisfy { broker.times[$0] == nil }, "trip \(trip) was delivered")
            }
        }
        for (thing, times) in broker.times {
            try require(!dropped.contains(thing), "\(thing) was delivered, and belongs to no trip")
            try require(times.count == 1, "\(thing) was delivered under \(times.count) times")
            let right = try unwrap(truth[thing])
            let worst = times.map { abs($0 - right) }.max() ?? 0
            try require(worst <= second, "\(thing) was delivered \(worst) µs from its time")
        }
        (counts.delivered, counts.repeated) = (broker.lines, broker.repeated)
    }
}
