import OBDCore
import Publishing
import Testing

@Suite("Answers to a write")
struct WriteDecisionTests {
    @Test(
        "An answer has the meaning that the servers' documents describe",
        arguments: [
            (204, "", nil, WriteDecision.accepted), (200, "{}", nil, .accepted),
            (
                400,
                #"{"error":"partial write: points beyond retention policy dropped=3"}"#, nil,
                .acceptedInPart(
                    refused: 3, "HTTP 400: partial write: points beyond retention policy dropped=3")
            ),
            (
                400, #"{"error":"unable to parse 'x': missing fields"}"#, nil,
                .halve("HTTP 400: unable to parse 'x': missing fields", isTooLarge: false)
            ),
            (
                422, #"{"code":"unprocessable entity","message":"bad\n line"}"#, nil,
                .halve(#"HTTP 422: bad\n line"#, isTooLarge: false)
            ),
            (413, "", nil, .halve("HTTP 413", isTooLarge: true)),
            (401, "no", nil, .stop(.notAuthorized, "HTTP 401: no")),
            (403, "no", nil, .stop(.forbidden, "HTTP 403: no")),
            (
                404, #"{"error":"database not found: \"x\""}"#, nil,
                .stop(.notFound, #"HTTP 404: database not found: \"#)
            ),
            (301, "", nil, .stop(.moved, "HTTP 301")),
            (429, "slow", "7", .again("HTTP 429: slow", after: .seconds(7))),
            (503, "", " 120 ", .again("HTTP 503", after: .seconds(120))),
            (503, "", "Fri, 31 Dec 1999 23:59:59 GMT", .again("HTTP 503", after: nil)),
            (503, "", "-1", .again("HTTP 503", after: nil)),
            (500, "a\nb", nil, .again("HTTP 500: a b", after: nil)),
            (408, "", nil, .again("HTTP 408", after: nil)),
        ] as [(Int, String, String?, WriteDecision)])
    func decision(status: Int, text: String, retryAfter: String?, decision: WriteDecision) {
        #expect(
            WriteDecision(.status(status, text: text, retryAfter: retryAfter)) == decision)
    }

    @Test("A write without an answer is tried again")
    func noAnswer() {
        #expect(WriteDecision(.none("refused")) == .again("refused", after: nil))
    }

    @Test("Pauses double up to a minute and vary by a fifth")
    func pauses() {
        var pacer = RetryPacer()
        let pauses = (0..<8).map { _ in pacer.fail(random: 0.5, least: nil).seconds }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(pacer.fail(random: 0, least: nil) == .seconds(48))
        #expect(abs(pacer.fail(random: 1, least: nil).seconds - 72) < 1e-6)
        #expect(pacer.fail(random: 0, least: .seconds(300)) == .seconds(300))
        pacer.succeed()
        #expect(pacer.fail(random: 0.5, least: .milliseconds(10)) == .seconds(1))
    }

    @Test(
        "If lines are refused together, only the wrong ones are left out",
        arguments: [1, 2, 3, 500])
    func halving(count: Int) {
        for bad in 0..<min(count, 40) {
            let lines = (0..<count).map { "line\($0)" }
            var batch = LineBatch(
                Array((lines.joined(separator: "\n") + "\n").utf8), limit: 1 << 20)
            var taken: [String] = []
            var requests = 0
            while let part = batch.next {
                requests += 1
                let found = String(decoding: part, as: UTF8.self).split(separator: "\n").map(
                    String.init)
                if found.contains("line\(bad)") {
                    batch.halve("bad")
                } else {
                    taken += found
                    batch.accept()
                }
            }
            #expect(taken == lines.filter { $0 != "line\(bad)" })
            #expect(
                batch.refused.map { String(decoding: $0.line, as: UTF8.self) } == ["line\(bad)"])
            #expect(requests <= 2 * 16 + 1)
        }
    }

