import Foundation
import Testing

/// `log` prints, counts and stores the same readings.
@Suite(.ownThreads) struct `A logged trip` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// A reading counts from the trip's start to its end, including the adapter's voltage.
    ///
    /// Answers that came before the trip are not printed, counted or stored.
    @Test(arguments: [[], ["rpm", "speed", "battery-voltage"]])
    func `printed, summarised and stored readings are the same`(signals: [String]) async throws {
        let outcome = try await workplace.run(
            ["log"] + signals + ["--duration", "2s", "--format", "json", "-d", "sim:?latency=5ms"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let objects = try outcome.objects()
        let summary = try #require(objects.last)
        #expect(summary["kind"] as? String == "summary")
        let printed = objects.filter { $0["signal"] != nil }
        #expect(!printed.isEmpty)
        #expect(summary["readings"] as? Int == printed.count)
        let trip = try #require(
            try await workplace.run(["trips", "--format", "json"]).objects().first)
        #expect(trip["readings"] as? Int == printed.count)
        let exported = try await workplace.run(["export", "--format", "json"])
            .objects().filter { $0["signal"] != nil }
        #expect(exported.count == printed.count)
        #expect(
            exported.map { $0["time"] as? String } == printed.map { $0["time"] as? String })
    }

    /// The simulated adapter searches for eight seconds before the vehicle answers.
    @Test func `a trip begins when its first reading can arrive`() async throws {
        let outcome = try await workplace.run([
            "log", "rpm", "--duration", "1s", "--format", "json", "-d", "sim:?search=8s",
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let trip = try #require(
            try await workplace.run(["trips", "--format", "json"]).objects().first)
        #expect(try #require(trip["seconds"] as? Double) < 7)
        let first = try #require(try outcome.objects().first?["time"] as? String)
        let start = try #require(trip["start"] as? String)
        #expect(start < first)
        #expect(try seconds(first) - seconds(start) < 7)
    }

    private func seconds(_ time: String) throws -> Double {
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return try format.parse(time).timeIntervalSince1970
    }
}
