import Foundation
import Testing

/// The trip keeps the faults that occur while polling.
@Suite(.ownThreads) struct `Faults of a session` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    @Test func `faults are rows of their trip`() async throws {
        let adapter = try ScriptedAdapter(.pty) { line in
            guard line.text.hasPrefix("010C") else { return .say(PlainAdapter.answer(line.text)) }
            switch line.earlier {
            case 5: return .say(PlainAdapter.said("NO DATA"))
            case 7: return .say(PlainAdapter.said("7E8037F0122"))
            case 9: return .say(PlainAdapter.said("7E804410C1AZZ"))
            case 11: return .say(PlainAdapter.said("CAN ERROR"))
            case 13: return .say(PlainAdapter.said("7E81014410C"))
            default: return .say(PlainAdapter.answer(line.text))
            }
        }
        let program = try workplace.start([
            "log", "rpm", "--format", "json", "-d", adapter.address,
        ])
        // Requests come with and without a count digit. The last of the faults comes after nine
        // whole answers to each.
        try await program.lines(with: "1726", count: 20, within: 60)
        program.send(SIGTERM)
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome)")
        let objects = try await workplace.run(["export", "--format", "json"]).objects()
        let statuses = objects.filter { $0["kind"] as? String == "adapterStatus" }
            .compactMap { $0["status"] as? String }
        #expect(statuses.contains("canError"), "\(statuses)")
        #expect(statuses.contains("noData"), "\(statuses)")
        let refusals = objects.filter { $0["kind"] as? String == "negativeResponse" }
        #expect(refusals.contains { $0["nrc"] as? String == "22" && $0["ecu"] as? String == "7E8" })
        let damaged = objects.filter { $0["event"] as? String == "linkError" }
            .compactMap { $0["text"] as? String }
        #expect(damaged.contains("neither hexadecimal nor a known answer"), "\(damaged)")
        #expect(damaged.contains { $0.hasPrefix("first frame announces 20 bytes") }, "\(damaged)")
        #expect(objects.allSatisfy { $0["time"] != nil || $0["kind"] as? String == "trip" })
    }

    @Test func `a missing answer is a time-out with the name of its request`() async throws {
        let adapter = try ScriptedAdapter(.pty) { line in
            line.text.hasPrefix("010C") && line.earlier == 5
                ? .nothing : .say(PlainAdapter.answer(line.text))
        }
        let program = try workplace.start(["log", "rpm", "-d", adapter.address, "-v"])
        try await program.lines(with: "no complete answer in time", on: .errors, within: 60)
        program.send(SIGTERM)
        #expect(try await program.finish().status == 0)
        let objects = try await workplace.run(["export", "--format", "json"]).objects()
        let timeouts = objects.filter { $0["event"] as? String == "timeout" }
        #expect(timeouts.count == 1)
        #expect(timeouts.first?["text"] as? String == "no complete answer to 010C in time")
        #expect(timeouts.first?["service"] as? String == "01")
    }
}
