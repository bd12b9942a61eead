import OBDCore
import ScanTool
import ScanToolTestSupport
import Testing

@Suite struct `Every state takes every event` {
    @Test func `the sample states cover every kind of state`() {
        #expect(Set(StateSample.all.map(\.kind)) == Set(StateKind.allCases))
        #expect(Set(EventSample.all.map(\.event.kind)) == Set(EventKind.allCases))
    }

    @Test(arguments: StateSample.all)
    func `the events listed before each sample state lead to that state`(_ sample: StateSample) {
        #expect(sample.tool.state.kind == sample.kind)
    }

    @Test(arguments: StateSample.all, EventSample.all)
    func `no request is lost or doubled`(_ sample: StateSample, _ event: EventSample) {
        var tool = sample.tool
        let before = tool.state
        let effects = tool.effects(of: event.event)
        let settled = effects.compactMap { effect -> RequestID? in
            switch effect {
            case .deliver(let id, _), .refuse(let id, _): id
            default: nil
            }
        }
        var owed: [RequestID] = []
        if case .waiting(let waiting) = before { owed.append(waiting.request.id) }
        if case .submitted(let request) = event.event { owed.append(request.id) }
        if case .waiting(let waiting) = tool.state {
            // The request under way is the only one without an outcome.
            #expect(
                settled + [waiting.request.id] == owed || [waiting.request.id] + settled == owed)
        } else {
            #expect(settled == owed)
        }
    }

    @Test(arguments: StateSample.all, EventSample.all)
    func `the error state is reported, and each further failure in it, too`(
        _ sample: StateSample, _ event: EventSample
    ) {
        var tool = sample.tool
        let before = tool.state
        let effects = tool.effects(of: event.event)
        let reports = effects.compactMap { effect -> ErrorReport? in
            if case .report(let report) = effect { report } else { nil }
        }
        guard case .error(let now) = tool.state else {
            #expect(reports.isEmpty)
            return
        }
        if before == tool.state {
            #expect(reports.isEmpty)
        } else {
            #expect(reports == [now])
            if case .error(let earlier) = before { #expect(now.attempt == earlier.attempt + 1) }
        }
    }

    @Test(arguments: StateSample.all, EventSample.all)
    func `every wait has a deadline`(
        _ sample: StateSample, _ event: EventSample
    ) {
        var tool = sample.tool
        let effects = tool.effects(of: event.event)
        let orders = effects.contains(.open) || effects.contains(.close)
        switch tool.state {
        case .waiting, .initializing(.probing), .initializing(.interrupting):
            #expect(!tool.armedDeadlines.isEmpty)
        case .error(let report):
            switch report.next {
            case .reinitialise: #expect(tool.armedDeadlines == [.retry])
            case .awaitSession:
                // If a session is ordered, its result takes the place of the deadline.
                #expect(
                    tool.armedDeadlines == [.retry] || orders
                        || sample.name == "session ordered")
            case .givenUp: #expect(tool.armedDeadlines.isEmpty)
            }
        case .initializing(.detached), .initializing(.ready): #expect(tool.armedDeadlines.isEmpty)
        case .idle, .processing, .processingLast: break
        case .modifying: Issue.record("a state was not put back")
        }
    }

    @Test(arguments: StateSample.all)
    func `a stop always ends in order`(_ sample: StateSample) {
        var tool = sample.tool
        _ = tool.effects(of: .stopRequested)
        for _ in 0..<8 {
            switch tool.state {
            case .initializing(.ready): _ = tool.effects(of: .closed)
            case .processing(let id), .processingLast(let id):
                _ = tool.effects(of: .replyProcessed(id))
            default:
                guard let deadline = tool.armedDeadlines.first else { break }
                _ = tool.effects(of: .deadlineExpired(deadline))
            }
        }
        #expect(tool.state == .initializing(.detached))
    }
}
