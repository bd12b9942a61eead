import Accessory
import Adapters
import Diagnostics
import Foundation
import OBDCore
import ScanSession
import ScanTool
import ScanToolTestSupport
import Synchronization
import SystemIO
import Testing

/// A table that has only the engine speed.
///
/// SAE J1979: 01 0C, two bytes, a quarter rpm per bit.
let engineSpeedTable: PIDTable = {
    var table = PIDTable()
    table.add(
        DataID(.currentData, 0x0C), name: "Engine speed", length: 2...2,
        signals: [
            Signal(
                id: "RPM", name: "Engine speed", bitOffset: 0, bitLength: 16, kind: .number,
                divisor: 4, unit: "rpm")
        ])
    return table
}()

/// Keeps all events, so that a test can check them later.
final class Witness: ScanObserver {
    private let seen = Mutex<[ScanEvent]>([])
    let interests: ScanEvent.Kinds

    init(_ interests: ScanEvent.Kinds = .all) {
        self.interests = interests
    }

    var events: [ScanEvent] { seen.withLock { $0 } }

    func scan(_ event: ScanEvent, at time: Instant) { seen.withLock { $0.append(event) } }
}

/// Everything that happened on the session's thread, in order.
final class Diary: ReadingSink, ScanObserver {
    private let lines = Mutex<[String]>([])

    var entries: [String] { lines.withLock { $0 } }
    var spaceDescriptor: Int32? { nil }
    var interests: ScanEvent.Kinds { .all }

    func offer(_ batch: ReadingBatch) -> Bool {
        lines.withLock { $0.append("stored \(batch.id.rawValue)") }
        return true
    }

    func scan(_ event: ScanEvent, at time: Instant) {
        lines.withLock { lines in
            switch event {
            case .didSendCommand(let request): lines.append("asked \(request.id.rawValue)")
            case .didReceiveResponses(let id, _): lines.append("heard \(id.rawValue)")
            case .pollDidFinish: lines.append("done")
            default: break
            }
        }
    }
}

/// A sink that takes batches.
///
/// Optionally it refuses them while it is full.
final class Store: ReadingSink {
    private struct Content: Sendable {
        var batches: [ReadingBatch] = []
        var refusals = 0
    }

    private let content = Mutex(Content())
    private let space: EventDescriptor?
    private let capacity: Int
    /// Is signalled while the store has a batch.
    let news: EventDescriptor

    init(capacity: Int = .max, refuses: Bool = false) throws {
        self.capacity = capacity
        space = refuses ? try EventDescriptor() : nil
        news = try EventDescriptor()
    }

    var spaceDescriptor: Int32? { space?.descriptor }
    var refusals: Int { content.withLock { $0.refusals } }

    func offer(_ batch: ReadingBatch) -> Bool {
        let isTaken = content.withLock { content in
            if content.batches.count >= capacity {
                content.refusals += 1
                return false
            }
            content.batches.append(batch)
            return true
        }
        news.signal()
        return isTaken
    }

    /// Announces room, even if there is none.
    func announceSpace() { space?.signal() }

    func take() -> [ReadingBatch] {
        let batches = content.withLock { content in
            let batches = content.batches
            content.batches = []
            return batches
        }
        space?.signal()
        return batches
    }
}

extension ScanSession {
    /// A session with the scripted dialect and short deadlines.
    static func scripted(
        _ peer: Peer, reconnect: SessionConfiguration.Reconnect = .never,
        patience: Duration = .seconds(20), interruptLimit: Duration = .seconds(20),
        replyLimit: Duration = .seconds(40), sinks: [any ReadingSink] = [],
        observers: [any ScanObserver] = [], recordTo: Int32? = nil
    ) throws(ScanError) -> ScanSession {
        var configuration = SessionConfiguration(connector: peer.connector)
        configuration.reconnect = reconnect
        configuration.recordTo = recordTo
        configuration.policy.interruptLimit = interruptLimit
        configuration.policy.replyLimit = replyLimit
        configuration.policy.firstPause = .milliseconds(1)
        configuration.policy.repeatPause = .milliseconds(1)
        var dialect = ScriptDialect()
        dialect.patience = patience
        return try start(
            configuration, dialect: dialect,
            decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()),
            sinks: sinks, observers: observers)
    }

    /// Waits for an event that `matches`, and drops the events before it.
    func await(_ matches: (ScanEvent) -> Bool) throws -> Bool {
        var set = PollSet()
        set.add(eventDescriptor)
        var events: [(time: Instant, event: ScanEvent)] = []
        while try set.wait(until: SystemClock.now() + .seconds(20)) > 0 {
            nextEvents(&events)
            if events.contains(where: { matches($0.event) }) { return true }
            events = []
        }
        return false
    }
}

