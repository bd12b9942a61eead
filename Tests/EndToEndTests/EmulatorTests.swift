import Foundation
import Testing

/// Runs the whole program against ELM327-emulator and compares every value with the emulator's
/// recording.
@Suite(
    .serialized,
    .enabled(if: Emulator.folder != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"),
    .ownThreads, .emulator(.pty))
struct `ELM327-emulator on a pty` {
    let checks: EmulatorChecks

    init() throws { checks = try EmulatorChecks() }

    @Test func `info shows adapter, protocol and vehicle`() async throws {
        try await checks.info()
    }

    @Test func `read shows recorded values`() async throws { try await checks.read() }

    @Test func `dtc finds no codes, because none are recorded`() async throws {
        try await checks.codes()
    }

    @Test func `live prints recorded values as they arrive`() async throws {
        try await checks.live()
    }

    @Test func `some seconds over TCP are logged, listed and exported`() async throws {
        try await checks.log(seconds: 6)
    }
}

@Suite(
    .serialized,
    .enabled(if: Emulator.folder != nil, "OBDSCAN_PEERS is not set: run scripts/setup peers"),
    .ownThreads, .emulator(.tcp))
struct `ELM327-emulator on TCP` {
    let checks: EmulatorChecks

    init() throws { checks = try EmulatorChecks() }

    @Test func `info shows adapter, protocol and vehicle`() async throws {
        try await checks.info()
    }

    @Test func `read shows recorded values`() async throws { try await checks.read() }

    @Test func `dtc finds no codes, because none are recorded`() async throws {
        try await checks.codes()
    }

    @Test func `live prints recorded values as they arrive`() async throws {
        try await checks.live()
    }

    @Test func `a few seconds are logged, listed and exported`() async throws {
        try await checks.log(seconds: 6)
    }
}

/// The checks, for any device at which the emulator listens.
struct EmulatorChecks {
    private let emulator: Emulator
    private let workplace: Workplace
    private let signals = RecordedAnswers.formulas.map(\.signal)

    init() throws {
        emulator = try #require(Emulator.current)
        workplace = try Workplace()
    }

    func info() async throws {
        let outcome = try await run(["info"])
        #expect(outcome.status == 0, "\(outcome)")
        let objects = try outcome.objects()
        let adapter = try #require(objects.first { $0["kind"] as? String == "adapter" })
        #expect(adapter["firmware"] as? String == "ELM327 v1.5")
        #expect(adapter["protocol"] as? String == "iso15765-11-500")
        let vin = try #require(objects.first { $0["signal"] as? String == "VIN" })
        #expect(emulator.recorded.vins.contains(vin["value"] as? String ?? ""))
        #expect(vin["ecu"] as? String == "7E8")
        let voltage = objects.first { $0["signal"] as? String == "ADAPTER_VOLTAGE" }
        #expect((9...16).contains(voltage?["value"] as? Double ?? 0))
    }

    func read() async throws {
        let outcome = try await run(["read"] + signals)
        #expect(outcome.status == 0, "\(outcome)")
        let readings = try outcome.objects()
        expectRecorded(readings)
        #expect(readings.filter { $0["ecu"] as? String == "7E8" }.count == signals.count)
        #expect(
            readings.compactMap { $0["signal"] as? String }.sorted().uniqued == signals.sorted())
    }

    func codes() async throws {
        let outcome = try await workplace.run(["dtc", "--exit-code", "-d", emulator.address])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("7E8") && outcome.output.contains("no codes"))
    }

    func live() async throws {
        let program = try workplace.start(
            ["live"] + signals + ["--duration", "3s", "--format", "json", "-d", emulator.address])
        // The first lines come while the program still runs, not all at its end.
        try await program.lines(with: "\"signal\":\"RPM\"")
        #expect(!program.text(.output).contains("\"kind\":\"summary\""))
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        var objects = try outcome.objects()
        let last = objects.popLast()
        let summary = try #require(last)
        #expect(summary["kind"] as? String == "summary")
        #expect(summary["seconds"] as? Double ?? 0 > 2.5)
        let readings = objects.filter { $0["kind"] as? String == "reading" }
        expectRecorded(readings)
        // The summary may count readings that came at the end and were not printed.
        let counted = try #require(summary["readings"] as? Int)
        #expect((readings.count...readings.count + 6).contains(counted))
        #expect(readings.count > 30)
        for signal in signals {
            let values = readings.filter { $0["signal"] as? String == signal }
                .compactMap { $0["value"] as? Double }
            #expect(Set(values).count > 1, "\(signal) never changed")
        }
        let times = objects.compactMap { $0["time"] as? String }
        #expect(times == times.sorted())
    }

    func log(seconds: Int) async throws {
        let database = workplace.path("trips.db")
        let outcome = try await workplace.run(
            ["log", "--duration", "\(seconds)s", "--db", database, "-d", emulator.address],
            within: seconds + 30)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("Trip 1: "))

        let list = try await workplace.run(["trips", "list", "--db", database, "--format", "json"])
        let trips = try list.objects()
        let trip = try #require(trips.first)
        #expect(trips.count == 1)
        #expect(trip["open"] as? Bool == false)
        #expect(emulator.recorded.vins.contains(trip["vin"] as? String ?? ""))
        let count = try #require(trip["readings"] as? Int)
        #expect(count > 10 * seconds)
        let length = try #require(trip["seconds"] as? Double)
        #expect(length >= Double(seconds))

        let lines = try await workplace.run([
            "export", "1", "--db", database, "--to", workplace.path("x.jsonl"),
        ])
        #expect(lines.status == 0, "\(lines)")
        let objects = try String(contentsOfFile: workplace.path("x.jsonl"), encoding: .utf8)
            .split(separator: "\n").filter { $0.contains("\"signal\"") }
        #expect(objects.count == count)
        let withoutValue = objects.count { $0.contains("\"value\":null") }

        let table = try await workplace.run([
            "export", "--db", database, "--to", workplace.path("x.csv"),
        ])
        #expect(table.status == 0, "\(table)")
        try expectRecorded(
            csv: String(contentsOfFile: workplace.path("x.csv"), encoding: .utf8), seconds: seconds,
            values: count - withoutValue)
    }

    private func run(_ arguments: [String]) async throws -> Outcome {
        try await workplace.run(arguments + ["--format", "json", "-d", emulator.address])
    }

    /// Each reading of a signal in this list must have bytes that the emulator has recorded.
    private func expectRecorded(_ readings: [[String: Any]]) {
        var wrong: [String] = []
        for reading in readings {
            guard let signal = reading["signal"] as? String, signals.contains(signal) else {
                continue
            }
            let isRecorded = emulator.recorded.have(
                signal, ecu: reading["ecu"] as? String ?? "", raw: reading["raw"] as? String ?? "",
                value: reading["value"] as? Double ?? .nan)
            if !isRecorded { wrong.append("\(reading)") }
        }
        #expect(wrong.isEmpty, "never recorded: \(wrong.prefix(5).joined(separator: "\n"))")
    }

    /// Each cell of a column in this list must be a value that the emulator has recorded.
    private func expectRecorded(csv text: String, seconds: Int, values: Int) {
        // Swift treats CR LF as one Character.
        var rows = text.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let head = rows.removeFirst()
        #expect(head.first == "time")
        #expect(rows.allSatisfy { $0.count == head.count })
        let times = rows.compactMap(\.first)
        #expect(times == times.sorted())
        // Each reading fills one cell; the time fills one more cell per row.
        let filled = rows.reduce(0) { count, row in count + row.count { !$0.isEmpty } }
        #expect(filled == values + rows.count)
        for signal in signals {
            // The heading is `RPM (rpm)`, or `7E8 RPM (rpm)` if several ECUs send the signal.
            let columns = head.indices.filter {
                head[$0].split(separator: " ").contains(Substring(signal))
            }
            let cells = columns.flatMap { column in rows.map { $0[column] } }
                .filter { !$0.isEmpty }
            let values = cells.compactMap { Double($0) }
            #expect(values.count == cells.count)
            #expect(values.count >= seconds / 2, "\(signal)")
            #expect(Set(values).count > 1, "\(signal) never changed")
            let unknown = Set(values).filter { !emulator.recorded.have(signal, value: $0) }
            #expect(unknown.isEmpty, "\(signal) was never \(unknown)")
        }
    }
}

extension [String] {
    /// The list with runs of equal elements reduced to one.
    fileprivate var uniqued: [String] {
        reduce(into: []) { list, word in if list.last != word { list.append(word) } }
    }
}
