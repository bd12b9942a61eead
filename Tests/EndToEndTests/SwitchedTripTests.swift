import Foundation
import Testing

/// A user begins and ends a recording while the vehicle is watched.
@Suite(.ownThreads) struct `A recording that a key or a button begins` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private static let vehicle = "sim:?latency=5ms&codes=P0301"

    private func trips() async throws -> [[String: Any]] {
        try await workplace.run(["trips", "--format", "json"]).objects()
    }

    /// The readings that the database has of a trip.
    private func stored(_ trip: Int) async throws -> Int {
        try await workplace.run(["export", "\(trip)", "--format", "json"]).objects()
            .count { $0["kind"] as? String == "reading" && $0["pid"] is String }
    }

    @Test func `a key of the live view begins and ends trips`() async throws {
        let program = try workplace.startOnTerminal(["live", "-d", Self.vehicle])
        try await program.shows("5XXBD1GA8LX000042")
        try await program.shows("l record")
        program.type("l")
        try await program.shows("trip 1 is being recorded; l ends it")
        try await program.shows("⏺ trip 1 since ")
        try await program.shows("l end trip")
        program.type("m")
        try await program.shows("mark 1 is set")
        program.type("l")
        try await program.shows("trip 1 is stored: ")
        program.type("l")
        try await program.shows("⏺ trip 2 since ")
        program.type("?")
        try await program.shows("record a trip, or end it")
        program.type("xq")
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome)")
        for trip in 1...2 {
            #expect(
                outcome.errors.contains("obdscan trips show \(trip)")
                    && outcome.errors.contains("\nTrip \(trip): "), "\(outcome.errors)")
        }
        let stored = try await trips()
        #expect(stored.count == 2)
        #expect(stored.allSatisfy { $0["open"] as? Bool == false })
        #expect(stored.allSatisfy { $0["vin"] as? String == "5XXBD1GA8LX000042" })
        // What the trip reads of the vehicle's codes, the history has.
        let history = try await workplace.run(["dtc", "history", "--format", "json"])
        #expect(history.output.contains("P0301"))
        #expect(try await workplace.run(["db", "check"]).status == 0)
    }

    @Test func `the live view records nothing before the key is pressed`() async throws {
        let program = try workplace.startOnTerminal(["live", "rpm", "-d", Self.vehicle])
        try await program.shows("5XXBD1GA8LX000042")
        program.type("q")
        #expect(try await program.finish().status == 0)
        #expect(try await trips().isEmpty)
    }

    @Test func `a database that cannot be opened does not stop the live view`() async throws {
        let program = try workplace.startOnTerminal([
            "live", "rpm", "-d", Self.vehicle, "--db", "/proc/obdscan.db",
        ])
        try await program.shows("5XXBD1GA8LX000042")
        program.type("l")
        try await program.shows("/proc/obdscan.db: ")
        program.type("?")
        try await program.shows("any key: back")
        program.type("xq")
        #expect(try await program.finish().status == 0)
    }

    @Test func `a live view that is killed loses no stored reading`() async throws {
        let program = try workplace.startOnTerminal(["live", "rpm", "-d", Self.vehicle])
        try await program.shows("5XXBD1GA8LX000042")
        program.type("l")
        try await program.shows("⏺ trip 1 since ")
        var before = 0
        // A commit follows at most a second after a reading.
        for _ in 0..<50 where before == 0 { before = try await stored(1) }
        program.send(SIGKILL)
        _ = try await program.finish()
        #expect(before > 0)
        #expect(try await stored(1) >= before)
        #expect(try await workplace.run(["db", "check"]).status == 0)
        // The next trip closes the one that nobody ended.
        #expect(
            try await workplace.run(["log", "rpm", "--duration", "1s", "-d", "sim:"]).status == 0)
        #expect(try await trips().map { $0["open"] as? Bool } == [false, false])
    }

    // MARK: serve

    private func post(
        _ page: ServedPage, _ what: String, _ fields: [String]? = nil
    ) async throws -> ServedPage.Answer {
        let host = "127.0.0.1:\(page.port)"
        let lines =
            ["POST /api/recording/\(what) HTTP/1.1", "Host: \(host)"]
            + (fields ?? ["Origin: http://\(host)"]) + ["Content-Length: 0", "", ""]
        return try await page.send(lines.joined(separator: "\r\n"))
    }

    private func recording(_ objects: [[String: Any]]) -> [String: Any]? {
        objects.first?["recording"] as? [String: Any]
    }

    @Test func `the button of the page begins and ends trips`() async throws {
        let page = try await ServedPage(workplace, ["-d", Self.vehicle])
        _ = try await page.wait(for: "/api/readings") { !$0.isEmpty }
        #expect(recording(try await page.get("/api/status").objects()) == nil)
        #expect(try await trips().isEmpty)
        // A page of another site, or one that does not say who it is, changes nothing.
        for fields in [[], ["Origin: http://evil.example"], ["Sec-Fetch-Site: cross-site"]] {
            #expect(try await post(page, "begin", fields).status == 403)
        }
        let got = try await page.get("/api/recording/begin")
        #expect(got.status == 405 && got.fields["allow"] == "POST")
        #expect(try await post(page, "begin?x=1").status == 400)
        #expect(try await trips().isEmpty)

        let begun = try await post(page, "begin")
        #expect(begun.status == 200)
        #expect(recording(try begun.objects())?["trip"] as? Int == 1)
        let status = try await page.wait(for: "/api/status") {
            recording($0)?["readings"] as? Int ?? 0 > 100
        }
        #expect(recording(status)?["since"] is String)
        page.program.send(SIGUSR1)
        try await page.program.lines(with: "mark 1 is set", on: .errors)
        let ended = try await post(page, "end")
        #expect(ended.status == 200)
        #expect(recording(try ended.objects()) == nil)
        #expect(try await post(page, "end").status == 200)
        let stored = try #require(try await trips().first)
        #expect(stored["open"] as? Bool == false)
        #expect(stored["vin"] as? String == "5XXBD1GA8LX000042")
        #expect(stored["readings"] as? Int ?? 0 > 100)
        // The server ends while a trip is recorded.
        #expect(try await post(page, "begin").status == 200)
        _ = try await page.wait(for: "/api/status") {
            recording($0)?["readings"] as? Int ?? 0 > 10
        }
        page.program.send(SIGTERM)
        let outcome = try await page.program.finish(within: 15)
        #expect(outcome.status == 0 && outcome.errors.contains("Trip 2 is stored: "))
        #expect(try await trips().map { $0["open"] as? Bool } == [false, false])
        let history = try await workplace.run(["dtc", "history", "--format", "json"])
        #expect(history.output.contains("P0301"))
    }

    @Test func `serve --log records from the first session, and a token begins trips, too`()
        async throws
    {
        let word = "a-word-that-nobody-else-knows"
        let port = try LoopbackPort.free()
        let page = try await ServedPage(
            workplace, ["rpm", "-d", "tcp:127.0.0.1:\(port)", "--log", "--token", word])
        let key = "Authorization: Bearer \(word)"
        let look = {
            recording(try await page.get("/api/status", [key]).objects())
        }
        // It waits for the vehicle.
        #expect(try await look()?["trip"] is NSNull)
        let adapter = try workplace.start(["simulate", "--tcp", "\(port)", "--latency", "0"])
        try await adapter.lines(with: "tcp:")
        try await page.program.lines(with: "Trip 1 is being recorded", on: .errors)
        #expect(try await look()?["trip"] as? Int == 1)
        #expect(try await post(page, "end", []).status == 401)
        #expect(try await post(page, "end", [key]).status == 200)
        #expect(try await look() == nil)
        #expect(try await post(page, "begin", [key]).status == 200)
        // After a lost link the trip goes on.
        adapter.send(SIGTERM)
        _ = try await adapter.finish()
        #expect(try await look()?["trip"] as? Int == 2)
        page.program.send(SIGTERM)
        #expect(try await page.program.finish(within: 15).status == 0)
        #expect(try await trips().map { $0["open"] as? Bool } == [false, false])
    }

    @Test func `without a vehicle there is nothing to record`() async throws {
        let page = try await ServedPage(workplace, ["--offline"])
        #expect(try await post(page, "begin").status == 503)
        let both = try await workplace.run(["serve", "--offline", "--log"])
        #expect(both.status == 64)
    }
}
