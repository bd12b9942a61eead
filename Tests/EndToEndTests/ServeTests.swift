import Foundation
import Testing

/// Sends requests to `obdscan serve` over real sockets.
@Suite(.ownThreads) struct `Serving` {
    private let workplace: Workplace
    private static let car = "sim:?frozen=true&latency=0"

    init() throws { workplace = try Workplace() }

    /// The lines of an output without the parts that differ from run to run.
    private func shapes(_ text: String) -> [String] {
        text.split(separator: "\n").map { line in
            String(line).replacing(#/"time":"[^"]*"/#, with: "\"time\":TIME")
        }
    }

    @Test func `a vehicle's objects equal those of the commands`() async throws {
        let page = try await ServedPage(workplace, ["rpm", "vss", "-d", Self.car])
        // The server also asks for the check engine light and the count of codes.
        let asked = { (objects: [[String: Any]]) in
            objects.filter { ["RPM", "VSS"].contains($0["signal"] as? String) }
        }
        let readings = try await page.wait(for: "/api/readings") { asked($0).count >= 4 }
        let read = try await workplace.run([
            "read", "rpm", "vss", "--format", "json", "-d", Self.car,
        ])
        #expect(try asked(readings).count == read.objects().count)
        let served = try await page.get("/api/readings").text.split(separator: "\n")
            .filter { !$0.contains("\"pid\":\"01\"") }.joined(separator: "\n")
        #expect(shapes(served).sorted() == shapes(read.output).sorted())

        let codes = try await page.get("/api/codes")
        let dtc = try await workplace.run(["dtc", "--format", "json", "-d", Self.car])
        #expect(codes.status == 200)
        #expect(codes.text.contains("P0301"))
        #expect(shapes(codes.text) == shapes(dtc.output))

        let monitors = try await workplace.run([
            "monitors", "--readiness", "--format", "json", "-d", Self.car,
        ])
        #expect(shapes(try await page.get("/api/monitors").text) == shapes(monitors.output))

        let status = try #require(try await page.get("/api/status").objects().first)
        #expect(status["link"] as? String == "live")
        #expect((status["vin"] as? String)?.count == 17)

        let metrics = try await page.get("/metrics")
        #expect(metrics.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let line = try #require(
            metrics.text.split(separator: "\n").first {
                $0.hasPrefix("obdscan_reading{signal=\"RPM\"")
            })
        let value = try #require(readings.first { $0["signal"] as? String == "RPM" })
        #expect(Double(line.split(separator: " ").last ?? "") == value["value"] as? Double)
        #expect(metrics.text.contains("\nobdscan_connected 1.0\n"))
    }

    /// Whatever a browser requests, only services that read reach the vehicle (SAE J1979, as
    /// recorded).
    @Test func `a browser cannot change anything in the vehicle`() async throws {
        let record = workplace.path("record")
        let page = try await ServedPage(workplace, ["-d", Self.car, "--record", record])
        _ = try await page.wait(for: "/api/readings") { $0.count >= 2 }
        for target in [
            "/api/codes", "/api/monitors", "/api/codes?clear=yes", "/api/codes/clear",
            "/api/send?command=04", "/api/monitors%0D04",
        ] {
            _ = try await page.get(target)
        }
        for method in ["POST", "DELETE", "PUT"] {
            let answer = try await page.send(
                "\(method) /api/codes HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n"
                    + "Content-Length: 0\r\n\r\n")
            #expect(answer.status == 405, "\(method): \(answer)")
        }
        let typed = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
            .compactMap { $0.split(separator: " > ", maxSplits: 1).dropFirst().first }
            .filter { $0.utf8.prefix(2).allSatisfy { (0x30...0x39).contains($0) || $0 == 0x41 } }
        #expect(typed.contains { $0.hasPrefix("03") } && typed.contains { $0.hasPrefix("01") })
        let reading = ["01", "02", "03", "06", "07", "09", "0A", "AT"]
        #expect(typed.allSatisfy { reading.contains(String($0.prefix(2))) }, "\(typed)")
    }

