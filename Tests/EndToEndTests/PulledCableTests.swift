import Foundation
import Testing

/// The cable is pulled at each stage of a session: the message, and the data that survive.
@Suite(.ownThreads) struct `A pulled cable` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    @Test(arguments: ["ATD", "ATI", "0100"])
    func `the cable is pulled during set-up`(line: String) async throws {
        let adapter = try adapter(pulledAt: line)
        for command in [["info"], ["live", "rpm"], ["log", "rpm"]] {
            let adapter = try self.adapter(pulledAt: line)
            let outcome = try await workplace.run(command + ["-d", adapter.address])
            #expect([69, 74].contains(outcome.status), "\(command): \(outcome)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(adapter.address), "\(outcome)")
            #expect(outcome.errors.contains("hint: "))
        }
        _ = adapter
        // There is no trip without a vehicle.
        #expect(try await trips().isEmpty)
    }

    @Test func `the cable is pulled while read waits`() async throws {
        let adapter = try adapter(pulledAt: "010C")
        let outcome = try await workplace.run(["read", "rpm", "-d", adapter.address])
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("the link was lost"), "\(outcome)")
    }

    @Test func `the cable is pulled while live waits`() async throws {
        let adapter = try adapter(pulledAt: "010C", after: 20)
        let program = try workplace.start([
            "live", "rpm", "--format", "json", "-d", adapter.address,
        ])
        try await program.lines(with: "the link was lost", on: .errors)
        program.send(SIGINT)
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome)")
        var objects = try outcome.objects()
        let summary = objects.popLast()
        #expect(summary?["kind"] as? String == "summary")
        // All requests but the last one were answered.
        #expect(objects.count == adapter.heard.count { $0.hasPrefix("010C") } - 1)
        #expect(objects.allSatisfy { $0["value"] as? Double == PlainAdapter.engineSpeed })
    }

    @Test func `the cable is pulled while live is idle`() async throws {
        let adapter = try adapter()
        let program = try workplace.start([
            "live", "rpm", "--every", "1h", "-d", adapter.address,
        ])
        try await program.lines(with: "1726")
        adapter.pullTheCable()
        try await program.lines(with: "the link was lost", on: .errors)
        program.send(SIGTERM)
        #expect(try await program.finish().status == 0)
    }

    @Test
    func `the cable is pulled while log waits: readings stay, the trip is closed`() async throws {
        let adapter = try adapter(pulledAt: "010C", after: 50)
        let program = try workplace.start([
            "log", "rpm", "--format", "json", "-d", adapter.address,
        ])
        try await program.lines(with: "the link was lost", on: .errors)
        program.send(SIGTERM)
        try await expectKept(program, readings: 50)
    }

    @Test
    func `the cable is pulled while log is idle: readings stay, the trip is closed`() async throws {
        let adapter = try adapter()
        let program = try workplace.start([
            "log", "rpm", "--every", "1h", "--format", "json", "-d", adapter.address,
        ])
        try await program.lines(with: "1726")
        adapter.pullTheCable()
        try await program.lines(with: "the link was lost", on: .errors)
        program.send(SIGINT)
        try await expectKept(program, readings: 1)
    }

    @Test func `the cable is plugged in again: the same trip continues`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            PlainAdapter.asksEngineSpeed(line.text) && line.earlier == 30
                ? .dropConnection : .say(PlainAdapter.answer(line.text))
        }
        let program = try workplace.start([
            "log", "rpm", "--format", "json", "-d", adapter.address,
        ])
        try await program.lines(with: "the link was lost", on: .errors)
        try await program.lines(with: "1726", count: 60)
        program.send(SIGTERM)
        let outcome = try await expectKept(program, readings: 60)
        #expect(try outcome.objects().last?["reconnects"] as? Int == 1)
    }

    /// A device with the same name counts as the same adapter.
    @Test func `another adapter is plugged in: the trip ends`() async throws {
        let link = workplace.path("adapter")
        let first = try adapter(pulledAt: "010C", after: 30)
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: first.address)
        let program = try workplace.start(["log", "rpm", "--format", "json", "-d", link])
        try await program.lines(with: "the link was lost", on: .errors)
        let second = try adapter()
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: second.address)
        try await program.lines(with: "1726", count: 60)
        program.send(SIGTERM)
        try await expectKept(program, readings: 60)
    }

    /// Here the program is killed while the cable stays connected.
    @Test func `a killed log keeps stored readings`() async throws {
        let adapter = try adapter()
        let program = try workplace.start([
            "log", "rpm", "--format", "json", "-d", adapter.address,
        ])
        // Readings are stored at least once a second, and the adapter answers at once.
        try await program.lines(with: "1726", count: 10_000, within: 60)
        program.send(SIGKILL)
        #expect(try await program.finish().status == -SIGKILL)
        let exported = try await workplace.run(["export", "--format", "json"])
        #expect(exported.status == 0, "\(exported.errors)")
        let kept = try exported.objects().filter { $0["signal"] != nil }
        #expect(kept.count > 0)
        #expect(kept.allSatisfy { $0["raw"] as? String == "1AF8" })
        // The next recording closes the trip.
        let next = try await workplace.run(["log", "rpm", "--duration", "1s", "-d", "sim:"])
        #expect(next.status == 0, "\(next)")
        let trips = try await trips()
        #expect(trips.map { $0["open"] as? Bool } == [false, false])
        #expect(trips.first?["readings"] as? Int == kept.count)
    }

    /// A good adapter whose cable is pulled at a line that begins with `text`, after `count`
    /// earlier ones.
    ///
    /// By default the cable stays connected.
    private func adapter(
        pulledAt text: String = "never", after count: Int = 0
    ) throws -> ScriptedAdapter {
        try ScriptedAdapter(.pty) { line in
            line.text.hasPrefix(text) && line.earlier >= count
                ? .hangUp : .say(PlainAdapter.answer(line.text))
        }
    }

    private func trips() async throws -> [[String: Any]] {
        let outcome = try await workplace.run(["trips", "list", "--format", "json"])
        return outcome.status == 66 ? [] : try outcome.objects()
    }

    /// Expects that the program ended well, and that its one trip is closed and has everything that
    /// was printed.
    @discardableResult
    private func expectKept(
        _ program: RunningProgram, readings least: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
        let printed = try outcome.objects().filter { $0["signal"] != nil }
        #expect(printed.count >= least, sourceLocation: sourceLocation)
        let trips = try await trips()
        #expect(trips.count == 1, sourceLocation: sourceLocation)
        #expect(trips.first?["open"] as? Bool == false, sourceLocation: sourceLocation)
        let exported = try await workplace.run(["export", "--format", "json"])
        let kept = try exported.objects().filter { $0["signal"] != nil }
            .map { $0["raw"] as? String }
        #expect(trips.first?["readings"] as? Int == kept.count, sourceLocation: sourceLocation)
        // A reading is stored before it is printed. So the last one may be missing on the screen,
        // but not in the trip.
        #expect(
            kept.starts(with: printed.map { $0["raw"] as? String }), "\(exported.errors)",
            sourceLocation: sourceLocation)
        #expect(kept.count - printed.count <= 1, sourceLocation: sourceLocation)
        return outcome
    }
}
