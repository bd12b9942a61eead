import Adapters
import Diagnostics
import OBDCore
import ScanTool
import Simulator
import Testing

/// A scan tool polls a simulated adapter on a manual clock, as the session does, and accounts for
/// the time.
private struct TimedRun {
    private var machine = ScanTool(dialect: ELM327Dialect(), policy: Policy())
    private var adapter: SimulatedAdapter
    private var plan: PollPlan
    private var now = Instant.zero
    private var deadlines: [Deadline: Instant] = [:]
    private var effects: [Effect] = []
    private var followUps: [Event] = []
    private var current: (request: VehicleRequest, timing: ExchangeTiming)?
    private var lastEnd: Instant?
    private var freeSince: Instant?
    private var begun: Instant?
    private let rate: Int?
    private(set) var account = TimeAccount()
    private(set) var requests = 0
    private(set) var bytes = 0

    init(_ address: String, _ wants: [PollPlan.Want], rate: Int?) throws {
        adapter = try SimulatedAdapter(SimulatorOptions(address), at: .zero)
        plan = PollPlan(wants: wants)
        self.rate = rate
    }

    /// Polls for `time`, and returns the time since the first request.
    mutating func run(for time: Duration) -> Duration {
        handle(.retry)
        var steps = 0
        while steps < 100_000 {
            steps += 1
            var wait: Instant?
            if case .idle = machine.state {
                if let begun, let lastEnd, now - begun >= time {
                    account.takeGap(
                        from: lastEnd, freeSince: freeSince, until: now, isOutage: false)
                    return now - begun
                }
                switch plan.next(at: now, link: machine.dialect.capabilities) {
                case .ask(let request):
                    if let lastEnd {
                        account.takeGap(
                            from: lastEnd, freeSince: freeSince, until: now, isOutage: false)
                    }
                    begun = begun ?? now
                    freeSince = nil
                    requests += 1
                    current = (request, ExchangeTiming(at: now))
                    handle(.submitted(.vehicle(request)))
                case .wait(let until):
                    freeSince = freeSince ?? now
                    wait = until
                case .readVoltage, .done: break
                }
            }
            let next = [adapter.nextDeadline, deadlines.values.min(), wait].compactMap(\.self).min()
            now = max(now, next ?? now)
            let said = adapter.due(at: now)
            if !said.isEmpty {
                if current != nil { bytes += said.count }
                current?.timing.received(said, at: now)
                handle(.received(said))
            }
            for (deadline, time) in deadlines where time <= now && deadlines[deadline] == time {
                deadlines[deadline] = nil
                handle(.deadlineExpired(deadline))
            }
        }
        Issue.record("no end")
        return .zero
    }

    private mutating func handle(_ event: Event) {
        followUps.append(event)
        while !followUps.isEmpty {
            machine.handle(followUps.removeFirst(), &effects)
            let orders = effects
            effects = []
            for order in orders { carryOut(order) }
        }
    }

    private mutating func carryOut(_ effect: Effect) {
        switch effect {
        case .open: followUps.append(.opened)
        case .write(let sent):
            if current != nil { bytes += sent.count }
            current?.timing.wrote(sent, at: now)
            adapter.receive(sent, at: now)
        case .arm(let deadline, let time): deadlines[deadline] = now + time
        case .disarm(let deadline): deadlines[deadline] = nil
        case .setLineRate(let rate): followUps.append(.lineRateSet(rate))
        case .setFilter: break
        case .deliver(let id, let outcome):
            if let (request, timing) = current {
                current = nil
                lastEnd = now
                let messages = outcome.reply.messages
                account.take(timing, at: now, rate: rate, isSilent: messages.isEmpty)
                plan.answered(
                    request.id, messages.isEmpty ? .silent : .answered(messages, intact: true),
                    at: now)
            }
            followUps.append(.replyProcessed(id))
        case .refuse, .notice, .report: break
        case .close: followUps.append(.closed)
        }
    }
}

private func want(_ pid: UInt32, _ length: Int, every period: Duration? = nil) -> PollPlan.Want {
    PollPlan.Want(DataID(.currentData, pid), length: length, period: period)
}

private let three = [want(0x0C, 2), want(0x0D, 1), want(0x05, 1)]

/// The parts must add up to the whole time.
///
/// Each part may be wrong by 3 % of the time plus 0.5 ms per request.
@Suite struct `The account of a simulated adapter's time` {
    private func check(
        _ part: Duration, _ expected: Double, _ run: TimedRun, _ whole: Duration,
        _ name: Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let bound = 0.03 * whole.seconds + 0.0005 * Double(run.requests)
        #expect(abs(part.seconds - expected) <= bound, name, sourceLocation: sourceLocation)
    }

    @Test(arguments: [5, 10, 25, 50])
    func `with a count digit the waiting is only the ECU's latency`(_ latency: Int) throws {
        var run = try TimedRun(
            "petrol?latency=\(latency)ms&wait=100ms&ecus=1&protocol=6", three, rate: nil)
        let whole = run.run(for: .seconds(10))
        let parts = run.account.parts
        check(parts.bus, Double(run.requests * latency) / 1000, run, whole, "bus")
        // Two requests at the start have no count digit, and then one in 50.
        let digitless = 2 + run.requests / 52
        check(parts.adapterWait, Double(digitless) * 0.1, run, whole, "waiting")
        #expect(parts.link == .zero && parts.lost == .zero)
        #expect(abs(parts.total.seconds - whole.seconds) < 0.001 * whole.seconds)
    }

    @Test(arguments: [50, 100, 200])
    func `without a count digit the adapter's own waiting is listed`(_ wait: Int) throws {
        var run = try TimedRun(
            "petrol?latency=20ms&wait=\(wait)ms&ecus=1&protocol=6&personality=\(Self.digitless)",
            three, rate: nil)
        let whole = run.run(for: .seconds(20))
        let parts = run.account.parts
        check(parts.adapterWait, Double(run.requests * wait) / 1000, run, whole, "waiting")
        check(parts.bus, Double(run.requests) * 0.02, run, whole, "bus")
    }

    @Test(arguments: [9_600, 38_400, 115_200])
    func `the time on the line follows the rate`(_ baud: Int) throws {
        var run = try TimedRun(
            "petrol?latency=20ms&wait=0&ecus=1&protocol=6&baud=\(baud)", three, rate: baud)
        let whole = run.run(for: .seconds(10))
        let parts = run.account.parts
        check(parts.link, Double(run.bytes) * 10 / Double(baud), run, whole, "line")
        check(parts.bus, Double(run.requests) * 0.02, run, whole, "bus")
        check(parts.adapterWait, 0, run, whole, "waiting")
    }

    @Test func `requests without an answer and times without a due record are listed`() throws {
        var run = try TimedRun(
            "petrol?latency=20ms&wait=100ms&ecus=1&protocol=6",
            [want(0x0C, 2, every: .milliseconds(500))], rate: nil)
        let whole = run.run(for: .seconds(20))
        let parts = run.account.parts
        // The first two requests also wait for further answers.
        let asking = Double(run.requests) * 0.02 + 0.2
        check(parts.idle, whole.seconds - asking, run, whole, "idle")
        var silent = try TimedRun(
            "petrol?latency=20ms&wait=100ms&ecus=1&protocol=6", [want(0xC6, 7)], rate: nil)
        _ = silent.run(for: .seconds(20))
        #expect(silent.account.silent == silent.requests)
        #expect(silent.account.parts.bus == .zero)
    }

    /// A clone that answers `?` to a request with a count digit.
    private static let digitless = "clone-nodigit"
}
