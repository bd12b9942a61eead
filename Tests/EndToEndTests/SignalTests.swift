import Foundation
import Testing

/// How the program ends after a signal.
@Suite(.ownThreads) struct `Signals that end the program` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// The shell must see that the signal ended the program, so that a script stops, too.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends a waiting request, and the program ends by the same signal`(signal: Int32)
        async throws
    {
        let adapter = try ScriptedAdapter(.tcp) { line in
            PlainAdapter.asksEngineSpeed(line.text)
                ? .busy : .say(PlainAdapter.answer(line.text))
        }
        let program = try workplace.start([
            "read", "vss", "rpm", "--format", "json", "-d", adapter.address,
        ])
        try await program.lines(with: "\"VSS\"")
        program.send(signal)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == -signal, "\(outcome)")
        // Values that came before the signal were printed.
        #expect(outcome.output.contains("VSS"))
        #expect(!outcome.errors.contains("obdscan: "))
    }

    /// The program gives the adapter time to report that it stopped, but the adapter does not.
    @Test func `a signal ends a request to a dead adapter`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            PlainAdapter.asksEngineSpeed(line.text)
                ? .nothing : .say(PlainAdapter.answer(line.text))
        }
        let program = try workplace.start([
            "read", "vss", "rpm", "--format", "json", "-d", adapter.address,
        ])
        try await program.lines(with: "\"VSS\"")
        program.send(SIGINT)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == -SIGINT, "\(outcome)")
    }

    @Test func `a signal ends an unfinished connection at once`() async throws {
        let adapter = try ScriptedAdapter(.pty) { _ in .nothing }
        let program = try workplace.start(["info", "-d", adapter.address])
        try await adapter.hears("AT")
        program.send(SIGINT)
        #expect(try await program.finish(within: 5).status == -SIGINT)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `each of the system's signals ends log with a closed trip`(signal: Int32) async throws {
        let adapter = try ScriptedAdapter(.tcp) { .say(PlainAdapter.answer($0.text)) }
        let program = try workplace.start([
            "log", "rpm", "--format", "json", "-d", adapter.address,
        ])
        try await program.lines(with: "1726", count: 10)
        program.send(signal)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let printed = try outcome.objects().count { $0["signal"] != nil }
        let trips = try await workplace.run(["trips", "--format", "json"])
        let trip = try #require(try trips.objects().first)
        #expect(trip["open"] as? Bool == false)
        // A reading is stored before it is printed.
        let stored = trip["readings"] as? Int ?? 0
        #expect((printed...printed + 1).contains(stored))
    }

    /// The first signal waits for the prompt of an adapter that does not answer.
    @Test(arguments: ["log", "live"])
    func `a second signal of the system ends log and live at once`(command: String) async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            PlainAdapter.asksEngineSpeed(line.text) && line.earlier > 5
                ? .nothing : .say(PlainAdapter.answer(line.text))
        }
        // Otherwise log first finishes its list of codes.
        let rest = command == "log" ? ["--no-codes"] : []
        let program = try workplace.start(
            [command, "rpm", "--format", "json", "-d", adapter.address] + rest)
        try await adapter.hears("010C", times: 7)
        program.send(SIGINT)
        try await adapter.isInterrupted()
        program.send(SIGINT)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == -SIGINT, "\(outcome)")
        #expect(!outcome.output.contains("\"kind\":\"summary\""), "\(outcome)")
    }

    // This test does not send SIGTSTP: it never stops a process group without a terminal.
    // `scripts/screens` tests Ctrl-Z in the view.
    @Test func `a log that was stopped with Ctrl-Z continues its trip`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { .say(PlainAdapter.answer($0.text)) }
        let program = try workplace.start([
            "log", "rpm", "--format", "json", "-d", adapter.address,
        ])
        try await program.lines(with: "1726", count: 10)
        program.send(SIGSTOP)
        // The process is stopped, not ended.
        var status: Int32 = 0
        #expect(waitpid(program.pid, &status, WUNTRACED) == program.pid)
        #expect(status & 0xFF == 0x7F && status >> 8 & 0xFF == SIGSTOP, "\(status)")
        let before = program.text(.output).split(separator: "\n").count
        program.send(SIGCONT)
        // Wait for more lines than the pipe can still hold from before the stop.
        try await program.lines(with: "1726", count: before + 2000)
        program.send(SIGINT)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let trips = try await workplace.run(["trips", "--format", "json"]).objects()
        #expect(trips.count == 1 && trips.first?["open"] as? Bool == false)
    }

    @Test func `live ends quietly if the reader of its pipe leaves`() async throws {
        let outcome = try await workplace.shell(
            """
            { "$OBDSCAN" live rpm -d 'sim:?frozen=true'; echo "code $?" >&2; } | head -n 3
            """)
        #expect(outcome.output.split(separator: "\n").count == 3, "\(outcome)")
        #expect(outcome.errors.contains("code 0"), "\(outcome)")
        #expect(!outcome.errors.contains("obdscan: "), "\(outcome)")
    }
}
