import Foundation
import Testing

/// A user marks a moment while a trip is recorded.
///
/// Every view of the trip shows the mark.
@Suite(.ownThreads) struct `A marked moment` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let vehicle = "sim:?latency=5ms"

    private func notes() async throws -> [(time: String, text: String)] {
        try await workplace.run(["export", "--format", "json"]).objects()
            .filter { $0["kind"] as? String == "note" }
            .map { ($0["time"] as? String ?? "", $0["text"] as? String ?? "") }
    }

    private func trips() async throws -> [[String: Any]] {
        try await workplace.run(["trips", "--format", "json"]).objects()
    }

    @Test func `a key of the live view marks the moment between its readings`() async throws {
        let program = try workplace.startOnTerminal([
            "live", "--log", "rpm", "speed", "-d", Self.vehicle,
        ])
        try await program.shows("⏺ trip 1")
        // The view has the VIN and a speed of the engine by now.
        try await program.shows("5XXBD1GA8LX000042")
        try await program.shows("│8000")
        program.type("m")
        try await program.shows("mark 1 is set")
        program.type("?")
        try await program.shows("mark this moment")
        program.type("m")
        try await program.shows("mark 2 is set")
        // The next picture comes after further readings.
        program.type("xp")
        try await program.shows("paused")
        program.type("q")
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("Trip 1: "), "\(outcome.errors)")

        let notes = try await notes()
        #expect(notes.map(\.text) == ["mark 1", "mark 2"])
        let readings = try await workplace.run(["export", "--format", "json"]).objects()
            .filter { $0["signal"] as? String == "RPM" }.compactMap { $0["time"] as? String }
        let first = try #require(readings.first)
        let last = try #require(readings.last)
        #expect(notes.allSatisfy { first < $0.time && $0.time <= last })
        let trip = try #require(try await trips().first)
        #expect(trip["open"] as? Bool == false)
        #expect(trip["vin"] as? String != nil)
        let shown = try await workplace.run(["trips", "show"])
        #expect(shown.output.contains("mark 2"))
        let page = workplace.path("trip.html")
        #expect(try await workplace.run(["trips", "report", "1", "--to", page]).status == 0)
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains("mark 2"))
    }

    @Test func `without a trip the key shows how to record one`() async throws {
        let program = try workplace.startOnTerminal(["live", "rpm", "-d", Self.vehicle])
        try await program.shows(" rpm ")
        // A user may send this signal to the wrong process. By default it would end the program.
        program.send(SIGUSR1)
        program.type("m")
        try await program.shows("no trip is being recorded: l begins one")
        program.type("q")
        #expect(try await program.finish().status == 0)
        #expect(try await trips().isEmpty)
    }

    @Test func `live prints, counts and stores the same readings; SIGUSR1 sets a mark`()
        async throws
    {
        let program = try workplace.start([
            "live", "--log", "rpm", "speed", "--format", "json", "-d", Self.vehicle,
        ])
        try await program.lines(with: "\"RPM\"", count: 10)
        program.send(SIGUSR1)
        try await program.lines(with: "mark 1 is set", on: .errors)
        program.send(SIGINT)
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome)")
        let objects = try outcome.objects()
        let summary = try #require(objects.last)
        #expect(summary["trip"] as? Int == 1)
        let printed = objects.filter { $0["signal"] != nil }
        let trip = try #require(try await trips().first)
        #expect(summary["readings"] as? Int == trip["readings"] as? Int)
        // The VIN is among the stored readings.
        let stored = try await workplace.run(["export", "--format", "json"]).objects()
            .filter { ["RPM", "VSS", "VIN", "ECUNAME"].contains($0["signal"] as? String) }
        #expect(
            stored.map { $0["time"] as? String } == printed.map { $0["time"] as? String })
        #expect(trip["readings"] as? Int == printed.count)
        #expect(trip["vin"] as? String != nil)
        #expect(try await notes().map(\.text) == ["mark 1"])
    }

    @Test func `a signal marks the trips of all adapters`() async throws {
        let adapters = try (0..<2).map { _ in
            try ScriptedAdapter(.tcp) { .say(PlainAdapter.answer($0.text)) }
        }
        let program = try workplace.start(
            ["log", "rpm", "--format", "json"] + adapters.flatMap { ["-d", $0.address] })
        for adapter in adapters {
            try await program.lines(with: "\"device\":\"\(adapter.address)\"", count: 5)
        }
        program.send(SIGUSR1)
        try await program.lines(with: "mark 1 is set", count: 2, on: .errors)
        program.send(SIGINT)
        #expect(try await program.finish().status == 0)
        for trip in ["1", "2"] {
            let shown = try await workplace.run(["trips", "show", trip])
            #expect(shown.output.contains("mark 1"), "\(shown)")
        }
    }

    @Test func `the view reconnects a lost link, and the same trip continues`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            PlainAdapter.asksEngineSpeed(line.text) && line.earlier == 30
                ? .dropConnection : .say(PlainAdapter.answer(line.text))
        }
        let program = try workplace.startOnTerminal(["live", "--log", "rpm", "-d", adapter.address])
        try await program.shows("link lost for")
        program.type("m")
        try await program.shows("mark 1 is set")
        try await adapter.hears("010C", times: 60)
        // The terminal turns this character into SIGINT, as for Ctrl-C.
        program.type("\u{03}")
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("1 reconnect"), "\(outcome.errors)")
        #expect(try await trips().count == 1)
        let events = try await workplace.run(["export", "--format", "json"]).objects()
            .compactMap { $0["event"] as? String ?? $0["kind"] as? String }
        #expect(events.contains("linkLost") && events.contains("reconnected"), "\(Set(events))")
        #expect(try await notes().map(\.text) == ["mark 1"])
    }

    @Test(.enabled(if: TinyDisk.isPossible, "no file system can be mounted here"))
    func `the view reports a full disk, and at the end the unstored readings`() async throws {
        let disk = TinyDisk(workplace, kilobytes: 900)
        let program = try disk.start(
            """
            "$OBDSCAN" live --log -d 'sim:petrol?latency=0' --db \(disk.path)/trips.db
            status=$?
            mount -o remount,size=60m \(disk.path)
            "$OBDSCAN" trips --db \(disk.path)/trips.db > /dev/null
            exit $status
            """, onTerminal: true)
        try await program.shows("readings are held in memory", within: 60)
        program.type("mq")
        let outcome = try await program.finish()
        #expect(outcome.status == 73, "\(outcome.errors)")
        #expect(outcome.errors.contains("entries wait in memory"), "\(outcome.errors)")
    }
}
