import Adapters
import OBDCore
import ScanTool
import ScanToolTestSupport
import Testing

// MARK: The handover

/// Requests are upper-case letters, replies lower-case letters, batches numbers.
private typealias Letters = Handover<String, String, Int>

extension Letters.State {
    /// The state with its values, for example `asking Q` or `full 1 b:2`.
    ///
    /// `b:2` is a reply that is held as 2.
    fileprivate var words: String {
        switch self {
        case .free: "free"
        case .asking(let request): "asking \(request)"
        case .replied(let reply): "replied \(reply)"
        case .askingBefore(let request, let reply): "askingBefore \(request) \(reply)"
        case .held(let reply, let id): "held \(reply):\(id.rawValue)"
        case .repliedTwice(let earlier, let reply, let id):
            "repliedTwice \(earlier) \(reply):\(id.rawValue)"
        case .offering(let batch, let id): "offering \(batch):\(id.map { "\($0.rawValue)" } ?? "-")"
        case .askingWhileOffering(let request, let batch): "askingWhileOffering \(request) \(batch)"
        case .full(let batch, let reply, let id): "full \(batch) \(reply):\(id.rawValue)"
        case .ended: "ended"
        }
    }
}

extension Letters.Order {
    fileprivate var words: String {
        switch self {
        case .acknowledge(let id): "acknowledge \(id.rawValue)"
        case .decode(let reply, let id): "decode \(reply):\(id.map { "\($0.rawValue)" } ?? "-")"
        case .lose(let batch): "lose \(batch)"
        }
    }
}

extension Letters.Rest {
    fileprivate var words: String {
        switch self {
        case .request(let request): request
        case .reply(let reply): reply
        case .batch(let batch): "\(batch)"
        }
    }
}

@Suite struct `A request on its way to the sinks` {
    private static let one = RequestID(rawValue: 1)
    private static let two = RequestID(rawValue: 2)

    /// The events that lead to each state.
    ///
    /// The first request is `P`, the first reply `p`.
    private static let ways: [[Letters.Event]] = [
        [],
        [.submitted("P")],
        [.submitted("P"), .delivered("p", one, goesOn: true)],
        [.submitted("P"), .delivered("p", one, goesOn: true), .submitted("Q")],
        [.submitted("P"), .delivered("p", one, goesOn: false)],
        [
            .submitted("P"), .delivered("p", one, goesOn: true), .submitted("Q"),
            .delivered("q", two, goesOn: false),
        ],
        [.submitted("P"), .delivered("p", one, goesOn: false), .decode, .kept(1, one)],
        [.submitted("P"), .delivered("p", one, goesOn: true), .decode, .kept(1, nil)],
        [
            .submitted("P"), .delivered("p", one, goesOn: true), .submitted("Q"), .decode,
            .kept(1, nil),
        ],
        [
            .submitted("P"), .delivered("p", one, goesOn: true), .submitted("Q"), .decode,
            .kept(1, nil), .delivered("q", two, goesOn: true),
        ],
    ]

    private static let events: [(name: String, event: Letters.Event)] = [
        ("submitted", .submitted("R")), ("refused", .refused),
        ("delivered", .delivered("r", RequestID(rawValue: 3), goesOn: false)),
        ("delivered, goes on", .delivered("r", RequestID(rawValue: 3), goesOn: true)),
        ("decode", .decode), ("kept", .kept(2, nil)), ("gone", .gone),
    ]

    private static func handover(_ way: [Letters.Event]) -> Letters {
        var handover = Letters()
        for event in way { _ = handover.take(event) }
        return handover
    }

