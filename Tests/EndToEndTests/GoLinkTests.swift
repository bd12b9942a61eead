import Foundation
import Testing

/// The whole program over a GoLink.
@Suite(.ownThreads) struct `Adapters that are not an ELM327` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func device(_ personality: String, _ rest: String = "") -> String {
        "sim:petrol?frozen=true&latency=2ms&personality=\(personality)\(rest)"
    }

    /// The objects that a command prints, without the time, which differs from run to run.
    private func objects(_ command: [String], _ device: String) async throws -> [NSDictionary] {
        let outcome = try await workplace.run(command + ["--format", "json", "-d", device])
        #expect(outcome.status == 0, "\(outcome)")
        return try outcome.objects().filter { $0["kind"] as? String != "adapter" }.map { object in
            var object = object
            object["time"] = nil
            return object as NSDictionary
        }
    }

    /// `LinkAnswerTests` compares the answers in all protocols on a manual clock; here the parts are joined.
    @Test(arguments: ["6"])
    func `a GoLink gives the same answers as an ELM327`(vehicleProtocol: String) async throws {
        for command in [["read", "RPM", "VSS", "ECT", "LOAD_PCT"], ["dtc"], ["monitors"]] {
            let rest = "&protocol=\(vehicleProtocol)"
            let here = try await objects(command, device("golink", rest))
            let there = try await objects(command, device("elm327", rest))
            #expect(here == there, "\(command)")
            #expect(!here.isEmpty)
        }
    }

    @Test func `a trip is logged over a GoLink`() async throws {
        let outcome = try await workplace.run([
            "log", "RPM", "--duration", "1", "--format", "json", "-d", device("golink"),
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let summary = try outcome.objects().last
        #expect(summary?["kind"] as? String == "summary")
        #expect(try #require(summary?["readings"] as? Int) > 20)
        #expect(summary?["timeouts"] as? Int == 0)
        #expect(summary?["errors"] as? Int == 0)
    }

    @Test func `a recording of a GoLink replays`() async throws {
        let commands = ["read RPM VSS", "dtc", "info"]
        for command in commands {
            let talk = try await workplace.shell(
                """
                rm -f talk; "$OBDSCAN" \(command) --format json --record talk \
                -d '\(device("golink"))' > live && \
                "$OBDSCAN" \(command) --format json -d replay:talk > again && \
                for f in live again; do sed -E 's/"time":"[^"]*"//; /"kind":"adapter"/d' $f > $f.1; done
                wc -l < live.1; diff live.1 again.1 && echo same
                """)
            #expect(talk.status == 0, "\(talk)")
            #expect(talk.output.hasSuffix("same\n") && !talk.output.hasPrefix("0"), "\(talk)")
        }
    }

    @Test func `a GoLink on TCP is found by probing`() async throws {
        let server = try workplace.start(["simulate", device("golink").dropSim, "--tcp", "0"])
        let address = try #require(await server.lines(with: "tcp:").first)
        let outcome = try await workplace.run(["read", "RPM", "-d", address])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("RPM"))
        // The recording contains both attempts, and it is complete.
        let talk = try await workplace.shell(
            "\"$OBDSCAN\" read RPM --record talk -d \(address) > /dev/null && cat talk")
        #expect(talk.status == 0, "\(talk)")
        #expect(talk.output.hasPrefix("obdscan-transcript 1\n"))
        #expect(talk.output.contains("> ATD\\r"))
        #expect(talk.output.contains("> \\x07\\x00\\x01\\x01"))
        server.send(SIGTERM)
        _ = try await server.finish()
    }

    @Test func `send shows a GoLink's messages in hexadecimal`() async throws {
        let outcome = try await workplace.run(["send", "0902", "-d", device("golink")])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasPrefix("7E8 490201"), "\(outcome)")
        let refused = try await workplace.run(["send", "AT RV", "-d", device("golink")])
        #expect(refused.status == 69)
    }
}

extension String {
    fileprivate var dropSim: String { String(dropFirst("sim:".count)) }
}
