import Foundation
import OBDCore
import ScanTool
import ScanToolTestSupport
import Testing

/// A scan tool and its environment, with the promises that are open on both sides.
private struct World: Sendable {
    /// The state of the link to the adapter.
    enum Link: Hashable, Sendable {
        case none, ordered, open, closing
    }

    var tool = Tool(dialect: ScriptDialect(), policy: .small)
    var link = Link.none
    /// Requests without an outcome yet.
    var owed: [RequestID] = []
    /// The request whose outcome was delivered and is not acknowledged yet.
    var delivered: RequestID?
    /// How often the current request that writes was written.
    var writes = 0

    /// The part of a world that later events depend on.
    ///
    /// A reply has only the properties that matter for the promises.
    struct Key: Hashable {
        var state: String
        var dialect: ScriptDialect
        var armed: Set<Deadline>
        var failures: Int
        var link: Link
        var owed: [RequestID]
        var delivered: RequestID?
        var writes: Int
    }

    var key: Key {
        let state: String
        switch tool.state {
        case .initializing(let phase): state = "init \(phase)"
        case .idle: state = "idle"
        case .modifying: state = "modifying"
        case .waiting(let waiting):
            let messages = waiting.reply.messages.reduce(into: [ECUMessage]()) { messages, next in
                messages.removeAll { $0 == next }
                messages.append(next)
            }
            state =
                "waiting \(waiting.request.id.rawValue) \(waiting.phase) \(waiting.sendings) "
                + "\(waiting.pendings) \(messages.map(\.payload)) "
                + "\(Set(waiting.reply.statuses).map(\.rawValue).sorted())"
        case .processing(let id): state = "processing \(id)"
        case .processingLast(let id): state = "processing, the last \(id)"
        case .error(let report): state = "error \(report.reason) \(report.next)"
        }
        return Key(
            state: state, dialect: tool.dialect, armed: Set(tool.armedDeadlines),
            failures: min(tool.failures, 6), link: link, owed: owed, delivered: delivered,
            writes: writes)
    }

    /// All events that are possible in this world.
    var possible: [Event] {
        // The runner closes the link before it does anything else.
        if link == .closing { return [.closed] }
        var events: [Event] = [.read, .clear, .stopRequested, .retry]
        events += tool.armedDeadlines.map(Event.deadlineExpired)
        if let delivered { events.append(.replyProcessed(delivered)) }
        switch link {
        case .none, .closing: break
        case .ordered: events += [.opened, .openFailed]
        case .open:
            events += ["r", "f", "v", "m", "p", "d", "l", ">", "z", ">z", "rz", "x"].map(
                Event.heard)
            events.append(.closed)
        }
        return events
    }

    /// Takes an event and checks every promise.
    ///
    /// Returns a description of the first broken one.
    mutating func take(_ event: Event) -> String? {
        var submitted: RequestID?
        switch event {
        case .submitted(let request):
            // The runner gives each request a new identifier.
            if owed.contains(request.id) || delivered == request.id { return nil }
            submitted = request.id
            owed.append(request.id)
            if tool.state.kind == .idle { writes = 0 }
        case .opened: link = .open
        case .openFailed, .closed: link = .none
        case .replyProcessed: delivered = nil
        default: break
        }
        let before = tool.state
        let effects = tool.effects(of: event)
        if tool.state != before, case .error(let report) = tool.state,
            !effects.contains(.report(report))
        {
            return "an error that nobody is told of"
        }
        if effects.count > 24 { return "\(effects.count) effects" }
        for effect in effects {
            switch effect {
            case .deliver(let id, _), .refuse(let id, _):
                guard let place = owed.firstIndex(of: id) else { return "second outcome of \(id)" }
                owed.remove(at: place)
                if case .deliver = effect { delivered = id }
                if case .refuse = effect, id != submitted { return "refused what was taken" }
            case .write(let bytes):
                if link != .open { return "write without a session" }
                if bytes == Array("W".utf8) { writes += 1 }
            case .open:
                // A second order before the first one is carried out is the same order: the runner
                // opens one link at a time.
                if link == .none { link = .ordered }
            case .close:
                if link != .open { return "close without a session" }
                link = .closing
            case .report, .notice, .arm, .disarm, .setLineRate, .setFilter: break
            }
        }
        if writes > 1 { return "a writing request was written twice" }
        return broken(after: effects)
    }

    private func broken(after effects: [Effect]) -> String? {
        switch tool.state {
        case .waiting(let waiting):
            if owed != [waiting.request.id] { return "under way and owed differ" }
            if tool.armedDeadlines.isEmpty { return "waits without a deadline" }
        case .initializing(.probing), .initializing(.interrupting):
            if !owed.isEmpty { return "an outcome is owed" }
            if tool.armedDeadlines.isEmpty { return "probes without a deadline" }
        case .error(let report):
            if !owed.isEmpty { return "an outcome is owed" }
            switch report.next {
            case .reinitialise:
                if !tool.armedDeadlines.contains(.retry) { return "nobody will try again" }
            case .awaitSession:
                if !tool.armedDeadlines.contains(.retry) && link != .ordered {
                    return "nobody will open a session"
                }
            case .givenUp: if link == .open { return "given up over an open session" }
            }
        case .initializing(.detached), .initializing(.ready), .idle, .processing,
            .processingLast:
            if !owed.isEmpty { return "an outcome is owed" }
        case .modifying: return "a state was not put back"
        }
        return nil
    }
}