    /// Each line has a state, an event, the next state and its order.
    ///
    /// If a pair has no line, nothing changes. `p:1` is a reply that the scan tool holds as 1.
    private static let table = """
        free, submitted: asking R
        free, delivered: free, acknowledge 3
        free, delivered, goes on: free, acknowledge 3
        free, kept: offering 2:-
        asking P, refused: free
        asking P, delivered: held r:3
        asking P, delivered, goes on: replied r, acknowledge 3
        asking P, kept: askingWhileOffering P 2
        replied p, submitted: askingBefore R p
        replied p, delivered: replied p, acknowledge 3
        replied p, delivered, goes on: replied p, acknowledge 3
        replied p, decode: free, decode p:-
        replied p, kept: replied p, lose 2
        askingBefore Q p, refused: replied p
        askingBefore Q p, delivered: repliedTwice p r:3
        askingBefore Q p, delivered, goes on: repliedTwice p r:3
        askingBefore Q p, decode: asking Q, decode p:-
        askingBefore Q p, kept: askingBefore Q p, lose 2
        held p:1, delivered: held p:1, acknowledge 3
        held p:1, delivered, goes on: held p:1, acknowledge 3
        held p:1, decode: free, decode p:1
        held p:1, kept: full 2 p:1
        repliedTwice p q:2, delivered: repliedTwice p q:2, acknowledge 3
        repliedTwice p q:2, delivered, goes on: repliedTwice p q:2, acknowledge 3
        repliedTwice p q:2, decode: held q:2, decode p:-
        repliedTwice p q:2, kept: repliedTwice p q:2, lose 2
        offering 1:1, delivered: offering 1:1, acknowledge 3
        offering 1:1, delivered, goes on: offering 1:1, acknowledge 3
        offering 1:1, kept: offering 1:1, lose 2
        offering 1:1, gone: free, acknowledge 1
        offering 1:-, delivered: offering 1:-, acknowledge 3
        offering 1:-, delivered, goes on: offering 1:-, acknowledge 3
        offering 1:-, kept: offering 1:-, lose 2
        offering 1:-, gone: free
        askingWhileOffering Q 1, refused: offering 1:-
        askingWhileOffering Q 1, delivered: full 1 r:3
        askingWhileOffering Q 1, delivered, goes on: full 1 r:3
        askingWhileOffering Q 1, kept: askingWhileOffering Q 1, lose 2
        askingWhileOffering Q 1, gone: asking Q
        full 1 q:2, delivered: full 1 q:2, acknowledge 3
        full 1 q:2, delivered, goes on: full 1 q:2, acknowledge 3
        full 1 q:2, kept: full 1 q:2, lose 2
        full 1 q:2, gone: held q:2
        ended, delivered: ended, acknowledge 3
        ended, delivered, goes on: ended, acknowledge 3
        ended, kept: ended, lose 2
        """

    @Test func `every event in every state has the effect that the table lists`() {
        var ended = Letters()
        _ = ended.end()
        var lines: [String] = []
        for before in Self.ways.map(Self.handover) + [ended] {
            for (name, event) in Self.events {
                var handover = before
                let order = handover.take(event)
                if order == nil, handover.state.words == before.state.words { continue }
                lines.append(
                    "\(before.state.words), \(name): "
                        + ([handover.state.words] + [order?.words].compactMap(\.self))
                        .joined(separator: ", "))
            }
        }
        #expect(lines.joined(separator: "\n") == Self.table)
    }

    @Test func `at the end every request is returned, the oldest first`() {
        let rests = Self.ways.map { way in
            var handover = Self.handover(way)
            let rest = handover.end()
            let more = handover.end()
            #expect(more.isEmpty)
            return rest.map(\.words).joined(separator: " ")
        }
        #expect(rests == ["", "P", "p", "p Q", "p", "p q", "1", "1", "1 Q", "1 q"])
    }

    /// Runs every sequence of eight events that a session can cause.
    ///
    /// Each reply must be decoded once, in order, and acknowledged once.
    @Test func `no request is lost or doubled in any order of events`() {
        var walks = 0
        walk(Letters(), Ledger(), 8) { walks += 1 }
        #expect(walks > 1_000)
    }

    /// The submitted requests and the output of the handover.
    private struct Ledger {
        var submitted = 0
        var delivered = 0
        var decoded = 0
        var acknowledged: Set<UInt32> = []
    }

    private func walk(
        _ handover: Letters, _ ledger: Ledger, _ steps: Int, _ count: () -> Void
    ) {
        // Only one request at a time is allowed, and the last reply must be acknowledged first.
        if handover.mayAsk {
            #expect(ledger.acknowledged.count == ledger.delivered)
            #expect(handover.request == nil && handover.batch == nil)
        }
        guard steps > 0 else { return count() }
        let next = RequestID(rawValue: UInt32(ledger.delivered + 1))
        if handover.mayAsk {
            var ledger = ledger
            ledger.submitted += 1
            go(handover, .submitted("R"), ledger, steps, count)
        }
        if handover.request != nil {
            for goesOn in [true, false] {
                var ledger = ledger
                ledger.delivered += 1
                go(
                    handover, .delivered("\(ledger.delivered)", next, goesOn: goesOn), ledger,
                    steps,
                    count)
            }
        }
        if handover.batch != nil { go(handover, .gone, ledger, steps, count) }
        go(handover, .decode, ledger, steps, count)
    }

