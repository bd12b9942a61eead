import Foundation
import Testing

/// The adapter sends a word instead of data: the exit code, the message and the remaining output.
@Suite(.serialized, .ownThreads) struct `Words instead of data` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// The adapter's word, the exit code, and a part of the message.
    struct Word: CustomTestStringConvertible, Sendable {
        var text: String
        var status: Int32
        var message: String
        var testDescription: String { text }
    }

    /// Exit codes: 69 = the adapter or the vehicle does not answer, 75 = try again.
    private static let words = [
        Word(text: "UNABLE TO CONNECT", status: 69, message: "(UNABLE TO CONNECT)"),
        Word(text: "NO DATA", status: 75, message: "no ECU answered"),
        Word(text: "BUFFER FULL", status: 69, message: "(BUFFER FULL)"),
        Word(text: "CAN ERROR", status: 69, message: "(CAN ERROR)"),
        Word(text: "STOPPED", status: 75, message: "(STOPPED)"),
        Word(text: "BUS BUSY", status: 75, message: "(BUS BUSY)"),
        Word(text: "BUS ERROR", status: 69, message: "(BUS ERROR)"),
        Word(text: "FB ERROR", status: 69, message: "(FB ERROR)"),
        Word(text: "BUS INIT: ...ERROR", status: 69, message: "(BUS INIT: ERROR)"),
        Word(text: "DATA ERROR", status: 69, message: "answers came damaged"),
        Word(text: "ACT ALERT", status: 75, message: "(ACT ALERT)"),
        Word(text: "LP ALERT", status: 75, message: "(LP ALERT)"),
        Word(text: "OK", status: 75, message: "said OK"),
        Word(text: "LV RESET", status: 69, message: "supply"),
    ]

    @Test(arguments: words)
    func `an adapter's word before the first answer of the vehicle is an error with a hint`(
        word: Word
    ) async throws {
        let outcome = try await run(["dtc"], firstRequest: word.text)
        #expect(outcome.status == word.status, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(word.message), "\(outcome)")
        #expect(outcome.errors.contains("hint: "))
    }

    /// The adapter can be described even if there is no vehicle.
    @Test func `info shows the adapter if the vehicle is silent`() async throws {
        let outcome = try await run(["info"], firstRequest: "UNABLE TO CONNECT")
        #expect(outcome.status == 69)
        #expect(outcome.output.contains("ELM327 v1.5") && outcome.output.contains("12.6 V"))
        #expect(!outcome.output.contains("ECU"))
        #expect(outcome.errors.contains("(UNABLE TO CONNECT)"))
    }

    @Test(arguments: words.dropLast())
    func `an adapter's word instead of a value is an error and an object`(word: Word) async throws {
        let outcome = try await run(["read", "rpm", "--format", "json"], engineSpeed: word.text)
        #expect(outcome.status == word.status, "\(outcome)")
        #expect(outcome.errors.contains(word.message), "\(outcome)")
        let objects = try outcome.objects()
        #expect(objects.map { $0["kind"] as? String } == ["adapterStatus"])
    }

    /// The adapter works at first, and sends the word in place of each answer to a polled request.
    @Test(arguments: words.filter { longWords.contains($0.text) } + later)
    func `an adapter's word while a trip is recorded is reported once, with the remedy`(word: Word)
        async throws
    {
        let database = workplace.path("\(UUID().uuidString).db")
        let outcome = try await run(
            ["log", "rpm", "--duration", "2s", "--db", database], engineSpeed: word.text)
        #expect(outcome.errors.contains(word.message), "\(outcome)")
        // Once, with the remedy, and without the name of the only device.
        #expect(outcome.errors.components(separatedBy: word.message).count == 2, "\(outcome)")
        let line = outcome.errors.split(separator: "\n").first { $0.contains(word.message) }
        #expect(line?.contains("; ") == true && line?.contains("replay:") == false, "\(outcome)")
    }

    /// Words of each kind: the bus, the adapter, a retry, a warning, a restart.
    private static let longWords = ["CAN ERROR", "BUFFER FULL", "ACT ALERT", "OK", "LV RESET"]

    /// Words that end the adapter's settings, and a damaged answer.
    private static let later = [
        Word(text: "ERR94", status: 69, message: "(ERR94)"),
        Word(text: "ERR71", status: 69, message: "internal fault"),
        Word(text: "7E804410C1AF8 <RX ERROR", status: 69, message: "answers came damaged"),
    ]

    /// The adapter answers the first requests and restarts at the request for codes.
    @Test(arguments: [
        ("LV RESET", "(LV RESET)"), ("ERR94", "(ERR94)"), ("ERR71", "internal fault"),
    ])
    func `a list of codes names the word with which the adapter restarted`(
        word: String, message: String
    ) async throws {
        let outcome = try await run(
            ["dtc"], others: ["03": word, "07": word, "0A": word, "0101": "7E806410100000000"])
        #expect(outcome.status != 0 && outcome.errors.contains(message), "\(outcome)")
        #expect(!outcome.errors.contains("stopped answering"), "\(outcome)")
        #expect(!outcome.errors.contains("in the middle of a request"), "\(outcome)")
    }

    @Test func `the error says that the adapter does not know a request`() async throws {
        let outcome = try await run(["dtc"], firstRequest: "?")
        #expect(outcome.status == 69)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("did not understand the request (?)"), "\(outcome)")
        let reading = try await run(["read", "rpm"], engineSpeed: "?")
        #expect(reading.status != 0, "\(reading)")
        #expect(reading.errors.contains("?"))
    }

    /// The adapter answers its own commands, but no request to the vehicle.
    @Test func `info works if the adapter does not know the first request`() async throws {
        let outcome = try await run(["info"], firstRequest: "?", others: ["0902": "NO DATA"])
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.output.contains("ELM327 v1.5"))
        #expect(outcome.errors.contains("did not understand the request (?)"), "\(outcome)")
        #expect(!outcome.errors.contains("NO DATA"))
    }

    @Test func `a garbled first request is sent once more`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            line.text == "0100" && line.earlier == 0
                ? .say("?\r\r>") : .say(PlainAdapter.answer(line.text))
        }
        let outcome = try await workplace.run(["read", "rpm", "-d", adapter.address])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("1726"))
    }

    /// ISO 14229-1: 7F, the service, NRC 11 = serviceNotSupported.
    @Test func `info names an ECU that only refuses, and the refused services`() async throws {
        let outcome = try await run(
            ["info"], firstRequest: "7E806410000180000\n7EA037F0111",
            others: ["0900": "7E8064900400000000\n7EA037F0911", "0902": "NO DATA"])
        let lines = outcome.output.split(separator: "\n")
        let place = try #require(lines.firstIndex(of: "7EA"), "\(outcome)")
        let told = lines[(place + 1)...].joined(separator: "\n")
        #expect(told.contains("Refuses service 01  service not supported (11)"), "\(outcome)")
        #expect(told.contains("Refuses service 09  service not supported (11)"), "\(outcome)")
    }

    /// SAE J1979: in the answer to 01 01, A = 80 + the number of stored codes.
    ///
    /// The answer to 03 (43) lists them.
    @Test(arguments: [
        ("7E806410183000000", "7E8024300", "counts 3 codes, but its list is empty"),
        ("7E806410183000000", "7E80443010301", "counts 3 stored, but lists 1"),
        ("7E806410101000000", "7E8024300", "counts 1 code, but its list is empty"),
    ])
    func `a count of codes that contradicts the list is reported`(
        count: String, list: String, words: String
    ) async throws {
        let others = ["0101": count, "03": list, "07": "7E8024700", "0A": "7E8024A00"]
        let outcome = try await run(["dtc", "--exit-code"], others: others)
        #expect(outcome.output.contains(words), "\(outcome)")
        #expect(outcome.status == 75, "\(outcome)")
        let objects = try await run(["dtc", "--format", "json"], others: others)
        #expect(objects.errors.contains("but lists"), "\(objects)")
    }

    @Test func `a count of codes that agrees with the list is accepted`() async throws {
        let outcome = try await run(
            ["dtc", "--exit-code"],
            others: [
                "0101": "7E806410181000000", "03": "7E80443010301", "07": "7E8024700",
                "0A": "7E8024A00",
            ])
        #expect(outcome.output.contains("P0301") && !outcome.output.contains("counts"))
        #expect(outcome.status == 1, "\(outcome)")
    }

    /// Data that came before the word stays valid.
    @Test func `an adapter's word after a value does not hide the value`() async throws {
        let outcome = try await run(
            ["read", "rpm", "--format", "json"], engineSpeed: "7E804410C1AF8\nBUFFER FULL")
        let objects = try outcome.objects()
        #expect(objects.first?["value"] as? Double == PlainAdapter.engineSpeed)
        #expect(objects.last?["status"] as? String == "bufferFull")
    }

    @Test(arguments: [
        ("7E804410C1A", "announces 4 bytes, has 3"), ("7E804410C1AF8 <DATA ERROR", "damaged"),
        ("!!garbage!!", "neither hexadecimal nor a known answer"),
        ("7E810144902013148\n7E8214743", "announces 20 bytes, has"),
    ])
    func `damaged answers give no value`(text: String, reason: String) async throws {
        let outcome = try await run(["read", "rpm", "--format", "json"], engineSpeed: text)
        let objects = try outcome.objects()
        #expect(objects.map { $0["kind"] as? String } == ["error"], "\(outcome)")
        #expect((objects.first?["reason"] as? String)?.contains(reason) == true, "\(outcome)")
        #expect(outcome.status != 0, "\(outcome)")
    }

    @Test func `a refusal is an answer`() async throws {
        let outcome = try await run(
            ["read", "rpm", "--format", "json"], engineSpeed: "7E8037F0112")
        #expect(outcome.status == 0, "\(outcome)")
        let object = try #require(try outcome.objects().first)
        #expect(object["kind"] as? String == "negativeResponse")
        #expect(object["nrc"] as? String == "12")
    }

    /// Polling a recording for what it does not contain would never end, and says nothing about the vehicle.
    @Test(arguments: [["live", "ect"], ["live", "ect", "--log"], ["log", "ect"]])
    func `a recording without the request is refused before polling`(
        arguments: [String]
    ) async throws {
        let outcome = try await run(arguments)
        #expect(outcome.status == 66, "\(outcome)")
        #expect(outcome.errors.contains("does not contain the request 0105"), "\(outcome)")
        #expect(!outcome.errors.contains("is being recorded"), "\(outcome)")
        let partly = try await run(["live", "rpm", "ect", "--lines", "--duration", "3"])
        #expect(partly.status == 0 && partly.output.contains("RPM"), "\(partly)")
        #expect(!partly.errors.contains("seems not to support"), "\(partly)")
    }

    /// A missing list of codes does not mean that there are no codes.
    @Test func `"no codes" is not printed if a list of codes is missing`() async throws {
        // 01 01: the check engine light is on, three codes (SAE J1979: A = 80 + count). 03, 07 and
        // 0A get no answer.
        let outcome = try await run(["dtc", "--exit-code"], others: ["0101": "7E806410183000000"])
        #expect(!outcome.output.contains("no codes"), "\(outcome)")
        #expect(outcome.status != 0, "\(outcome)")
    }

    /// Runs a command against an ELM327 v1.5 in a car with one ECU.
    private func run(
        _ arguments: [String], firstRequest: String = "7E806410000180000",
        engineSpeed: String = "7E804410C1AF8", others: [String: String] = [:]
    ) async throws -> Outcome {
        var conversation = ""
        for (command, answer) in [
            ("ATD", "OK"), ("ATE0", "OK"), ("ATL0", "OK"), ("ATS0", "OK"), ("ATH1", "OK"),
            ("ATI", "ELM327 v1.5"), ("STI", "?"), ("ATSP0", "OK"), ("0100", firstRequest),
            ("ATDPN", "A6"), ("ATRV", "12.6V"), ("010C", engineSpeed),
        ] + others.sorted(by: { $0.key < $1.key }) {
            conversation += ">\(command)\n\(answer)\n"
        }
        let file = try workplace.file("conversation-\(UUID().uuidString).txt", conversation)
        return try await workplace.run(arguments + ["-d", "replay:\(file)"])
    }
}