    @Test(
        "A part exceeds the limit only for a single line", arguments: [1, 5, 6, 7, 11, 12, 100])
    func limit(limit: Int) {
        let text = "aaaaa\nbb\ncccccccccc\nd\n"
        var batch = LineBatch(Array(text.utf8), limit: limit)
        var all = ""
        while let part = batch.next {
            let words = String(decoding: part, as: UTF8.self)
            #expect(words.hasSuffix("\n"))
            #expect(words.utf8.count <= limit || words.dropLast().contains("\n") == false)
            all += words
            batch.accept()
        }
        #expect(all == text)
    }

    @Test("A server that accepts no line ends the attempt before all lines are given up")
    func hopeless() {
        var batch = LineBatch(
            Array(repeating: [0x61, 0x0A], count: 100).flatMap { $0 }, limit: 1_000)
        var requests = 0
        while batch.next != nil, !batch.isHopeless {
            batch.halve("database is required")
            requests += 1
        }
        #expect(batch.refused.count == 8 && requests < 30)
        var good = LineBatch(Array("a\nb\n".utf8), limit: 2)
        good.accept()
        #expect(good.isTaken && !good.isHopeless)
    }

    @Test("Without lines there is no request")
    func empty() {
        #expect(LineBatch([], limit: 10).next == nil)
    }

    @Test(
        "A name has only characters that topics and identifiers allow",
        arguments: [
            ("Golf", "golf"), ("My Car", "my-car"), ("WVWZZZ1KZAW000001", "wvwzzz1kzaw000001"),
            ("a.b/c+d#e", "a-b-c-d-e"), ("Käfer", "k-fer"), ("--x--", "--x"), ("x_y", "x_y"),
        ])
    func slug(text: String, slug: String) {
        #expect(PublishedName.slug(text) == slug)
    }

    @Test("Text without allowed characters gives no name", arguments: ["", "…", "  "])
    func noSlug(text: String) {
        #expect(PublishedName.slug(text) == nil)
    }

    @Test("A trip is held back when its clock was not set")
    func clock() {
        let now = UTC("2026-11-25T08:00Z") ?? UTC(microseconds: 0)
        func isPlausible(_ start: String, _ end: String) -> Bool {
            guard let start = UTC(start), let end = UTC(end) else { return false }
            return PublishedTime.isPlausible(start: start, end: end, now: now)
        }
        #expect(isPlausible("2026-11-25T07:00Z", "2026-11-25T08:00:30Z"))
        #expect(!isPlausible("1970-01-01T00:00Z", "1970-01-01T01:00Z"))
        #expect(!isPlausible("2026-11-25T07:00Z", "2026-11-25T08:02Z"))
    }
}

@Suite struct `Answers of A Better Route Planner` {
    private static let error = WriteAnswer.status(
        200, text: #"{"status": "error", "message": "soc is missing"}"#, retryAfter: nil)

    @Test func `an answer of 200 may refuse the point`() {
        #expect(
            WriteDecision(Self.error, of: .abrpHTTPS)
                == .halve("HTTP 200: soc is missing", isTooLarge: false))
        // A webhook's server may answer what it wants.
        #expect(WriteDecision(Self.error, of: .webhookHTTPS) == .accepted)
        let fine = WriteAnswer.status(200, text: #"{"status":"ok"}"#, retryAfter: nil)
        #expect(WriteDecision(fine, of: .abrpHTTPS) == .accepted)
        let denied = WriteAnswer.status(401, text: "", retryAfter: nil)
        #expect(WriteDecision(denied, of: .abrpHTTPS) == .stop(.notAuthorized, "HTTP 401"))
    }
}

@Suite("Exports of VictoriaMetrics")
struct TimestampCounterTests {
    @Test("Points are counted in pieces of any size")
    func cuts() {
        let text = Array(
            (#"{"metric":{"__name__":"obd_value","x":"\"\"timestamps"},"values":[1,2.5,-3],"#
                + #""timestamps":[1000,2000,-3000]}"# + "\n"
                + #"{"metric":{},"values":[],"timestamps":[]}"# + "\n"
                + #"{"metric":{},"values":[1],"timestamps":[7]}"# + "\n").utf8)
        for cut in 0...text.count {
            var counter = TimestampCounter()
            counter.take(text[..<cut])
            counter.take(text[cut...])
            #expect(counter.count == 4)
        }
    }
}