    private func go(
        _ before: Letters, _ event: Letters.Event, _ known: Ledger, _ steps: Int,
        _ count: () -> Void
    ) {
        var handover = before
        var ledger = known
        switch handover.take(event) {
        case .acknowledge(let id): #expect(ledger.acknowledged.insert(id.rawValue).inserted)
        case .decode(let reply, let held):
            ledger.decoded += 1
            #expect(reply == "\(ledger.decoded)")
            // Try both: a sink has no room for the batch, and all sinks have room.
            var kept = handover
            let result1 = kept.take(.kept(ledger.decoded, held))
            #expect(result1 == nil)
            walk(kept, ledger, steps - 1, count)
            if let held { #expect(ledger.acknowledged.insert(held.rawValue).inserted) }
        case .lose: Issue.record("a batch was lost")
        case nil: break
        }
        walk(handover, ledger, steps - 1, count)
    }
}

// MARK: The life of a session

@Suite struct `A session's life` {
    private typealias Life = SessionLife

    private static let ways: [(name: String, way: [SessionLife.Event])] = [
        ("starting", []), ("ready", [.initialized]), ("lost", [.initialized, .linkLost]),
        ("stopping", [.stopRequested]), ("over", [.stopRequested, .detached]),
    ]

    private static let pause = Duration.seconds(1)
    private static let vehicle = ErrorReason.initialisation(.noVehicle(.noData))
    private static let events: [(name: String, event: SessionLife.Event)] = [
        ("initialized", .initialized), ("linkLost", .linkLost),
        (
            "failed, set up anew",
            .failed(.unresponsive, .reinitialise(after: pause), isAnotherRate: false)
        ),
        (
            "failed, vehicle awaited",
            .failed(vehicle, .reinitialise(after: pause), isAnotherRate: false)
        ),
        (
            "failed, session awaited",
            .failed(.linkLost, .awaitSession(after: pause), isAnotherRate: false)
        ),
        ("failed, given up", .failed(.openFailed, .givenUp, isAnotherRate: false)),
        (
            "failed at a rate on trust",
            .failed(.initialisation(.silent), .givenUp, isAnotherRate: true)
        ), ("stopRequested", .stopRequested), ("detached", .detached),
        ("cannotWait", .cannotWait(call: "ppoll", errno: 22)),
    ]

    private static func words(_ state: SessionLife.State) -> String {
        switch state {
        case .starting: "starting"
        case .ready: "ready"
        case .lost: "lost"
        case .stopping: "stopping"
        case .over(.stopped): "over"
        case .over(.gaveUp(_, let wasReady)): wasReady ? "gave up later" : "gave up at once"
        case .over(.cannotWait): "cannot wait"
        }
    }

    /// Each line has a state, an event, the next state and its order.
    ///
    /// If a pair has no line, nothing changes.
    private static let table = """
        starting, initialized: ready
        starting, failed, vehicle awaited: gave up at once
        starting, failed, session awaited: gave up at once
        starting, failed, given up: gave up at once
        starting, failed at a rate on trust: starting, retry
        starting, stopRequested: stopping, stopTool
        starting, cannotWait: cannot wait
        ready, linkLost: lost
        ready, failed, given up: gave up later
        ready, failed at a rate on trust: gave up later
        ready, stopRequested: stopping, stopTool
        ready, cannotWait: cannot wait
        lost, initialized: ready, countReconnect
        lost, failed, given up: gave up later
        lost, failed at a rate on trust: gave up later
        lost, stopRequested: stopping, stopTool
        lost, cannotWait: cannot wait
        stopping, failed, given up: over
        stopping, failed at a rate on trust: over
        stopping, detached: over
        stopping, cannotWait: cannot wait
        """

    @Test func `every event in every state has the effect that the table lists`() {
        var lines: [String] = []
        for (state, way) in Self.ways {
            for (name, event) in Self.events {
                var life = SessionLife()
                for event in way { _ = life.take(event) }
                #expect(Self.words(life.state) == state)
                let before = life.state
                let order = life.take(event)
                if life.state == before, order == nil { continue }
                lines.append(
                    "\(state), \(name): "
                        + ([Self.words(life.state)] + [order?.rawValue].compactMap(\.self))
                        .joined(separator: ", "))
            }
        }
        #expect(lines.joined(separator: "\n") == Self.table)
    }