    @Test func `a HEAD request gets the head of the GET answer`() async throws {
        let log = try await workplace.run(["log", "rpm", "--duration", "1s", "-d", "sim:"])
        #expect(log.status == 0)
        let page = try await ServedPage(workplace, ["--offline"])
        for target in [
            "/", "/api/status", "/api/trips", "/api/trips/1", "/api/trips/1/export?format=csv",
            "/api/trips/1/report", "/metrics", "/api/trips/99", "/nothing",
        ] {
            let whole = try await page.get(target)
            let head = try await page.send("HEAD \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(head.status == whole.status, "\(target)")
            #expect(head.body.isEmpty && !whole.body.isEmpty, "\(target)")
            for name in ["content-type", "content-disposition", "transfer-encoding"] {
                #expect(head.fields[name] == whole.fields[name], "\(target)")
            }
        }
        // A HEAD request for the endless stream ends after the head.
        let stream = try await page.send("HEAD /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(stream.status == 200 && stream.body.isEmpty)
        #expect(stream.fields["content-type"] == "text/event-stream; charset=utf-8")
    }

    @Test(arguments: [
        ("metric", "km", 1.0, "km/h"), ("imperial", "mi", 0.621_371, "mph"),
        ("us", "mi", 0.621_371, "mph"),
    ])
    func `values have the chosen units, and the status has the conversion factors`(
        units: String, distance: String, factor: Double, speed: String
    ) async throws {
        let log = try await workplace.run(["log", "vss", "--duration", "1s", "-d", Self.car])
        #expect(log.status == 0)
        let page = try await ServedPage(workplace, ["--offline", "--units", units])
        let status = try #require(try await page.get("/api/status").objects().first)
        let told = try #require(status["units"] as? [String: Any])
        #expect(told["system"] as? String == units)
        let one = try #require(told["distance"] as? [String: Any])
        #expect(one["unit"] as? String == distance)
        #expect(abs((one["factor"] as? Double ?? 0) - factor) < 1e-6)
        #expect((told["speed"] as? [String: Any])?["unit"] as? String == speed)
        let plot = try await page.get("/api/trips/1/plots?signal=VSS").objects().first
        #expect(plot?["unit"] as? String == speed)
        let signal = try await page.get("/api/trips/1").objects()
            .first { $0["kind"] as? String == "tripSignal" && $0["signal"] as? String == "VSS" }
        #expect(signal?["unit"] as? String == speed)
    }

    @Test func `the stream for browsers has signals, readings and the state of the link`()
        async throws
    {
        let page = try await ServedPage(workplace, ["rpm", "-d", "sim:"])
        let text = try await page.stream(
            "/api/live",
            until: ["event: signal", "event: reading", "event: status", "\"link\":\"live\""])
        #expect(text.contains("Content-Type: text/event-stream; charset=utf-8\r\n"))
        let events = text.components(separatedBy: "\n\n").filter { $0.contains("event: ") }
        for event in events.dropLast() {
            let lines = event.split(separator: "\n").filter { $0.hasPrefix("data: ") }
            let object = try #require(lines.first?.dropFirst(6))
            #expect(throws: Never.self) { try Outcome.objects(String(object)) }
        }
        // Each object in the stream is the same as in the output of a command.
        let reading = try #require(
            events.first { $0.contains("event: reading") }?.split(separator: "\n")
                .first { $0.hasPrefix("data: ") }?.dropFirst(6))
        let live = try await workplace.run([
            "live", "rpm", "--format", "json", "-d", "sim:", "--duration", "1",
        ])
        let keys = try #require(try live.objects().first).keys.sorted()
        #expect(try #require(try Outcome.objects(String(reading)).first).keys.sorted() == keys)
        let slow = try await page.get("/api/live?every=never")
        #expect(slow.status == 400)
        // Status events show that the stream is alive, even with a long interval between readings.
        _ = try await page.stream(
            "/api/live?every=60s", until: ["event: status", "event: status", "event: status"])
    }

    @Test func `trips and exports equal those of the commands, without a vehicle`() async throws {
        _ = try await workplace.run(["log", "rpm", "vss", "-d", "sim:", "--duration", "1"])
        let page = try await ServedPage(workplace, ["--offline"])
        for (target, command) in [
            ("trips", ["trips"]), ("trips/1", ["trips", "show", "1"]),
            ("trips/latest", ["trips", "show"]), ("codes/history", ["dtc", "history"]),
            ("monitors/trend", ["monitors", "--trend"]),
            ("trips/1/diagnosis", ["diagnose", "--trip", "1"]),
        ] {
            let said = try await workplace.run(command + ["--format", "json"])
            let answer = try await page.get("/api/\(target)")
            #expect(answer.status == 200 && answer.isWhole)
            #expect(answer.text == said.output, "\(target)")
        }
        for (query, options) in [
            ("format=csv", ["--format", "csv"]),
            ("format=csv&layout=long", ["--format", "csv", "--layout", "long"]),
            ("format=json", ["--format", "json"]), ("format=influx", ["--format", "influx"]),
            ("format=csv&signal=RPM&units=us", ["--signal", "RPM", "--units", "us"]),
        ] {
            let said = try await workplace.run(["export", "1"] + options)
            let answer = try await page.get("/api/trips/1/export?\(query)")
            #expect(answer.status == 200 && answer.isWhole)
            #expect(answer.text == said.output, "\(query)")
            let name = answer.fields["content-disposition"] ?? ""
            #expect(name.hasPrefix("attachment; filename=\"trip-1"))
        }
        let plot = try #require(try await page.get("/api/trips/1/plots").objects().first)
        let points = try #require(plot["points"] as? [[Double]])
        #expect(points.count > 1 && points.allSatisfy { $0.count == 2 })
        let track = try #require(try await page.get("/api/trips/1/track").objects().first)
        #expect((track["points"] as? [Any])?.isEmpty == true)
        #expect(try await page.get("/api/trips/1/report").text.contains("<h2>Signals</h2>"))

        // A sheet, which begins as a ZIP file does.
        let sheet = try await page.get("/api/trips/1/export?format=xlsx")
        #expect(sheet.status == 200 && sheet.body.starts(with: Array("PK".utf8)))
        #expect(
            sheet.fields["content-disposition"] == "attachment; filename=\"trip-1.xlsx\"")

        for (target, status) in [
            ("/api/trips/1/report?format=exe", 400), ("/api/trips/1/report?format=html", 200),
            ("/api/trips/99", 404), ("/api/trips/nobody", 404), ("/api/trips/1/nothing", 404),
            ("/api/trips/1/export?format=gpx", 404), ("/api/trips/1/export?format=exe", 400),
            ("/api/trips/1/export?layout=deep", 400), ("/nothing?x=1", 404),
            ("/api/trips?units=feet", 400),
            ("/api/trips?latest=x", 400), ("/api/codes", 503), ("/api/monitors", 503),
            ("/nothing", 404), ("/api/", 404),
        ] {
            let answer = try await page.get(target)
            #expect(answer.status == status, "\(target)")
            if status == 200 { continue }
            let problem = try #require(try answer.objects().first)
            #expect(problem["kind"] as? String == "problem" && problem["status"] as? Int == status)
        }
        page.program.send(SIGINT)
        #expect(try await page.program.finish(within: 10).status == 0)
    }

