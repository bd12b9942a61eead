import Foundation
import Testing

/// The whole program with a vehicle of two ECUs.
///
/// Each ECU has its own codes, frames and refusals.
@Suite(.ownThreads) struct `Two ECUs` {
    private let workplace: Workplace
    private static let vin = "5XXBD1GA8LX000042"

    init() throws { workplace = try Workplace() }

    /// For each request, the answers in their order.
    ///
    /// The last answer repeats.
    ///
    /// `|` separates lines. The layouts are those of SAE J1979.
    private static let usual = [
        "0100": ["7E8 06 41 00 98 18 00 00|7E9 06 41 00 80 10 00 00"],
        "0101": ["7E8 06 41 01 82 07 65 04|7E9 06 41 01 01 04 00 00"],
        "03": ["7E8 06 43 02 03 01 04 20|7E9 04 43 01 03 01"],
        "07": ["7E8 02 47 00|7E9 02 47 00"], "0A": ["7E8 02 4A 00|7E9 02 4A 00"],
        // P0301 froze the engine's frame, P0420 the gearbox's. Each frame has an engine speed.
        "020200": ["7E8 05 42 02 00 03 01|7E9 05 42 02 00 04 20"],
        "020000": ["7E8 07 42 00 00 00 10 00 00|7E9 07 42 00 00 00 10 00 00"],
        "020C00": ["7E8 05 42 0C 00 0C 80|7E9 05 42 0C 00 1A F8"],
        "0600": ["7E8 06 46 00 00 00 00 01"], "0620": ["7E8 06 46 20 80 00 00 00"],
        // Monitor 21, test 80, in counts: the value is 100 and the limit is 50. Then test 81: the
        // value is 5.
        "0621": [
            "7E8 10 13 46 21 80 24 00 64|7E8 21 00 00 00 32 21 81 24|7E8 22 00 05 00 00 00 32"
        ],
        "0900": ["7E8 06 49 00 40 00 00 00|7E9 03 7F 09 11"],
        "0902": [
            "7E8 10 14 49 02 01 35 58 58|7E8 21 42 44 31 47 41 38 4C|7E8 22 58 30 30 30 30 34 32"
        ],
        // The map of 7E9 has 0C, but not 0D.
        "010C": ["7E8 04 41 0C 00 00|7E9 04 41 0C 00 00"], "010D": ["7E8 03 41 0D 00"],
    ]

    private func adapter(_ answers: [String: [String]] = [:]) throws -> ScriptedAdapter {
        let table = Self.usual.merging(answers) { $1 }
        return try ScriptedAdapter(.tcp) { line in
            let isRequest = line.text.allSatisfy(\.isHexDigit) && !line.text.isEmpty
            // A request with an odd number of digits ends with the number of frames to wait for.
            let request =
                isRequest && !line.text.count.isMultiple(of: 2)
                ? String(line.text.dropLast()) : line.text
            guard let answers = table[request] else {
                return .say(isRequest ? "NO DATA\r\r>" : PlainAdapter.answer(line.text))
            }
            let answer = answers[min(line.earlier, answers.count - 1)]
            let isData = answer.hasPrefix("7E")
            return .say(
                (isData ? answer.filter { $0 != " " } : answer).replacing("|", with: "\r")
                    + "\r\r>")
        }
    }

    private func run(
        _ arguments: [String], _ answers: [String: [String]] = [:]
    ) async throws -> (Outcome, ScriptedAdapter) {
        let adapter = try adapter(answers)
        return (try await workplace.run(arguments + ["-d", adapter.address]), adapter)
    }

