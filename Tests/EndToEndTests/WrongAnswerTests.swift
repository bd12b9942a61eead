import Foundation
import Synchronization
import Testing

/// Wrong ways to answer a request for codes.
///
/// A user who reads "no codes" does not look for a fault. The program may print it only for a list
/// that came and is empty.
@Suite(.ownThreads) struct `Wrong answers to a request for codes` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// The result that `dtc` may derive from an answer.
    enum Verdict: Sendable {
        /// Shows P0301, exit 0.
        case codes
        /// Prints that there are no codes, exit 0. This needs an empty list from the ECU.
        case none
        /// Neither of the two: exit 69 or 75.
        case error
    }

    /// A way to answer.
    ///
    /// `{P}` stands for the first byte of the positive answer, `{S}` for the service, and `{O}` for
    /// the positive answer of another list.
    struct Row: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The replies to the first request, the second one, and so on.
        ///
        /// The last reply repeats. The adapter adds the prompts.
        var replies: [String]
        var verdict: Verdict
        /// Whether an ECU may answer like this for a list that it need not support.
        var isUsualForOptionalList: Bool

        init(
            _ name: String, _ replies: String..., is verdict: Verdict = .error,
            usual: Bool = false
        ) {
            testDescription = name
            self.replies = replies
            self.verdict = verdict
            isUsualForOptionalList = usual
        }
    }

    // SAE J1979 on CAN: 43 (47, 4A), the number of codes, two bytes each; P0301 is 03 01.
    private static let rows = [
        Row("an empty list", "7E802{P}00", is: .none),
        Row("an empty list twice", "7E802{P}00\r7E802{P}00", is: .none),
        Row("a code", "7E804{P}010301", is: .codes),
        Row("NO DATA", "NO DATA", usual: true),
        Row("a search without a result", "SEARCHING...\rNO DATA", usual: true),
        Row("the prompt alone", "", usual: true),
        Row("OK", "OK"),
        Row("?", "?"),
        Row("the banner of a restart", "ELM327 v1.5"),
        Row("the supply broke down", "LV RESET"),
        Row("the echo alone", "{S}"),
        Row("the answer to 0100", "7E8064100BE3EB813"),
        Row("the answer to 0101", "7E80641010007E500"),
        Row("the answer to 0100, damaged", "7E8064100BE3EB8"),
        Row("another list, empty", "7E802{O}00"),
        Row("another list with a code", "7E804{O}010420"),
        Row("the confirmation of a clearing", "7E80144"),
        Row("what no ECU says", "7E802{S}00"),
        Row("a first frame alone", "7E8100A{P}0403010302"),
        Row("a frame is missing", "7E8100E{P}06030103020303\r7E82203040305"),
        Row("frames in the wrong order", "7E8100A{P}0403010302\r7E82203030304"),
        Row("frames without the first one", "7E82103030304"),
        Row("half a byte too much", "7E802{P}0"),
        Row("shorter than it says", "7E804{P}0103"),
        Row("a list without anything", "7E801{P}"),
        Row("a count without codes", "7E802{P}03"),
        Row("a count above the codes", "7E804{P}020301", is: .codes),
        Row("a count below the codes", "7E804{P}000301", is: .codes),
        Row("half a code too much", "7E805{P}01030102", is: .codes),
        Row("refused: general reject", "7E8037F{S}10"),
        Row("refused: service not supported", "7E8037F{S}11", usual: true),
        Row("refused: sub-function not supported", "7E8037F{S}12", usual: true),
        Row("refused: busy, again and again", "7E8037F{S}21"),
        Row("refused: conditions not correct", "7E8037F{S}22"),
        Row("refused: security access denied", "7E8037F{S}33"),
        Row("refused: not in this session", "7E8037F{S}7F", usual: true),
        Row("refused: reserved", "7E8037F{S}00"),
        Row("response pending, then nothing", "7E8037F{S}78"),
        Row("a refusal of another service", "7E8037F0111"),
        Row("a refusal without a reason", "7E8027F{S}"),
        Row("another ECU's list alone", "7E902{P}00"),
        Row("an address outside OBD", "7B002{P}00"),
        Row("an address of 29 bits", "18DAF11002{P}00"),
        Row("no address", "{P}00"),
        Row("marked as damaged", "7E802{P}00<DATA ERROR"),
        Row("a line that is damaged", "<RX ERROR"),
        Row("garbage", "!!garbage!!"),
        Row("a voltage", "12.6V"),
        Row("a web server", "HTTP/1.1 400 Bad Request\rServer: x"),
        Row("BUS ERROR", "BUS ERROR"), Row("BUS BUSY", "BUS BUSY"),
        Row("CAN ERROR", "CAN ERROR"), Row("BUFFER FULL", "BUFFER FULL"),
        Row("DATA ERROR", "DATA ERROR"), Row("FB ERROR", "FB ERROR"),
        Row("STOPPED", "STOPPED"), Row("UNABLE TO CONNECT", "UNABLE TO CONNECT"),
        Row("the prompt first", "\r>7E802{P}00"),
        Row("once the answer to 0100", "7E8064100BE3EB813", "7E802{P}00", is: .none),
        Row("once another list", "7E802{O}00", "7E804{P}010301", is: .codes),
        Row("once damaged", "<RX ERROR", "7E804{P}010301", is: .codes),
        Row("once pending", "7E8037F{S}78", "7E804{P}010301", is: .codes),
        Row("another ECU is late once", "7E802{P}00\r7E9024100", "7E802{P}00", is: .none),
        Row("another ECU answers something else", "7E804{P}010301\r7E9064100BE3EB813"),
    ]

    @Test(arguments: rows)
    func `"no codes" is never printed if the list of stored codes is missing`(row: Row) async throws
    {
        let outcome = try await dtc(["03": row])
        expectNoFalseHope(outcome, row)
        switch row.verdict {
        case .codes: #expect(outcome.output.contains("P0301") && outcome.status == 0, "\(outcome)")
        case .none:
            #expect(engine(outcome).contains("no codes") && outcome.status == 0, "\(outcome)")
        case .error: #expect([69, 75].contains(outcome.status), "\(outcome)")
        }
    }

    /// The stored codes are known to be absent.
    ///
    /// The output does not mention missing lists.
    @Test(arguments: rows)
    func `"no codes" is never printed if the list of pending or permanent codes is missing`(
        row: Row
    ) async throws {
        let outcome = try await dtc(["07": row, "0A": row])
        switch row.verdict {
        case .codes: #expect(outcome.output.contains("P0301") && outcome.status == 0, "\(outcome)")
        case .none:
            #expect(engine(outcome).contains("no codes") && outcome.status == 0, "\(outcome)")
        case .error where row.isUsualForOptionalList:
            #expect(outcome.status == 0, "\(outcome)")
            #expect(!engine(outcome).contains("P0"), "\(outcome)")
        case .error:
            #expect([69, 75].contains(outcome.status), "\(outcome)")
            #expect(!engine(outcome).contains("no codes"), "\(outcome)")
        }
    }

    /// The adapter sends each answer one request late.
    @Test func `an adapter that sends each answer one request late is synchronised again`()
        async throws
    {
        let behind = Mutex("")
        let adapter = try ScriptedAdapter(.tcp) { line in
            let answer = Self.healthy(line.text, code: true)
            guard line.text.allSatisfy(\.isHexDigit), line.text != "0100" else {
                return .say(answer)
            }
            return .say(
                behind.withLock { earlier in
                    defer { earlier = answer }
                    return earlier.isEmpty ? PlainAdapter.said("NO DATA") : earlier
                })
        }
        let outcome = try await workplace.run(["dtc", "-d", adapter.address])
        #expect(outcome.output.contains("P0301"), "\(outcome)")
        #expect(!outcome.output.contains("no codes"), "\(outcome)")
    }

    /// Silence or a lost link ends the conversation.
    @Test(arguments: [true, false])
    func `a silent adapter does not mean a vehicle without codes`(
        hangsUp: Bool
    ) async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            if line.text == "03" { return hangsUp ? .hangUp : .nothing }
            return .say(Self.healthy(line.text))
        }
        let outcome = try await workplace.run(["dtc", "-d", adapter.address], within: 60)
        #expect([69, 74, 75].contains(outcome.status), "\(outcome)")
        #expect(!outcome.output.contains("no codes"), "\(outcome)")
    }

    /// A missing list changes nothing in the database.
    @Test func `a missing list removes no code from the history`() async throws {
        let hasCode = Row("a code", "7E804{P}010301")
        _ = try await dtc(["03": hasCode])
        _ = try await dtc(["03": Row("another list", "7E802{O}00")])
        let history = try await workplace.run(["dtc", "history", "--format", "json"])
        let life = try #require(try history.objects().first { $0["code"] as? String == "P0301" })
        #expect((life["present"] as? [String]) == ["stored"], "\(history)")
    }

    /// A batch stores the codes of each vehicle, as a single `dtc` does.
    @Test func `the history keeps the codes of a batch`() async throws {
        let list = try workplace.file(
            "cars.txt",
            (1...4).map { "sim:petrol?frozen=true&latency=0&vin=1HGCM82633A00435\($0) car \($0)\n" }
                .joined())
        let batch = try await workplace.run(
            ["dtc", "--batch", list, "--db", workplace.database], within: 60)
        #expect(batch.status == 0, "\(batch)")
        let history = try await workplace.run(
            ["dtc", "history", "--format", "json", "--db", workplace.database])
        let vehicles = Set(try history.objects().compactMap { $0["vin"] as? String })
        #expect(vehicles.count == 4, "\(history)")
    }

    /// Only lists that came can confirm that codes were cleared.
    @Test func `an answer to another request does not confirm clearing`() async throws {
        let cleared = Mutex(false)
        let adapter = try ScriptedAdapter(.tcp) { line in
            switch line.text {
            case "04":
                cleared.withLock { $0 = true }
                return .say(PlainAdapter.said("NO DATA"))
            // There are codes first. After the clearing the adapter sends the list of another
            // service.
            case "03":
                return .say(
                    PlainAdapter.said(
                        cleared.withLock { $0 } ? "7E8024700" : "7E80443010301"))
            default: return .say(Self.healthy(line.text))
            }
        }
        let outcome = try await workplace.run(
            ["dtc", "clear", "--yes", "--force", "-d", adapter.address], within: 60)
        #expect(outcome.status == 75, "\(outcome)")
        #expect(!outcome.errors.contains("the codes are gone"), "\(outcome)")
        #expect(adapter.heard.filter { $0 == "04" }.count == 1)
    }

    // MARK: The vehicle

    private func dtc(_ wrong: [String: Row]) async throws -> Outcome {
        let adapter = try ScriptedAdapter(.tcp) { line in
            guard let row = wrong[line.text] else { return .say(Self.healthy(line.text)) }
            let reply = row.replies[min(line.earlier, row.replies.count - 1)]
            return .say(PlainAdapter.said(Self.spelled(reply, for: line.text)))
        }
        return try await workplace.run(
            ["dtc", "-d", adapter.address, "--db", workplace.database], within: 90)
    }

    private static func spelled(_ reply: String, for service: String) -> String {
        let (positive, other) =
            switch service {
            case "07": ("47", "43")
            case "0A": ("4A", "43")
            default: ("43", "47")
            }
        return reply.replacingOccurrences(of: "{P}", with: positive)
            .replacingOccurrences(of: "{O}", with: other)
            .replacingOccurrences(of: "{S}", with: service)
    }

    /// One ECU with the check engine light off and a count of 0.
    ///
    /// With it, a missing list looks harmless.
    private static func healthy(_ line: String, code: Bool = false) -> String {
        switch line {
        case "0101": PlainAdapter.said("7E80641010007E500")
        case "03": PlainAdapter.said(code ? "7E80443010301" : "7E8024300")
        case "07": PlainAdapter.said("7E8024700")
        case "0A": PlainAdapter.said("7E8024A00")
        default: PlainAdapter.answer(line)
        }
    }

    /// The output line of the engine's ECU.
    private func engine(_ outcome: Outcome) -> String {
        outcome.output.split(separator: "\n").first { $0.hasPrefix("7E8  ") }.map(
            String.init) ?? ""
    }

    private func expectNoFalseHope(_ outcome: Outcome, _ row: Row) {
        let saysNone =
            engine(outcome).contains("no codes")
            || engine(outcome).contains("no stored codes")
        #expect(!saysNone || row.verdict == .none, "\(outcome)")
    }
}