private let read = ScriptDialect.read
private let clear = ScriptDialect.clear
private let rpm = PollPlan.Want(DataID(.currentData, 0x0C), length: 2)

/// An adapter that answers as the script expects.
private func wellBehaved(_ heard: String, _: Int) -> Peer.Action {
    switch heard {
    case "I": .say("r")
    case "R", "W": .say("m>")
    case "!": .say(">")
    default: .nothing
    }
}

@Suite struct `A scan session` {
    @Test func `a session sends a request and gets its answer`() throws {
        let peer = Peer(.byte, wellBehaved)
        let session = try ScanSession.scripted(peer)
        let answer = try session.ask(read)
        #expect(answer.reply.messages == [ScriptDialect.answer])
        #expect(answer.exchange.request == [0x01, 0x0C])
        #expect(answer.answered >= answer.asked)
        guard case .reading(let reading) = try #require(answer.items.first) else {
            Issue.record("\(answer.items)")
            return
        }
        // SAE J1979: 1A F8 = 6904 quarters of a revolution per minute.
        #expect(reading.value == .number(1726))
        session.stop()
        #expect(session.state == .initializing)
        #expect(peer.heard == ["I", "R"])
    }

    @Test func `a session reports all thirteen events of a scan tool`() throws {
        let witness = Witness()
        let failing = Peer(.byte) { heard, _ in heard == "I" ? .say("f") : .nothing }
        #expect(throws: ScanError.initialisation(.notUnderstood(received: 1))) {
            _ = try ScanSession.scripted(failing, observers: [witness])
        }
        let patient = Peer(.byte) { heard, _ in
            switch heard {
            case "I": .say("ur")
            case "R": .say("m>s")
            // A clear of codes gets no answer.
            case "W": .nothing
            default: wellBehaved(heard, 1)
            }
        }
        let session = try ScanSession.scripted(
            patient, patience: .milliseconds(50), observers: [witness])
        session.poll(PollPlan(wants: [rpm]))
        #expect(try session.await { $0 == .scanDidStart })
        session.pausePoll()
        #expect(try session.await { $0 == .scanDidPause })
        session.resumePoll()
        #expect(try session.await { $0 == .scanDidStart })
        session.cancelPoll()
        #expect(try session.await { $0 == .scanDidCancel })
        do throws(ScanError) {
            _ = try session.ask(clear)
            Issue.record("answered")
        } catch {
            guard case .requestFailed(.timedOut, _) = error else {
                Issue.record("\(error)")
                return
            }
        }
        session.stop()
        let names = Set(witness.events.map(\.name))
        for name in [
            "scanDidStart", "scanDidPause", "scanDidCancel", "toolDidConnect",
            "toolDidDisconnect", "toolDidInitialize", "toolDidFailToInitialize", "toolWillSleep",
            "didSendCommand", "didReceiveResponses", "didReceiveVoltage", "didTimeOut",
            "didReceiveError",
        ] {
            #expect(names.contains(name), "\(name)")
        }
    }

    @Test func `a session polls until the plan ends and counts the readings`() throws {
        let store = try Store()
        let session = try ScanSession.scripted(Peer(.byte, wellBehaved), sinks: [store])
        session.poll(PollPlan(wants: [rpm], rounds: 100))
        #expect(try session.await { $0 == .pollDidFinish })
        session.stop()
        let batches = store.take()
        #expect(batches.count == 100)
        #expect(batches.allSatisfy { $0.items.count == 1 && $0.messages.count == 1 })
        #expect(zip(batches, batches.dropFirst()).allSatisfy { $0.answered <= $1.asked })
        let statistics = session.statistics
        #expect(statistics.requests == 100)
        #expect(statistics.readings == 100)
        #expect(statistics.timeouts == 0 && statistics.errors == 0)
        #expect(statistics.roundTripP50 != nil)
    }

    @Test func `a session sends a question before the next poll`() throws {
        let session = try ScanSession.scripted(Peer(.byte, wellBehaved))
        session.poll(PollPlan(wants: [rpm]))
        for _ in 0..<20 { #expect(try session.ask(read).reply.messages.count == 1) }
        session.stop()
    }

    @Test func `a session continues counting when a poll replaces another`() throws {
        let session = try ScanSession.scripted(Peer(.byte, wellBehaved))
        session.poll(PollPlan(wants: [rpm]))
        for _ in 0..<5 { _ = try session.ask(read) }
        let before = session.statistics.requests
        session.poll(PollPlan(wants: [rpm], rounds: 10))
        #expect(try session.await { $0 == .pollDidFinish })
        #expect(before >= 5 && session.statistics.requests >= before + 10)
        session.poll(PollPlan(wants: [rpm], rounds: 10))
        #expect(try session.await { $0 == .pollDidFinish })
        #expect(session.statistics.requests == 10)
        session.poll(PollPlan(wants: [rpm]))
        for _ in 0..<5 { _ = try session.ask(read) }
        session.cancelPoll()
        #expect(try session.await { $0 == .scanDidCancel })
        let cancelled = session.statistics.requests
        session.poll(PollPlan(wants: [rpm], rounds: 10))
        #expect(try session.await { $0 == .pollDidFinish })
        #expect(session.statistics.requests >= cancelled + 10)
        session.stop()
    }

    @Test func `a session sends the next request before it delivers the last readings`() throws {
        let diary = Diary()
        let session = try ScanSession.scripted(
            Peer(.byte, wellBehaved), sinks: [diary], observers: [diary])
        session.poll(PollPlan(wants: [rpm], rounds: 3))
        #expect(try session.await { $0 == .pollDidFinish })
        session.stop()
        #expect(
            diary.entries == [
                "asked 1", "heard 1", "asked 2", "stored 1", "heard 2", "asked 3", "stored 2",
                "heard 3", "stored 3", "done",
            ])
    }

    @Test func `a session waits for a full store and loses nothing`() throws {
        let store = try Store(capacity: 2, refuses: true)
        let session = try ScanSession.scripted(Peer(.byte, wellBehaved), sinks: [store])
        session.poll(PollPlan(wants: [rpm], rounds: 20))
        var batches: [ReadingBatch] = []
        var set = PollSet()
        set.add(store.news.descriptor)
        while batches.count < 20 {
            #expect(try set.wait(until: SystemClock.now() + .seconds(20)) == 1)
            store.news.take()
            // Make room only after a refusal, so that the session has to wait each time.
            if store.refusals > 0 || batches.count >= 18 { batches += store.take() }
        }
        session.stop()
        #expect(batches.map(\.id.rawValue) == Array(1...20))
        #expect(store.refusals > 0)
    }

    @Test func `a session ends even if a store stays full`() throws {
        let store = try Store(capacity: 1, refuses: true)
        var configuration = SessionConfiguration(
            connector: Peer(.byte, wellBehaved).connector)
        configuration.drainLimit = .milliseconds(10)
        let session = try ScanSession.start(
            configuration, dialect: ScriptDialect(),
            decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()),
            sinks: [store])
        session.poll(PollPlan(wants: [rpm]))
        var set = PollSet()
        set.add(store.news.descriptor)
        while store.refusals == 0 {
            try set.wait(until: SystemClock.now() + .seconds(20))
            store.news.take()
        }
        session.stop()
        #expect(store.take().count == 1)
        // The refused batch, and the reply after it.
        #expect(session.statistics.errors == 2)
    }

    @Test func `a session delivers readings that arrived before the link was lost`() throws {
        let count = Peer.Counter()
        let peer = Peer(.byte) { heard, _ in
            guard heard == "R" else { return wellBehaved(heard, 1) }
            return count.next() > 3 ? .hangUp : .say("m>")
        }
        let store = try Store(capacity: 1, refuses: true)
        let session = try ScanSession.scripted(peer, sinks: [store])
        session.poll(PollPlan(wants: [rpm]))
        var batches: [ReadingBatch] = []
        var set = PollSet()
        set.add(store.news.descriptor)
        while batches.count < 4 {
            try #require(try set.wait(until: SystemClock.now() + .seconds(20)) == 1)
            store.news.take()
            batches += store.take()
        }
        // Three answers, and the rest that came before the cable was pulled.
        #expect(batches.map(\.id.rawValue) == [1, 2, 3, 4])
        let lost = ScanError.linkLost(.lost(address: "peer", errno: 0))
        #expect(try session.await { $0 == .sessionDidEnd(lost) })
        #expect(session.statistics.readings == 3)
    }

    /// The third request ends with a lost link while the sink has no room for the second batch.
    @Test
    func `a session waits for a full store with readings from before the link was lost`() throws {
        let count = Peer.Counter()
        let peer = Peer(.byte) { heard, _ in
            guard heard == "R" else { return wellBehaved(heard, 1) }
            return count.next() > 2 ? .hangUp : .say("m>")
        }
        let store = try Store(capacity: 1, refuses: true)
        let session = try ScanSession.scripted(peer, sinks: [store])
        session.poll(PollPlan(wants: [rpm]))
        #expect(try session.await { if case .toolDidDisconnect = $0 { true } else { false } })
        var batches: [ReadingBatch] = []
        var set = PollSet()
        set.add(store.news.descriptor)
        while batches.count < 3 {
            try #require(try set.wait(until: SystemClock.now() + .seconds(20)) == 1)
            store.news.take()
            batches += store.take()
        }
        #expect(batches.map(\.id.rawValue) == [1, 2, 3])
        #expect(batches.map(\.messages.count) == [1, 1, 0])
        session.stop()
    }

    /// Another thread may have used the announced room already.
    @Test func `a session keeps a batch until a sink has room for it`() throws {
        let store = try Store(capacity: 1, refuses: true)
        let session = try ScanSession.scripted(Peer(.byte, wellBehaved), sinks: [store])
        session.poll(PollPlan(wants: [rpm], rounds: 4))
        var batches: [ReadingBatch] = []
        var set = PollSet()
        set.add(store.news.descriptor)
        while batches.count < 4 {
            try #require(try set.wait(until: SystemClock.now() + .seconds(20)) == 1)
            store.news.take()
            // The store refuses once because it is full, and once more after the false
            // announcement.
            if store.refusals == 1 {
                store.announceSpace()
            } else if store.refusals > 1 || batches.count == 3 {
                batches += store.take()
            }
        }
        session.stop()
        #expect(batches.map(\.id.rawValue) == [1, 2, 3, 4])
        #expect(session.statistics.errors == 0)
    }

    /// The script cannot address one ECU.
    ///
    /// The record rests, and the others continue.
    @Test func `a request that cannot be sent does not stop the other requests of a poll`() throws {
        let session = try ScanSession.scripted(Peer(.byte, wellBehaved))
        let one = PollPlan.Want(
            DataID(.currentData, 0x0D), length: 1, target: ECUAddress(0x7E0, .can11))
        session.poll(PollPlan(wants: [one, rpm], rounds: 4))
        #expect(try session.await { $0 == .pollDidFinish })
        session.stop()
        #expect(session.statistics.readings == 4)
        #expect(session.statistics.requests == 8)
    }

    @Test func `a session continues a poll when the adapter restarts after its prompt`() throws {
        let count = Peer.Counter()
        let peer = Peer(.byte) { heard, _ in
            guard heard == "R" else { return wellBehaved(heard, 1) }
            let number = count.next()
            return .say(number == 2 ? "m>z" : number == 4 ? "d>z" : "m>")
        }
        let session = try ScanSession.scripted(peer)
        session.poll(PollPlan(wants: [rpm], rounds: 5))
        #expect(try session.await { $0 == .pollDidFinish })
        session.stop()
        #expect(session.statistics.readings == 5)
        #expect(peer.heard == ["I", "R", "R", "I", "R", "R", "I", "R", "R"])
    }

    @Test func `a session does not wait for a full display`() throws {
        let display = try Store(capacity: 2)
        let session = try ScanSession.scripted(Peer(.byte, wellBehaved), sinks: [display])
        session.poll(PollPlan(wants: [rpm], rounds: 20))
        #expect(try session.await { $0 == .pollDidFinish })
        session.stop()
        #expect(display.take().count == 2)
    }

    @Test func `a session can be interrupted while it starts and while it waits`() throws {
        // The flag is signalled once the adapter has got the request.
        let flag = try EventDescriptor()
        let mute = Peer(.byte) { heard, _ in
            if heard == "!" { return .say(">") }
            flag.signal()
            return .nothing
        }
        #expect(throws: ScanError.interrupted) {
            _ = try ScanSession.start(
                SessionConfiguration(connector: mute.connector), dialect: ScriptDialect(),
                decoder: ResponseDecoder(table: engineSpeedTable, monitors: MonitorTables()),
                interruptedBy: flag.descriptor)
        }
        #expect(mute.heard == ["I", "!"])
        flag.take()
        let silent = Peer(.byte) { heard, _ in
            if heard == "R" {
                flag.signal()
                return .nothing
            }
            return wellBehaved(heard, 1)
        }
        let session = try ScanSession.scripted(silent)
        #expect(throws: ScanError.interrupted) {
            _ = try session.ask(read, interruptedBy: flag.descriptor)
        }
        session.stop()
        // The session interrupted the adapter and waited for its prompt before the end.
        #expect(silent.heard == ["I", "R", "!"])
        #expect(throws: ScanError.stopped) { _ = try session.ask(read) }
    }

    @Test func `a session ends when it is stopped once or several times`() throws {
        let session = try ScanSession.scripted(Peer(.byte, wellBehaved))
        session.stop()
        session.stop()
        #expect(session.state == .initializing)
        #expect(throws: ScanError.stopped) { _ = try session.ask(read) }
        #expect(try session.await { $0 == .sessionDidEnd(nil) })
    }

    @Test func `a session can be released without a stop`() throws {
        let peer = Peer(.byte, wellBehaved)
        let witness = Witness()
        do {
            let session = try ScanSession.scripted(peer, observers: [witness])
            session.poll(PollPlan(wants: [rpm]))
        }
        // The thread ends by itself. The test can only check that nothing crashed.
        #expect(witness.events.first == .toolDidConnect || !witness.events.isEmpty)
    }

    @Test func `a session records every byte of both directions as a readable transcript`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "obdscan-\(UUID())")
        let descriptor = open(file.path(), O_RDWR | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            try? FileManager.default.removeItem(at: file)
        }
        let session = try ScanSession.scripted(
            Peer(.byte, wellBehaved), recordTo: descriptor)
        _ = try session.ask(read)
        session.stop()
        let transcript = try Transcript(parsing: try Data(contentsOf: file))
        func bytes(_ direction: Transcript.Direction) -> [UInt8] {
            transcript.chunks.filter { $0.direction == direction }.flatMap(\.bytes)
        }
        #expect(bytes(.toAdapter) == Array("IR".utf8))
        #expect(bytes(.fromAdapter) == Array("rm>".utf8))
    }

    @Test func `a session continues if the transcript cannot be written`() throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let watch = RecordingWatch()
        #expect(watch.errno == nil)
        let session = try ScanSession.scripted(
            Peer(.byte, wellBehaved), observers: [watch], recordTo: full)
        #expect(try session.ask(read).reply.messages.count == 1)
        #expect(try session.await { $0 == .recordingFailed(errno: ENOSPC) })
        #expect(watch.errno == ENOSPC)
        session.stop()
    }
}

extension ScanEvent {
    /// The name of the case, without its values.
    var name: String {
        String(describing: self).prefix { $0 != "(" }.description
    }
}