    @Test func `freeze frames come under their own code`() async throws {
        // A third ECU answers, but none of its codes froze a frame.
        let speeds = (Self.usual["020C00"]?.first ?? "") + "|7EA 05 42 0C 00 0F A0"
        let (outcome, _) = try await run(["freeze", "--format", "json"], ["020C00": [speeds]])
        #expect(outcome.status == 0, "\(outcome)")
        let shown = try outcome.objects().filter { $0["signal"] as? String == "RPM" }
        #expect(
            shown.map { "\($0["ecu"] ?? "") \($0["dtc"] ?? "") \($0["value"] ?? "")" }
                == ["7E8 P0301 800", "7E9 P0420 1726"], "\(outcome)")
    }

    @Test func `an answer or refusal of one ECU is not shown for the other`() async throws {
        let (outcome, _) = try await run(["info"])
        #expect(outcome.status == 0, "\(outcome)")
        let parts = outcome.output.components(separatedBy: "\n\n")
        try #require(parts.count == 3, "\(outcome)")
        #expect(parts[1].contains(Self.vin) && !parts[1].contains("Refuses service 09"))
        #expect(!parts[2].contains(Self.vin) && parts[2].contains("Refuses service 09"))
    }

    @Test func `a report shows failed tests`() async throws {
        let (outcome, _) = try await run(["dtc", "report"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("FAILED") && !outcome.output.contains("passed"))
        #expect(outcome.output.split(separator: "\n").count { $0.hasPrefix("P0301") } == 2)
    }

    // MARK: Clearing

    /// The answer to 04, the exit code, and a part of the message.
    @Test(
        arguments: [
            ("7E8 01 44|7E9 01 44", 0, "7E9: cleared"), ("7E8 01 44", 0, "7E8: cleared"),
            ("7E8 01 44|7E9 03 7F 04 22", 75, "7E9 refused to clear: conditions not correct"),
            ("NO DATA", 0, "No ECU confirmed, but reading again shows that the codes are gone."),
        ] as [(String, Int32, String)])
    func `clearing is sent once, saves lost data and names the confirming ECUs`(
        answer: String, status: Int32, words: String
    ) async throws {
        let (outcome, adapter) = try await run(
            ["dtc", "clear", "--yes"],
            [
                "03": [Self.usual["03"]?.first ?? "", "7E8 02 43 00|7E9 02 43 00"],
                "04": [answer],
            ])
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.contains(words), "\(outcome)")
        // A bare carriage return right after 04 would make an ELM327 send it again.
        let heard = adapter.heard
        #expect(heard.count { $0 == "04" } == 1)
        #expect(!heard.contains(""))

        // The database has the codes from before, and knows that they are gone.
        let history = try await workplace.run(["dtc", "history", "--format", "json"]).objects()
            .filter { $0["kind"] as? String == "codeHistory" }
        #expect(
            Set(history.map { "\($0["ecu"] ?? "") \($0["code"] ?? "")" })
                == ["7E8 P0301", "7E8 P0420", "7E9 P0301"])
        #expect(history.allSatisfy { ($0["present"] as? [String])?.isEmpty == true }, "\(history)")
        let trip = try await workplace.run(["export", "scan1", "--format", "json"]).objects()
        let cleared = trip.filter { $0["event"] as? String == "codesCleared" }
        #expect(
            cleared.compactMap { $0["ecu"] as? String }
                == answer.split(separator: "|").filter { $0.hasSuffix(" 44") }
                .map { String($0.prefix(3)) })
        #expect(trip.contains { $0["dtc"] as? String == "P0420" && $0["signal"] != nil })
    }

    /// After codes were cleared, with the monitor not run and run: all output agrees.
    @Test func `a repair is proven when the monitor has run and the code did not return`()
        async throws
    {
        let empty = "7E8 02 43 00|7E9 02 43 00"
        let (cleared, _) = try await run(
            ["dtc", "clear", "--yes"],
            ["03": [Self.usual["03"]?.first ?? "", empty], "04": ["7E8 01 44|7E9 01 44"]])
        #expect(cleared.status == 0, "\(cleared)")
        // PIDs 30, 31 and 4E of the engine are warm-ups, km and minutes since then.
        func answers(_ open: String, _ distance: String, _ test: String) -> [String: [String]] {
            [
                "0100": ["7E8 06 41 00 98 18 00 01|7E9 06 41 00 80 10 00 00"],
                "0120": ["7E8 06 41 20 00 01 80 01"], "0140": ["7E8 06 41 40 00 04 00 00"],
                "0130": ["7E8 03 41 30 0A"], "0131": ["7E8 04 41 31 00 \(distance)"],
                "014E": ["7E8 04 41 4E 00 C8"], "03": [empty],
                "0101": ["7E8 06 41 01 00 07 65 \(open)|7E9 06 41 01 00 04 00 00"],
                "0621": ["7E8 10 0A 46 21 80 24 00 \(test)|7E8 21 00 00 00 32"],
            ]
        }
        for (open, distance, test, states, verdict) in [
            (
                "65", "02", "00", ["unproven", "unproven", "unproven"],
                "No trouble codes, but no repair of P0301, P0420 is proven, codes were cleared "
                    + "only 2 km and 10 warm-ups ago and 4 monitors have not run since then, so a "
                    + "fault may still be unseen."
            ),
            (
                "00", "C8", "14", ["proven", "unproven", "proven"],
                "No trouble codes: the repair of P0420 is proven, but no repair of P0301 is "
                    + "proven, so a fault may still be unseen."
            ),
            (
                "00", "C8", "64", ["proven", "unproven", "unproven"],
                "No trouble codes, but 1 test result failed and no repair of P0301, P0420 is "
                    + "proven, so a fault may still be unseen."
            ),
        ] {
            var proofs: [String] = []
            for command in [["dtc"], ["monitors"], ["dtc", "report"]] {
                let (json, _) = try await run(command + ["--json"], answers(open, distance, test))
                let objects = try json.objects()
                let said = objects.first { $0["kind"] as? String == "verdict" }
                #expect(said?["text"] as? String == verdict, "\(command)")
                let proof = objects.filter { $0["kind"] as? String == "proof" }
                #expect(proof.compactMap { $0["state"] as? String } == states, "\(command)")
                proofs = proof.compactMap { $0["text"] as? String }
                let (text, _) = try await run(command, answers(open, distance, test))
                #expect(text.output.hasPrefix(verdict + "\n"), "\(text)")
                for proof in proofs { #expect(text.output.contains(proof), "\(proof) \(text)") }
            }
            let catalyst = try #require(proofs.first { $0.contains("Catalyst") })
            #expect(catalyst.contains("cleared at 20"))
            #expect(catalyst.contains(open == "65" ? "has not run since" : "has run since"))
        }
    }

    /// The answer of one ECU proves nothing about the other.
    @Test(
        arguments: [
            ("010C", "7E8 04 41 0C 00 00", "no proof from 7E9"),
            ("010C", "7E9 04 41 0C 00 00", "no proof from 7E8"),
            ("010C", "7E8 04 41 0C 00 00|7E9 03 7F 01 22", "no proof from 7E9"),
            ("010C", "7E8 04 41 0C 00 00|7E9 04 41 0C 00 00|7E9 03 7F 01 22", "two different"),
            ("010C", "7E8 04 41 0C 00 00|7E9 04 41 0C 0C 80", "the engine runs"),
            ("010C", "NO DATA", "no proof from 7E8"), ("010D", "NO DATA", "no proof from 7E8"),
        ])
    func `codes are not cleared unless every ECU proves that the vehicle stands`(
        request: String, answer: String, words: String
    ) async throws {
        let (outcome, adapter) = try await run(["dtc", "clear", "--yes"], [request: [answer]])
        #expect(outcome.status == 75 && outcome.errors.contains(words), "\(outcome)")
        #expect(!adapter.heard.contains("04"))
    }

    // MARK: Exit codes

    /// PID 01 of a vehicle without monitors, with a complete monitor, and with an incomplete one.
    @Test(
        arguments: [
            ("7E8 06 41 01 00 00 00 00", 1), ("7E8 06 41 01 00 04 00 00", 0),
            ("7E8 06 41 01 00 04 00 00|7E9 06 41 01 00 44 00 00", 1), ("7E8 03 7F 01 12", 1),
        ] as [(String, Int32)])
    func `a vehicle is ready for inspection if its monitors have run`(
        answer: String, status: Int32
    ) async throws {
        let (outcome, _) = try await run(
            ["monitors", "--readiness", "--exit-code"], ["0101": [answer]])
        #expect(outcome.status == status, "\(outcome)")
    }

    @Test(
        arguments: [
            ("7E8 02 43 00|7E9 02 43 00", 0), ("7E8 02 43 00|7E9 03 7F 03 11", 1),
            ("7E8 02 43 00|7E9 04 43 01 03 01", 1), ("7E8 02 43 00", 75),
        ] as [(String, Int32)])
    func `a batch reports no codes only after the list of every ECU was read`(
        answer: String, status: Int32
    )
        async throws
    {
        let adapter = try adapter([
            "03": [answer], "0101": ["7E8 06 41 01 00 04 00 00"],
        ])
        let list = try workplace.file("list.txt", "\(adapter.address) car\n")
        let outcome = try await workplace.run(["dtc", "--batch", list, "--exit-code"])
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.output.split(whereSeparator: \.isNewline).count == 3)
    }

    /// The values up to the break are printed.
    ///
    /// The exit code shows that some are missing.
    @Test func `an interrupted question is not a success`() async throws {
        let (outcome, _) = try await run(["read", "rpm", "vss"], ["010D": ["LV RESET"]])
        #expect(outcome.output.contains("RPM"), "\(outcome)")
        #expect(outcome.status == 75, "\(outcome)")
    }

    // MARK: Histories and exports

    @Test func `a history shows only its vehicle, and a track has seconds`() async throws {
        let other = "1HGCM82633A004352"
        var files: [String] = []
        for (vin, code, hour) in [(Self.vin, "P0301", 8), (other, "P0420", 9)] {
            let moment = { (second: Int) in "2026-11-21T0\(hour):00:0\(second).000000Z" }
            files.append(
                try workplace.file(
                    "\(code).jsonl",
                    """
                    {"kind":"trip","vin":"\(vin)","start":"\(moment(0))"}
                    {"kind":"code","status":"stored","time":"\(moment(0))","ecu":"7E8","code":"\(code)"}
                    {"kind":"position","time":"\(moment(1))","latitude":52.5,"longitude":13.4}
                    {"kind":"position","time":"\(moment(3))","latitude":52.6,"longitude":13.4}

                    """))
        }
        let imported = try await workplace.run(["import"] + files)
        #expect(imported.status == 0, "\(imported)")
        let page = try await ServedPage(workplace, ["--offline"])
        for (query, codes) in [
            ("?vehicle=\(other)", ["P0420"]), ("?vehicle=\(Self.vin)", ["P0301"]),
            ("", ["P0301", "P0420"]),
        ] {
            let found = try await page.get("/api/codes/history\(query)").objects()
                .filter { $0["kind"] as? String == "codeHistory" }
            #expect(found.compactMap { $0["code"] as? String }.sorted() == codes)
        }
        let track = try #require(try await page.get("/api/trips/1/track").objects().first)
        let points = try #require(track["points"] as? [[Double]])
        #expect(points == [[1, 52.5, 13.4], [3, 52.6, 13.4]])
    }
}