    @Test func `a report is printed if a browser that prints is installed`() async throws {
        let log = try await workplace.run(["log", "rpm", "--duration", "1s", "-d", "sim:"])
        #expect(log.status == 0)
        // A made-up browser, which gives back the page.
        let folder = workplace.path("bin")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let browser = try workplace.file(
            "bin/chromium",
            """
            #!/bin/sh
            for word in "$@"; do
                case $word in
                    --print-to-pdf=*) pdf=${word#*=} ;;
                    file://*) page=${word#file://} ;;
                esac
            done
            cp "$page" "$pdf"
            """)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
        let with = workplace.environment.merging(["PATH": "\(folder):/usr/bin:/bin"]) { $1 }
        let page = try await ServedPage(workplace, ["-d", Self.car], with)
        _ = try await page.wait(for: "/api/readings") { !$0.isEmpty }
        for (target, name) in [
            ("/api/trips/1/report", "trip-1.pdf"), ("/api/report", "vehicle-report.pdf"),
        ] {
            let answer = try await page.get(target + "?format=pdf")
            #expect(answer.status == 200, "\(answer)")
            #expect(answer.fields["content-type"] == "application/pdf")
            #expect(
                answer.fields["content-disposition"] == "attachment; filename=\"\(name)\"")
            #expect(answer.text.hasPrefix("<!DOCTYPE html>") && answer.text.contains("size: "))
        }
        #expect(try await page.get("/").text.contains("data-pdf=\"yes\""))
        page.program.send(SIGTERM)
        #expect(try await page.program.finish(within: 15).status == 0)

