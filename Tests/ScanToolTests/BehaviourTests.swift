import Adapters
import OBDCore
import ScanTool
import ScanToolTestSupport
import Testing

private let first = RequestID(rawValue: 1)
private let second = RequestID(rawValue: 2)

@Suite struct `A scan tool` {
    /// ISO 15031-5: service 04 clears.
    @Test
    func `a request that may write is refused without consent and sent with consent`() {
        var tool = Tool.after(StateSample.idle)
        #expect(
            tool.effects(of: .submitted(ScriptDialect.unwanted))
                == [.refuse(ScriptDialect.unwanted.id, .needsConsent)])
        #expect(tool.state == .idle)
        #expect(tool.effects(of: .clear).contains(.write(Array("W".utf8))))
    }

    @Test func `a scan tool opens, sets up, sends, delivers and is idle again`() {
        var tool = Tool(dialect: ScriptDialect(), policy: .small)
        #expect(tool.effects(of: .retry) == [.open])
        #expect(tool.effects(of: .opened).contains(.write(Array("I".utf8))))
        #expect(tool.state.kind == .initializing)
        #expect(tool.effects(of: .heard("r")).contains(.notice(.initialized(AdapterIdentity()))))
        #expect(tool.state.kind == .idle)
        #expect(tool.effects(of: .read).contains(.write(Array("R".utf8))))
        #expect(tool.state.kind == .waiting)
        var reply = Reply()
        reply.messages = [ScriptDialect.answer]
        reply.raw = Array("m>".utf8)
        let effects = tool.effects(of: [.heard("m"), .heard(">")])
        #expect(effects.last == .deliver(first, .answered(reply)))
        #expect(tool.state.kind == .processing)
        #expect(tool.effects(of: .replyProcessed(first)) == [])
        #expect(tool.state.kind == .idle)
    }

    @Test func `a scan tool reports monitored lines as they arrive and stores none`() throws {
        var tool = Tool.after(StateSample.idle)
        let begin = tool.effects(of: .submitted(ScriptDialect.monitor))
        // The limit does not come from the dialect: it is the time of listening plus the usual
        // limit.
        #expect(begin.contains(.arm(.reply, after: .seconds(100) + Policy.small.replyLimit)))
        let frame = BusFrame(id: ScriptDialect.engine, data: [0x01])
        #expect(
            tool.effects(of: .heard("th")) == [.notice(.heard("OK")), .notice(.heardFrame(frame))])
        let outcome = try #require(tool.effects(of: .heard(">")).outcome)
        #expect(outcome.reply.texts.isEmpty && outcome.reply.frames.isEmpty)
    }

    /// `m` is a message, `o` reports that it answers another request.
    @Test
    func `after an answer to another request only a request that reads is repeated`() {
        var tool = Tool.after(StateSample.idle + [.read])
        let once = tool.effects(of: .heard("mo"))
        #expect(once.contains(.notice(.damaged(first, faults: 1, errors: []))))
        #expect(once.outcome == nil)
        #expect(tool.effects(of: .deadlineExpired(.pause)).contains(.write(Array("R".utf8))))
        guard case .failed(.outOfStep, let soFar)? = tool.effects(of: .heard("mo")).outcome else {
            Issue.record("\(tool.state)")
            return
        }
        #expect(soFar.messages == [ScriptDialect.answer])
        #expect(tool.state.kind == .processing)

        var healed = Tool.after(StateSample.idle + [.read, .heard("mo"), .deadlineExpired(.pause)])
        guard case .answered? = healed.effects(of: .heard("m>")).outcome else {
            Issue.record("\(healed.state)")
            return
        }

        var writing = Tool.after(StateSample.idle + [.clear])
        guard case .failed(.outOfStep, _)? = writing.effects(of: .heard("mo")).outcome else {
            Issue.record("\(writing.state)")
            return
        }
    }

    @Test(arguments: ["f", ""])
    func `a port that answers nonsense or nothing is given up after one attempt`(_ word: String) {
        var policy = Policy.small
        policy.sessionTries = 0
        var tool = Tool.after(StateSample.start, policy: policy)
        let effects = tool.effects(
            of: word.isEmpty ? .deadlineExpired(.dialect(.reply)) : .heard(word))
        #expect(effects.contains(.close))
        guard case .error(let report) = tool.state else {
            Issue.record("\(tool.state)")
            return
        }
        #expect(report.next == .givenUp && report.attempt == 1)
    }

    /// Bytes to write, timers, a line rate and notices take effect in every state.
    ///
    /// `voltage` is a notice unless a request is under way.
    @Test(arguments: [
        ("set up", StateSample.start, true), ("idle", StateSample.idle, true),
        ("exchanging", StateSample.idle + [.read], false),
        ("processing", StateSample.idle + [.read, .heard("m>")], true),
    ])
    func `a scan tool follows the dialect at any time`(
        name: String, way: [Event], tellsVoltage: Bool
    ) {
        var tool = Tool.after(way)
        let before = tool.state.kind
        var expected: [Effect] = [
            .write(Array("w".utf8)), .arm(.dialect(.listen), after: .seconds(1)),
            .disarm(.dialect(.listen)), .setLineRate(115_200), .notice(.dialect(.aboutToSleep)),
        ]
        if tellsVoltage { expected.append(.notice(.voltage(12.5))) }
        #expect(tool.effects(of: .heard("wkjbsu")) == expected)
        // Only the dialect handles its own timers.
        #expect(
            tool.effects(of: .heard("k")) == [.arm(.dialect(.listen), after: .seconds(1))])
        #expect(tool.effects(of: .deadlineExpired(.dialect(.listen))).isEmpty)
        #expect(tool.state.kind == before)
    }

    @Test func `bytes without a request are ignored`() {
        var setUp = Tool.after(StateSample.start)
        #expect(setUp.effects(of: .heard("m")).isEmpty)
        var idle = Tool.after(StateSample.idle)
        #expect(idle.effects(of: .heard("t")).isEmpty)
        #expect(idle.effects(of: .heard("m")) == [.notice(.unsolicited(ScriptDialect.answer))])
        var waiting = Tool.after(StateSample.idle + [.read])
        #expect(waiting.effects(of: .heard("r")).isEmpty)
        #expect(waiting.state.kind == .waiting)
    }

    @Test func `NO DATA is an answer, and the request is not repeated`() throws {
        var tool = Tool.after(StateSample.idle + [.read])
        let outcome = try #require(tool.effects(of: .heard("n>")).outcome)
        #expect(outcome.reply.errors.isEmpty)
        #expect(tool.state.kind == .processing)
    }

    /// A damaged answer to the adapter's own command is not requested again, because it cannot hide
    /// the answer of an ECU.
    @Test func `a damaged answer of the adapter itself is an answer`() throws {
        var tool = Tool.after(StateSample.idle)
        _ = tool.effects(
            of: .submitted(.command(id: first, text: "AT RV", mayRepeat: true)))
        let outcome = try #require(tool.effects(of: .heard("e>")).outcome)
        #expect(outcome.reply.errors.count == 1)
        #expect(tool.state.kind == .processing)
    }

    @Test
    func `a damaged answer is reported and requested again, even if others were whole`() throws {
        for words in ["e>", "en>", "em>"] {
            var tool = Tool.after(StateSample.idle + [.read])
            let effects = tool.effects(of: .heard(words))
            #expect(effects.outcome == nil, "\(words)")
            let damage = effects.compactMap { effect in
                if case .notice(.damaged(first, let faults, let errors)) = effect {
                    return [faults, errors.count]
                }
                return nil
            }
            #expect(damage == [[1, 1]], "\(words)")
            #expect(tool.effects(of: .deadlineExpired(.pause)).contains(.notice(.repeated(first))))
            let outcome = try #require(tool.effects(of: .heard("m>")).outcome)
            #expect(outcome.reply.messages == [ScriptDialect.answer])
            #expect(outcome.reply.errors.isEmpty)
        }
        // The same damage comes twice, so it is not random.
        var tool = Tool.after(StateSample.idle + [.read])
        _ = tool.effects(of: .heard("em>"))
        _ = tool.effects(of: .deadlineExpired(.pause))
        let outcome = try #require(tool.effects(of: .heard("em>")).outcome)
        #expect(outcome.reply.errors.count == 1)
        #expect(outcome.reply.messages.count == 1)
        // A request that writes is not sent again.
        var clearing = Tool.after(StateSample.idle + [.clear])
        #expect(clearing.effects(of: .heard("e>")).outcome?.reply.errors.count == 1)
    }

    @Test func `a scan tool listens to the bus for as long as the request says`() {
        var tool = Tool.after(StateSample.idle)
        let request = VehicleRequest(
            id: first, payload: [], mayRepeat: true,
            ending: .listen(frames: nil, atMost: .seconds(30)))
        let effects = tool.effects(of: .submitted(.vehicle(request)))
        #expect(effects.contains(.arm(.reply, after: .seconds(30) + Policy.small.replyLimit)))
        #expect(tool.effects(of: .heard("h")).isEmpty)
        let outcome = tool.effects(of: .heard(">")).outcome
        #expect(outcome?.reply.frames == [BusFrame(id: ScriptDialect.engine, data: [0x01])])
    }

    @Test func `a scan tool refuses a second request during a request`() {
        var tool = Tool.after(StateSample.idle + [.read])
        #expect(tool.effects(of: .clear) == [.refuse(second, .busy)])
    }

    @Test func `a scan tool waits after response pending, but not without end`() {
        var tool = Tool.after(StateSample.idle + [.read])
        let more = Effect.arm(.reply, after: Policy.small.pendingLimit)
        #expect(tool.effects(of: .heard("p")).contains(more))
        #expect(tool.effects(of: .heard("p")).contains(more))
        #expect(!tool.effects(of: .heard("p")).contains(more))
    }

    /// The answer after it gets the usual time, and the ECU may ask for more time again.
    @Test func `after response pending the next message gets its usual time`() {
        var tool = Tool.after(StateSample.idle + [.read, .heard("p")])
        let usual = Effect.arm(.reply, after: Policy.small.replyLimit)
        #expect(tool.effects(of: .heard("t")) == [usual])
        #expect(tool.effects(of: .heard("t")) == [])
        #expect(
            tool.effects(of: .heard("p")) == [.arm(.reply, after: Policy.small.pendingLimit)])
        var interrupted = Tool.after(StateSample.idle + [.read, .heard("p"), .stopRequested])
        #expect(interrupted.effects(of: .heard("t")) == [])
    }

    /// The adapter reports a restart after the prompt.
    ///
    /// Bytes from before the restart count, and the settings are made again before the next request.
    @Test(
        arguments: [
            ("behind an answer", StateSample.idle + [.read], "m>z", "answered"),
            (
                "behind what asks for a repeat", StateSample.idle + [.read], "d>z",
                "adapterRestarted"
            ),
            ("in the pause", StateSample.idle + [.read, .heard("d>")], "z", "adapterRestarted"),
            (
                "behind the prompt after a time-out",
                StateSample.idle + [.read, .deadlineExpired(.reply)], ">z", "timedOut"
            ),
            (
                "before the request was sent", StateSample.idle + [.clear], "Z",
                "restartedBeforeSending"
            ),
            (
                "before it was sent again",
                StateSample.idle + [.read, .heard("d>"), .deadlineExpired(.pause)], "Z",
                "adapterRestarted"
            ),
            ("behind the set-up", StateSample.start, "rz", nil),
            ("while nothing is asked", StateSample.idle, "z", nil),
        ] as [(String, [Event], String, String?)])
    func `a scan tool notices a restart in every state`(
        name: String, way: [Event], words: String, outcome: String?
    ) {
        var tool = Tool.after(way)
        let effects = tool.effects(of: .heard(words))
        let told: String? =
            switch effects.outcome {
            case .answered: "answered"
            case .failed(let failure, _): "\(failure)"
            case nil: nil
            }
        #expect(told == outcome, "\(name)")
        #expect(effects.outcomes == (outcome == nil ? 0 : 1), "\(name)")
        guard case .error(let report) = tool.state else {
            Issue.record("\(name): \(tool.state)")
            return
        }
        #expect(report.reason == .adapterRestarted, "\(name)")
        #expect(
            tool.effects(of: .deadlineExpired(.retry)).contains(.write(Array("I".utf8))),
            "\(name)")
    }

    @Test func `a scan tool closes a session that is being stopped even if the adapter restarts`() {
        var tool = Tool.after(StateSample.idle + [.read, .stopRequested])
        _ = tool.effects(of: .heard(">z"))
        #expect(tool.state.kind == .processing)
        #expect(tool.effects(of: .replyProcessed(first)) == [.close])
    }

    @Test func `a scan tool removes response pending after the answer arrived`() throws {
        var tool = Tool.after(StateSample.idle + [.read])
        let outcome = try #require(tool.effects(of: .heard("pm>")).outcome)
        #expect(outcome.reply.messages == [ScriptDialect.answer])
    }

    @Test
    func `after only response pending a scan tool repeats the request once`() throws {
        var tool = Tool.after(StateSample.idle + [.read, .heard("p>")])
        #expect(tool.state.kind == .waiting)
        let effects = tool.effects(of: .deadlineExpired(.pause))
        #expect(effects.contains(.write(Array("R".utf8))))
        #expect(effects.contains(.notice(.repeated(first))))
        let outcome = try #require(tool.effects(of: .heard("p>")).outcome)
        #expect(outcome.reply.messages == [ScriptDialect.pending])
        #expect(outcome.reply.wasPending)
    }

    /// An adapter counts "response pending" as an answer.
    ///
    /// With a frame count it would stop there.
    @Test
    func `a scan tool repeats the request without a frame count after response pending`() throws {
        var tool = Tool.after(StateSample.idle)
        let counted = VehicleRequest(id: first, payload: [0x01, 0x0C], expectedFrames: 1)
        _ = tool.effects(of: .submitted(.vehicle(counted)))
        _ = tool.effects(of: .heard("p>"))
        _ = tool.effects(of: .deadlineExpired(.pause))
        guard case .waiting(let waiting) = tool.state, case .vehicle(let again) = waiting.request
        else {
            Issue.record("\(tool.state)")
            return
        }
        #expect(again.expectedFrames == nil && again.payload == counted.payload)
        let outcome = try #require(tool.effects(of: .heard("m>")).outcome)
        #expect(outcome.reply.messages == [ScriptDialect.answer] && outcome.reply.wasPending)
    }

    // ISO 14229-1: 21 = busy, repeat request. ISO 14230-3: 23 = routine not complete. 37 asks for a
    // delay that only the user can judge.
    @Test(arguments: [("B>", 3), ("N>", 3), ("D>", 1)])
    func `a scan tool repeats the request if the ECU asks for it`(_ words: String, _ count: Int) {
        var tool = Tool.after(StateSample.idle)
        var written = tool.effects(of: .read)
        for _ in 0..<5 { written += tool.effects(of: [.heard(words), .deadlineExpired(.pause)]) }
        #expect(written.filter { $0 == .write(Array("R".utf8)) }.count == count)
        #expect(written.outcomes == 1)
        #expect(tool.state.kind == .processing)
    }

    @Test(arguments: ["d>", "p>", "z", "l>", "x", "n>", "B>", "N>", "D>"])
    func `a scan tool never sends a writing request twice`(_ words: String) {
        var tool = Tool.after(StateSample.idle)
        var written = tool.effects(of: [.clear, .heard(words)])
        for _ in 0..<6 {
            if let deadline = tool.armedDeadlines.first {
                written += tool.effects(of: .deadlineExpired(deadline))
            }
        }
        #expect(written.filter { $0 == .write(Array("W".utf8)) }.count == 1)
        #expect(written.outcomes == 1)
    }

    @Test func `a scan tool repeats a disturbed reading request as often as its status allows`() {
        // DATA ERROR allows two repetitions (AdapterStatus.recovery).
        var tool = Tool.after(StateSample.idle)
        var written = tool.effects(of: .read)
        for _ in 0..<3 { written += tool.effects(of: [.heard("d>"), .deadlineExpired(.pause)]) }
        #expect(written.filter { $0 == .write(Array("R".utf8)) }.count == 3)
        #expect(tool.state.kind == .processing)
    }

    @Test
    func `a scan tool interrupts an adapter that never ends and waits for its prompt`() throws {
        var tool = Tool.after(StateSample.idle + [.read, .heard("m")])
        #expect(tool.effects(of: .deadlineExpired(.reply)).contains(.write(Array("!".utf8))))
        #expect(tool.state.kind == .waiting)
        let effects = tool.effects(of: .heard(">"))
        guard case .failed(.timedOut, let soFar) = try #require(effects.outcome) else {
            Issue.record("\(effects)")
            return
        }
        #expect(soFar.messages == [ScriptDialect.answer])
        #expect(tool.state.kind == .processing)
    }

    @Test
    func `a scan tool sets the adapter up again if it sends no prompt after the interruption`() {
        var tool = Tool.after(StateSample.idle + [.read, .deadlineExpired(.reply)])
        let effects = tool.effects(of: .deadlineExpired(.interrupt))
        #expect(effects.outcomes == 1)
        #expect(tool.state == .error(report(.unresponsive, .waiting, 1, .reinitialise)))
        #expect(tool.effects(of: .deadlineExpired(.retry)).contains(.write(Array("I".utf8))))
    }

    @Test func `a scan tool stops a current request and waits for the prompt before it closes`() {
        var tool = Tool.after(StateSample.idle + [.read])
        let effects = tool.effects(of: .stopRequested)
        #expect(effects.contains(.write(Array("!".utf8))))
        #expect(!effects.contains(.close))
        #expect(tool.effects(of: .heard(">")).outcomes == 1)
        #expect(tool.effects(of: .replyProcessed(first)).contains(.close))
        #expect(tool.effects(of: .closed) == [])
        #expect(tool.state == .initializing(.detached))
    }

    @Test func `a scan tool stops a current set-up and waits for the prompt before it closes`() {
        var tool = Tool.after(StateSample.start)
        #expect(tool.effects(of: .stopRequested).contains(.write(Array("!".utf8))))
        #expect(tool.effects(of: .heard(">")).contains(.close))
    }

    @Test func `a scan tool gives up at once if reconnecting is not allowed`() {
        var policy = Policy.small
        policy.sessionTries = 0
        var tool = Tool.after([.retry], policy: policy)
        #expect(
            tool.effects(of: .openFailed)
                == [
                    .report(
                        ErrorReport(
                            reason: .openFailed, phase: .initializing, attempt: 1, next: .givenUp))
                ])
    }

    @Test func `a scan tool doubles its pauses up to the longest pause`() {
        var policy = Policy.small
        policy.sessionTries = nil
        policy.firstPause = .seconds(1)
        policy.longestPause = .seconds(6)
        var tool = Tool.after([.retry], policy: policy)
        var pauses: [Duration] = []
        for _ in 0..<5 {
            for case .arm(.retry, let pause) in tool.effects(of: .openFailed) {
                pauses.append(pause)
            }
            _ = tool.effects(of: .deadlineExpired(.retry))
        }
        #expect(pauses == [.seconds(1), .seconds(2), .seconds(4), .seconds(6), .seconds(6)])
    }

    @Test func `an answer resets the count of failures, a set-up alone does not`() {
        var tool = Tool.after(
            StateSample.idle + [.closed, .deadlineExpired(.retry), .opened, .heard("r")])
        #expect(tool.failures == 1)
        _ = tool.effects(of: [.read, .heard("m>")])
        #expect(tool.failures == 0)
    }

    @Test func `another failure in the error state replaces the reason and continues the count`() {
        var tool = Tool.after(StateSample.idle + [.read, .heard("z")])
        #expect(tool.state == .error(report(.adapterRestarted, .waiting, 1, .reinitialise)))
        _ = tool.effects(of: .closed)
        #expect(tool.state == .error(report(.linkLost, .error, 2, .awaitSession)))
    }

    @Test
    func `a scan tool continues to ask a switched-off vehicle while reconnecting is allowed`() {
        var tool = Tool.after(StateSample.start)
        let effects = tool.effects(of: .heard("v"))
        #expect(!effects.contains(.close))
        #expect(
            tool.state
                == .error(
                    report(
                        .initialisation(.noVehicle(.unableToConnect)), .initializing, 1,
                        .reinitialise)))
    }

    @Test
    func `without reconnecting a scan tool reports a silent vehicle at once`() {
        var policy = Policy.small
        policy.sessionTries = 0
        var tool = Tool.after(StateSample.start, policy: policy)
        #expect(tool.effects(of: .heard("v")).contains(.close))
        guard case .error(let report) = tool.state else {
            Issue.record("\(tool.state)")
            return
        }
        #expect(report.next == .givenUp)
    }

    @Test func `a scan tool keeps a limited number of bytes of a reply`() {
        var tool = Tool.after(StateSample.idle + [.read])
        let much = [UInt8](repeating: UInt8(ascii: "m"), count: 10_000)
        for _ in 0..<10 { _ = tool.effects(of: .received(much)) }
        guard case .waiting(let waiting) = tool.state else {
            Issue.record("\(tool.state.kind)")
            return
        }
        #expect(waiting.reply.raw.count == Reply.rawLimit)
        #expect(waiting.reply.messages.count == 4_096)
    }

    private enum Next { case reinitialise, awaitSession }

    private func report(
        _ reason: ErrorReason, _ phase: StateKind, _ attempt: Int, _ next: Next
    ) -> ErrorReport {
        let pause = Policy.small.firstPause * (1 << (attempt - 1))
        return ErrorReport(
            reason: reason, phase: phase, attempt: attempt,
            next: next == .reinitialise ? .reinitialise(after: pause) : .awaitSession(after: pause))
    }
}

extension [Effect] {
    /// The outcome that is delivered.
    var outcome: Outcome? {
        for case .deliver(_, let outcome) in self { return outcome }
        return nil
    }

    /// The number of requests that got an outcome.
    var outcomes: Int {
        filter {
            switch $0 {
            case .deliver, .refuse: true
            default: false
            }
        }.count
    }
}