@Suite struct `Everything that can happen to a scan tool` {
    /// All reachable worlds, and the worlds that follow each of them.
    private struct Graph: Sendable {
        var worlds: [World] = []
        var next: [[Int]] = []
    }

    /// More worlds than this would mean that the state space is not finite.
    private static let mostWorlds = 60_000

    /// All tests share one search.
    private static let explored = explore()

    private static func explore() -> (graph: Graph, faults: [String]) {
        var graph = Graph()
        var places: [World.Key: Int] = [:]
        var faults: [String] = []
        let start = World()
        places[start.key] = 0
        graph.worlds = [start]
        graph.next = [[]]
        var place = 0
        while place < graph.worlds.count && graph.worlds.count < mostWorlds {
            for event in graph.worlds[place].possible {
                var world = graph.worlds[place]
                if let fault = world.take(event) {
                    faults.append("\(graph.worlds[place].key.state) + \(event.kind): \(fault)")
                    continue
                }
                let key = world.key
                let target = places[key] ?? graph.worlds.count
                if target == graph.worlds.count {
                    places[key] = target
                    graph.worlds.append(world)
                    graph.next.append([])
                }
                graph.next[place].append(target)
            }
            place += 1
        }
        return (graph, faults)
    }

    @Test func `every guarantee of the scan tool holds in every reachable state`() {
        let (graph, faults) = Self.explored
        #expect(graph.worlds.count < Self.mostWorlds)
        #expect(graph.worlds.count > 200)
        #expect(faults.isEmpty, "\(faults.prefix(5))")
        let kinds = Set(graph.worlds.map(\.tool.state.kind))
        #expect(kinds == Set(StateKind.allCases))
    }

    @Test func `idle can be reached from every state`() {
        let graph = Self.explored.graph
        var before = [[Int]](repeating: [], count: graph.worlds.count)
        for (place, targets) in graph.next.enumerated() {
            for target in targets { before[target].append(place) }
        }
        var reaches = graph.worlds.map { $0.tool.state.kind == .idle }
        var queue = reaches.indices.filter { reaches[$0] }
        while let place = queue.popLast() {
            for earlier in before[place] where !reaches[earlier] {
                reaches[earlier] = true
                queue.append(earlier)
            }
        }
        let stuck = graph.worlds.indices.filter { !reaches[$0] }
        #expect(stuck.isEmpty, "\(stuck.prefix(3).map { graph.worlds[$0].key.state })")
    }

    /// The next step that a failure announces does happen.
    ///
    /// A deadline, a session that opens, or a retry ends the error state, and no request stays
    /// without an outcome.
    @Test func `no error state is final`() {
        var errors = 0
        for start in Self.explored.graph.worlds {
            guard case .error(let report) = start.tool.state else { continue }
            errors += 1
            for event in start.possible {
                var world = start
                switch (event.kind, report.next) {
                case (.retry, _), (.opened, _), (.stopRequested, _),
                    (.deadlineExpired, .reinitialise):
                    #expect(world.take(event) == nil)
                    if event.kind != .retry || report.next.isReinitialise {
                        #expect(world.tool.state != start.tool.state, "\(report), \(event.kind)")
                    }
                default: break
                }
            }
        }
        #expect(errors > 10)
    }

    /// docs/reliability.md states the number of situations and transitions.
    @Test func `the number of states matches the document`() throws {
        let graph = Self.explored.graph
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/reliability.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let transitions = graph.next.reduce(0) { $0 + $1.count }
        let said = "\(graph.worlds.count) situations, \(transitions) transitions"
        #expect(text.contains(said), "the document should say: \(said)")
    }

    /// The adapter is silent and the link can be opened again.
    ///
    /// Then time alone must lead to rest: no chain of timeouts may run in a circle.
    @Test func `every activity of a scan tool ends after some time`() {
        for start in Self.explored.graph.worlds {
            var world = start
            var steps = 0
            while steps < 200 {
                let event: Event
                if world.link == .closing {
                    event = .closed
                } else if world.link == .ordered {
                    event = .openFailed
                } else if let delivered = world.delivered, world.tool.state.kind == .processing {
                    event = .replyProcessed(delivered)
                } else if let deadline = world.tool.armedDeadlines.first {
                    event = .deadlineExpired(deadline)
                } else {
                    break
                }
                if let fault = world.take(event) {
                    Issue.record("\(start.key.state): \(fault)")
                    return
                }
                steps += 1
            }
            #expect(steps < 200, "\(start.key.state)")
        }
    }
}

extension NextStep {
    fileprivate var isReinitialise: Bool {
        if case .reinitialise = self { return true }
        return false
    }
}