        let without = workplace.environment.merging(["PATH": "/nonexistent"]) { $1 }
        let plain = try await ServedPage(workplace, ["--offline"], without)
        let refused = try await plain.get("/api/trips/1/report?format=pdf")
        #expect(refused.status == 503 && refused.text.contains("no browser is installed"))
        #expect(try await plain.get("/").text.contains("data-pdf=\"\""))
    }

    @Test func `a request without permission gets no data`() async throws {
        let page = try await ServedPage(workplace, ["--offline"])
        let own = "127.0.0.1:\(page.port)"
        #expect(try await page.get("/").status == 200)
        #expect(try await page.get("/", host: "localhost").status == 200)
        for host in ["evil.example", "evil.example:\(page.port)", "192.168.1.5:\(page.port)"] {
            #expect(try await page.get("/api/trips", host: host).status == 403, "\(host)")
        }
        for origin in ["http://evil.example", "null", "http://localhost:1", "https://\(own).evil"] {
            let answer = try await page.get("/api/status", ["Origin: \(origin)"])
            #expect(answer.status == 403, "\(origin)")
            #expect(answer.fields["access-control-allow-origin"] == nil)
        }
        #expect(try await page.get("/api/status", ["Origin: http://\(own)"]).status == 200)
        #expect(try await page.get("/api/status", ["Sec-Fetch-Site: cross-site"]).status == 403)
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT"] {
            let answer = try await page.send(
                "\(method) /api/trips/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
            )
            #expect(answer.status == 405 && answer.fields["allow"] == "GET, HEAD", "\(method)")
        }
        for target in [
            "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/trips/..%2f..%2fetc%2fpasswd",
            "/..%5c..%5cetc", "/%c0%ae%c0%ae/etc/passwd", "/%00",
        ] {
            #expect(try await page.get(target).status == 400, "\(target)")
        }
        for target in ["//etc/passwd", "/etc/passwd", "/web/style.css", "/...", "/api/trips/1;x"] {
            #expect(try await page.get(target).status == 404, "\(target)")
        }
        page.program.send(SIGTERM)
        #expect(try await page.program.finish(within: 10).status == 0)
    }

    @Test func `a token gives access and is written nowhere`() async throws {
        let word = "a-word-that-nobody-else-knows"
        let log = workplace.path("log")
        let page = try await ServedPage(
            workplace, ["--offline", "--token", word, "--log-file", log, "-v"])
        #expect(page.url.hasSuffix("/?token=\(word)"))
        #expect(try await page.get("/api/status").status == 401)
        #expect(try await page.get("/api/status?token=\(word)").status == 401)
        #expect(try await page.get("/api/status", ["Authorization: Bearer wrong"]).status == 401)
        #expect(try await page.get("/api/status", ["Authorization: Bearer \(word)"]).status == 200)
        let entrance = try await page.get("/")
        #expect(entrance.status == 401 && entrance.text.contains("<form method=\"get\""))
        #expect(entrance.fields["set-cookie"] == nil)
        let opened = try await page.get("/?token=\(word)")
        let cookie = try #require(opened.fields["set-cookie"])
        #expect(opened.status == 200 && cookie.contains("; HttpOnly; SameSite=Strict"))
        #expect(!opened.text.contains(word))
        let pair = String(cookie.prefix { $0 != ";" })
        #expect(try await page.get("/api/status", ["Cookie: x=y; \(pair)"]).status == 200)
        page.program.send(SIGTERM)
        let outcome = try await page.program.finish(within: 10)
        #expect(outcome.status == 0 && !outcome.errors.contains(word))
        let written = try String(contentsOfFile: log, encoding: .utf8)
        #expect(written.contains("starts:") && !written.contains(word))
    }

    @Test func `a token from an option precedes a token from the environment`() async throws {
        let word = "a-word-of-the-environment"
        let environment = workplace.environment.merging(["OBDSCAN_TOKEN": word]) { $1 }
        let page = try await ServedPage(workplace, ["--offline"], environment)
        #expect(page.url.hasSuffix("/?token=\(word)"))
        #expect(try await page.get("/api/status").status == 401)
        #expect(try await page.get("/api/status", ["Authorization: Bearer \(word)"]).status == 200)
        let other = try await ServedPage(
            workplace, ["--offline", "--token", "another-word-altogether"], environment)
        #expect(other.url.hasSuffix("/?token=another-word-altogether"))
        #expect(try await other.get("/api/status", ["Authorization: Bearer \(word)"]).status == 401)
    }

    @Test
    func `outside the loopback a token is required, even without the user's choice`() async throws {
        let page = try await ServedPage(workplace, ["--offline", "--listen", "0.0.0.0:0"])
        let word = try #require(page.url.split(separator: "=").last)
        #expect(word.count == 32)
        #expect(try await page.get("/api/status").status == 401)
        #expect(try await page.get("/?token=\(word)").status == 200)
        #expect(try await page.get("/?token=\(word)", host: "evil.example").status == 403)
        let bad = try await workplace.run(["serve", "--offline", "--token", "short"])
        #expect(bad.status == 64 && bad.errors.contains("hint: "))
    }

    @Test
    func `the page is complete, has a new mark each time, and inserts no text as markup`()
        async throws
    {
        let page = try await ServedPage(workplace, ["--offline"])
        let first = try await page.get("/")
        let second = try await page.get("/")
        #expect(first.body.count <= 120_000)
        let policy = try #require(first.fields["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe"))
        let nonce = try #require(policy.firstMatch(of: #/script-src 'nonce-([0-9a-f]{32})'/#)?.1)
        #expect(first.text.contains("<script nonce=\"\(nonce)\">"))
        #expect(!second.text.contains(nonce))
        for part in ["{{", "src=\"", "@import", "url("] { #expect(!first.text.contains(part)) }
        for way in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
            "new Function",
            "DOMParser", "srcdoc", "javascript:", " onclick=",
        ] {
            #expect(!first.text.contains(way), "\(way)")
        }
        #expect(first.text.components(separatedBy: "<script").count == 2)
    }

    @Test func `the error names a port that is in use and suggests a command`() async throws {
        let page = try await ServedPage(workplace, ["--offline"])
        let other = try await workplace.run([
            "serve", "--offline", "--listen", "127.0.0.1:\(page.port)",
        ])
        #expect(other.status == 69)
        #expect(other.errors.contains("127.0.0.1:\(page.port): Address already in use"))
        #expect(other.errors.contains("hint: another program has the port"))
        #expect(try await workplace.run(["serve", "--listen", "example.org:80"]).status == 64)
    }

    @Test
    func `the server starts without its adapter and uses the adapter when it connects`()
        async throws
    {
        let port = try LoopbackPort.free()
        let page = try await ServedPage(workplace, ["rpm", "-d", "tcp:127.0.0.1:\(port)"])
        let failed = try await page.wait(for: "/api/status") {
            $0.first?["link"] as? String == "failed"
        }
        #expect((failed.first?["note"] as? String)?.contains("\(port)") == true)
        #expect(try await page.get("/api/codes").status == 503)
        let adapter = try workplace.start(["simulate", "--tcp", "\(port)", "--latency", "0"])
        try await adapter.lines(with: "tcp:")
        _ = try await page.wait(for: "/api/status") { $0.first?["link"] as? String == "live" }
        _ = try await page.wait(for: "/api/readings") { !$0.isEmpty }
        // The adapter goes away: the server reports it and continues.
        adapter.send(SIGTERM)
        _ = try await page.wait(for: "/api/status") { $0.first?["link"] as? String == "lost" }
        page.program.send(SIGTERM)
        #expect(try await page.program.finish(within: 15).status == 0)
    }

    @Test func `a lost link ends a browser's question, and no other client waits`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            line.text.hasPrefix("03") ? .hangUp : .say(PlainAdapter.answer(line.text))
        }
        let page = try await ServedPage(workplace, ["rpm", "-d", adapter.address])
        _ = try await page.wait(for: "/api/readings") { !$0.isEmpty }
        async let first = page.get("/api/codes")
        async let second = page.get("/api/codes")
        async let third = page.get("/api/monitors")
        for answer in try await [first, second, third] {
            #expect(answer.status == 503 || answer.status == 200, "\(answer)")
        }
        _ = try await page.wait(for: "/api/status") { $0.first?["link"] as? String == "lost" }
        let late = try await page.get("/api/codes")
        #expect(late.status == 503 && late.text.contains("lost"), "\(late)")
        // The poll has the protocol, so the question must not try another one.
        #expect(!adapter.heard.contains { $0.hasPrefix("ATTP") })
        page.program.send(SIGTERM)
        #expect(try await page.program.finish(within: 15).status == 0)
    }

    @Test func `at the end the adapter shows its prompt`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { .say(PlainAdapter.answer($0.text)) }
        let page = try await ServedPage(workplace, ["rpm", "-d", adapter.address])
        _ = try await page.wait(for: "/api/readings") { !$0.isEmpty }
        page.program.send(SIGTERM)
        #expect(try await page.program.finish(within: 10).status == 0)
    }

    /// Names that the adapter sends are escaped in JSON and in the metrics.
    @Test func `text of an adapter cannot control terminal or page`() async throws {
        let adapter = try ScriptedAdapter(.tcp) { line in
            line.text == "ATI" || line.text == "ATZ"
                ? .say(PlainAdapter.said("ELM327 v1.5 <script>\u{1B}[2J\""))
                : .say(PlainAdapter.answer(line.text))
        }
        let table = try workplace.file(
            "own.pids",
            """
            record 01:0C 2 : Own
              signal OWN A..B scale 1/4 unit <b>"rpm : </script><script>alert(1)</script>\\
            """)
        let page = try await ServedPage(workplace, ["OWN", "-d", adapter.address, "--pids", table])
        let readings = try await page.wait(for: "/api/readings") { !$0.isEmpty }
        #expect(readings.first?["name"] as? String == "</script><script>alert(1)</script>\\")
        let metrics = try await page.get("/metrics")
        #expect(metrics.text.contains("unit=\"<b>\\\"rpm\""))
        #expect(metrics.text.contains("alert(1)</script>\\\\\""))
        for target in ["/api/status", "/api/readings", "/metrics"] {
            let answer = try await page.get(target)
            #expect(
                !answer.body.contains(0x1B) && answer.fields["x-content-type-options"] == "nosniff")
        }
    }
}
