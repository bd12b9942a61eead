import Foundation
import Testing

/// `send` with commands that print the frames on the bus until they are stopped.
@Suite(.ownThreads) struct `Listening to the bus` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    @Test func `lines appear at once, and Ctrl-C ends the listening with a prompt`() async throws {
        let program = try workplace.start(["send", "AT MA", "-d", "sim:"])
        // The command still runs, and all frames up to now are printed.
        let lines = try await program.lines(with: "0C9", count: 5)
        #expect(lines.allSatisfy { $0.allSatisfy(\.isHexDigit) })
        program.send(SIGINT)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!outcome.output.contains("STOPPED"))
    }

    @Test func `after the given time the adapter shows its prompt and the next command follows`()
        async throws
    {
        let outcome = try await workplace.run([
            "send", "--duration", "500ms", "AT MA", "AT I", "-d", "sim:",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count > 10, "\(outcome)")
        #expect(lines.last?.hasPrefix("ELM327") == true, "\(outcome)")
    }

    @Test func `Ctrl-C skips the commands after the listening, with a message`() async throws {
        let program = try workplace.start(["send", "AT MA", "010C", "-d", "sim:"])
        try await program.lines(with: "0C9", count: 2)
        program.send(SIGTERM)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.errors.contains("not sent: 010C"), "\(outcome)")
    }

    @Test func `a silent bus is listened to anyway`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            line.text == "ATMA" ? .busy : .say(PlainAdapter.answer(line.text))
        }
        let outcome = try await workplace.run([
            "send", "--duration", "6s", "AT MA", "AT RV", "-d", adapter.address,
        ])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output == "> AT MA\n> AT RV\n12.6V\n", "\(outcome)")
    }

    /// The frames of the simulated car are in no table.
    @Test func `a trip begins with the first value, and without a value there is none`()
        async throws
    {
        let nothing = try await workplace.run([
            "log", "--listen", "-d", "sim:", "--duration", "1s",
        ])
        #expect(
            nothing.status == 69 && nothing.errors.contains("no trip was made")
                && nothing.errors.contains("no table has a value"), "\(nothing)")
        let table = try workplace.file(
            "car.dbc", "BO_ 201 Motor: 8 A\n SG_ Rpm : 7|16@0+ (0.25,0) [0|16383] \"rpm\" A\n")
        let outcome = try await workplace.run([
            "log", "--listen", "--table", table, "-d", "sim:", "--duration", "2s",
        ])
        #expect(outcome.status == 0, "\(outcome)")
        let trips = try await workplace.run(["trips", "--all", "--json"]).objects()
        let rows = try await workplace.run(["export", "1", "--format", "json"]).objects()
        let first = rows.first { $0["signal"] as? String == "Motor.Rpm" }
        #expect(trips.count == 1 && first != nil)
        #expect(trips.first?["start"] as? String == first?["time"] as? String)
    }

    @Test func `frames are printed as JSON`() async throws {
        let outcome = try await workplace.run([
            "send", "--duration", "500ms", "AT MA", "--format", "json", "-d", "sim:",
        ])
        let objects = try outcome.objects()
        #expect(objects.count > 10)
        #expect(objects.allSatisfy { $0["kind"] as? String == "frame" && $0["time"] != nil })
        #expect(objects.contains { $0["id"] as? String == "0C9" }, "\(outcome)")
    }

    /// These are more bytes than any answer has.
    ///
    /// An ordinary exchange would report a flood.
    @Test func `any number of frames is not a flood`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            line.text == "ATMA"
                ? .talkOn("0C9 00 00 00 00 00 00 00 00 \r")
                : .say(PlainAdapter.answer(line.text))
        }
        let program = try workplace.start(["send", "AT MA", "-d", adapter.address])
        try await program.lines(with: "0C9", count: 12_000)
        program.send(SIGINT)
        // This adapter does not stop sending. The program ends anyway.
        let outcome = try await program.finish(within: 20)
        #expect(!outcome.errors.contains("more came than"), "\(outcome.errors)")
    }
}

/// `obdscan` without arguments, and with words that are not commands.
@Suite(.ownThreads) struct `The program without arguments` {
    @Test func `the program lists adapters and suggests the next commands`() async throws {
        let workplace = try Workplace()
        let outcome = try await workplace.run([])
        #expect(outcome.status == 0)
        for words in ["Adapters\n", "Next\n  obdscan ", "obdscan --help"] {
            #expect(outcome.output.contains(words), "\(outcome)")
        }
        #expect(!outcome.output.contains("obdscan trips"))
        #expect(try await workplace.run(["log", "--duration", "1s", "-d", "sim:"]).status == 0)
        #expect(try await workplace.run([]).output.contains("obdscan trips"))
    }
}