    @Test func `a session ends for the first of several reasons`() {
        var life = SessionLife()
        _ = life.take(.initialized)
        #expect(life.end == nil && !life.isEnding)
        _ = life.take(.failed(.linkLost, .givenUp, isAnotherRate: false))
        _ = life.take(.stopRequested)
        _ = life.take(.cannotWait(call: "ppoll", errno: 22))
        #expect(life.end == .gaveUp(.linkLost, wasReady: true))
        #expect(life.isEnding && !life.isStopping)
    }
}

// MARK: Requests from outside

extension RequestQueue {
    fileprivate mutating func required() throws -> Entry {
        let entry = next()
        return try #require(entry)
    }
}

@Suite struct `Requests from outside` {
    private static func queue() -> RequestQueue<String> {
        var queue = RequestQueue<String>()
        queue.append(ScriptDialect.read, for: "read")
        queue.append(ScriptDialect.clear, for: "clear")
        return queue
    }

    @Test func `requests keep their order, and each has its own identifier`() throws {
        var queue = Self.queue()
        let read = try queue.required()
        let clear = try queue.required()
        #expect(read.promise == "read" && clear.promise == "clear")
        #expect(read.request.id == RequestID(rawValue: 0x8000_0001))
        #expect(clear.request.id == RequestID(rawValue: 0x8000_0002))
        let result2 = queue.next()
        #expect(result2 == nil && queue.isEmpty)
    }

    @Test(
        arguments: [
            (Failure.adapterRestarted, true, true), (.restartedBeforeSending, true, true),
            (.linkLost, false, true), (.timedOut, false, false), (.stopped, false, false),
            (.flooded, false, false), (.outOfStep, false, false), (.notSent, false, false),
        ])
    func `a request is repeated once if a repeat can help`(
        failure: Failure, alone: Bool, withReconnects: Bool
    ) throws {
        for (reconnects, isTaken) in [(false, alone), (true, withReconnects)] {
            var queue = Self.queue()
            let first = try queue.required()
            let result3 = queue.takeBack(first, after: failure, reconnects: reconnects)
            #expect(result3 == isTaken)
            guard isTaken else { continue }
            let again = try queue.required()
            #expect(again.request == first.request && again.sendings == 2)
            let result4 = queue.takeBack(again, after: failure, reconnects: reconnects)
            #expect(!result4)
            // A request that writes is never repeated.
            let clear = try queue.required()
            let result5 = queue.takeBack(clear, after: failure, reconnects: reconnects)
            #expect(!result5)
        }
    }
}

// MARK: The whole driver

@Suite struct `A poll driver` {
    private typealias Driver = PollDriver<String, String, String, Int>

    private static let answered = Outcome.answered(Reply())

    private static func name(_ next: PollDriver<String, String, String, Int>.Next) -> String {
        switch next {
        case .request(let entry): entry.promise
        case .plan: "plan"
        case .nothing: "nothing"
        }
    }

    private func expectNext(_ driver: inout Driver, _ name: String) {
        let next = driver.next()
        #expect(Self.name(next) == name)
    }

    @Test func `requests from outside precede those of the plan`() {
        var driver = Driver()
        expectNext(&driver, "nothing")
        _ = driver.polling.take(.begin)
        expectNext(&driver, "plan")
        driver.requests.append(ScriptDialect.read, for: "person")
        expectNext(&driver, "person")
        _ = driver.polling.take(.pause)
        expectNext(&driver, "nothing")
    }

    @Test func `nothing is sent during a request or after a stop`() {
        var driver = Driver()
        _ = driver.polling.take(.begin)
        _ = driver.handover.take(.submitted("P"))
        #expect(!driver.mayAsk)
        _ = driver.handover.take(.refused)
        #expect(driver.mayAsk)
        _ = driver.life.take(.stopRequested)
        #expect(!driver.mayAsk && !driver.keepsEndWaiting)
        _ = driver.handover.take(.kept(1, nil))
        #expect(driver.keepsEndWaiting)
    }

    @Test
    func `only a request that does not depend on the last reply is sent before decoding`() {
        var driver = Driver()
        #expect(driver.goesOn(after: Self.answered, isPolled: true, vehicleRests: false))
        #expect(!driver.goesOn(after: Self.answered, isPolled: false, vehicleRests: false))
        #expect(!driver.goesOn(after: Self.answered, isPolled: true, vehicleRests: true))
        let failed = Outcome.failed(.timedOut, soFar: Reply())
        #expect(!driver.goesOn(after: failed, isPolled: true, vehicleRests: false))
        _ = driver.life.take(.stopRequested)
        #expect(!driver.goesOn(after: Self.answered, isPolled: true, vehicleRests: false))
    }

    @Test func `no request is repeated after a stop`() throws {
        var driver = Driver()
        driver.requests.append(ScriptDialect.read, for: "person")
        let entry = try driver.requests.required()
        _ = driver.life.take(.stopRequested)
        let result6 = driver.takeBack(entry, after: .adapterRestarted, reconnects: true)
        #expect(!result6)
    }
}
