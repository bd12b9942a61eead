import Testing

/// `obdscan live` on a terminal, and where it cannot draw.
@Suite struct `The live view on a terminal` {
    let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// A vehicle and signals that it has: parameter groups, data identifiers, PIDs.
    @Test(arguments: [
        ("sim:truck", ["SPN190", "SPN84", "SPN110"]), ("sim:onuds", ["RPM", "VSS", "ECT"]),
        ("sim:petrol", ["RPM", "VSS", "ECT"]),
    ])
    func `without named signals the view shows the vehicle's signals`(
        _ vehicle: String, _ signals: [String]
    ) async throws {
        let program = try workplace.startOnTerminal(["live", "-d", vehicle])
        for signal in signals { try await program.shows(signal) }
        program.type("q")
        #expect(try await program.finish().status == 0)
    }

    @Test func `the heading shows the voltage if other signals are named`() async throws {
        let program = try workplace.startOnTerminal(["live", "rpm", "-d", "sim:"])
        try await program.shows(" V · ")
        program.type("q")
        let outcome = try await program.finish()
        #expect(outcome.status == 0)
        #expect(!outcome.output.contains("ADAPTER_VOLTAGE"))
    }

    @Test func `an unknown signal is reported once`() async throws {
        let program = try workplace.startOnTerminal(["live", "rpm", "-d", "sim:"])
        try await program.shows("RPM")
        program.type("azzz\r")
        let remark = "no signal is called \"zzz\"; \"obdscan pids list zzz\" looks for it"
        try await program.shows(remark)
        // Some seconds later the last line of the screen shows the keys again.
        try await program.shows("q quit   ? keys", after: remark)
        program.type("q")
        let outcome = try await program.finish()
        #expect(outcome.status == 0)
        #expect(outcome.output.components(separatedBy: "no signal is called").count == 2)
    }

    @Test(arguments: ["dumb", ""])
    func `a terminal that cannot draw gets a line per reading`(_ kind: String) async throws {
        let program = try RunningProgram(
            Workplace.program, ["live", "rpm", "--duration", "2s", "-d", "sim:"],
            environment: workplace.environment.merging(["TERM": kind]) { $1 }, onTerminal: true)
        let outcome = try await program.finish()
        #expect(outcome.status == 0)
        #expect(!outcome.output.contains("\u{1B}"))
        #expect(outcome.output.contains("7E8  RPM "))
    }

    @Test func `a screen reader gets a line per reading every five seconds`() async throws {
        let program = try workplace.startOnTerminal(
            ["live", "--lines", "rpm", "--duration", "3s", "-d", "sim:"])
        let outcome = try await program.finish()
        #expect(outcome.status == 0)
        #expect(!outcome.output.contains("\u{1B}"))
        // One line per ECU.
        #expect(outcome.output.split(whereSeparator: \.isNewline).count == 2, "\(outcome)")
        let often = try await workplace.run(
            ["live", "--lines", "--every", "500ms", "rpm", "--duration", "3s", "-d", "sim:"])
        #expect(often.output.split(whereSeparator: \.isNewline).count > 6, "\(often)")
    }
}
