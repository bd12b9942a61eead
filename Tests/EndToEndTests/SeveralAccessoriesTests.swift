import Foundation
import Synchronization
import Testing

/// Several adapters at once: a fault of one does not affect the others.
@Suite(.ownThreads) struct `Several accessories` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    private func logging(_ accessories: [String]) throws -> RunningProgram {
        try workplace.start(
            ["log", "rpm", "--format", "json"] + accessories.flatMap { ["-d", $0] })
    }

    private func readings(_ outcome: Outcome, of accessory: String) throws -> [[String: Any]] {
        try outcome.objects().filter {
            $0["signal"] != nil && $0["device"] as? String == accessory
        }
    }

    private func summaries(_ outcome: Outcome) throws -> [[String: Any]] {
        try outcome.objects().filter { $0["kind"] as? String == "summary" }
    }

    private func good() throws -> ScriptedAdapter {
        try ScriptedAdapter(.tcp) { .say(PlainAdapter.answer($0.text)) }
    }

    @Test func `a silent or missing adapter does not delay the others`() async throws {
        let silent = try ScriptedAdapter(.pty) { _ in .nothing }
        let first = try good()
        let second = try good()
        let absent = workplace.path("nothing")
        let named = [silent.address, first.address, absent, second.address]
        let program = try logging(named)
        for adapter in [first, second] {
            try await program.lines(with: "\"device\":\"\(adapter.address)\"", count: 500)
        }
        // The program is still identifying the silent adapter.
        #expect(!program.text(.errors).contains("\(silent.address): Trip"))
        program.send(SIGINT)
        let outcome = try await program.finish()
        // One adapter was absent; the others ended regularly.
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(outcome.errors.contains("there is no device or file \(absent)\n"))
        let summaries = try summaries(outcome)
        #expect(summaries.map { $0["device"] as? String } == named)
        #expect(summaries.map { $0["trip"] is Int } == [false, true, false, true])
        #expect(summaries.map { $0["error"] is String } == [false, false, true, false])
        try await expectKept(outcome, [first.address, second.address])
    }

    @Test func `an adapter that appears late is recorded from its appearance on`() async throws {
        let first = try good()
        let late = try ScriptedAdapter(.pty) { .say(PlainAdapter.answer($0.text)) }
        let plug = workplace.path("late")
        let program = try logging([plug, first.address])
        try await program.lines(
            with: "\(plug): it is tried again every 15 s while others are recorded", on: .errors)
        try FileManager.default.createSymbolicLink(
            atPath: plug, withDestinationPath: late.address)
        try await program.lines(with: "\"device\":\"\(plug)\"", count: 20)
        program.send(SIGINT)
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try summaries(outcome).map { $0["trip"] is Int } == [true, true])
        try await expectKept(outcome, [plug, first.address])
    }

    @Test func `the search for a missing adapter ends with the last other adapter`() async throws {
        let first = try good()
        let absent = workplace.path("nothing")
        let outcome = try await workplace.run([
            "log", "rpm", "-d", absent, "-d", first.address, "--duration", "2",
        ])
        #expect(outcome.status == 69, "\(outcome.errors)")
        #expect(outcome.errors.components(separatedBy: "there is no device or file").count == 2)
        #expect(outcome.errors.contains("\(absent): no trip was recorded"))
        // If only missing devices are named, the command does not wait for them.
        let alone = try await workplace.run(["log", "-d", absent, "-d", absent + "2"])
        #expect(alone.status == 69)
        #expect(alone.errors.contains("there is no device or file \(absent)2\n"))
    }

    /// An adapter that is pulled and plugged into the next car.
    @Test(arguments: [["log"], ["live", "--log"]])
    func `after a lost link another vehicle starts another trip`(_ command: [String]) async throws {
        let first = try workplace.start(["simulate", "--tcp", "0", "petrol"])
        let address = try #require(try await first.lines(with: "tcp:127.0.0.1:").first)
        let port = try #require(address.split(separator: ":").last).description
        let program = try workplace.start(
            command + ["rpm", "--format", "json", "-d", address])
        try await program.lines(with: "\"signal\":\"RPM\"", count: 20)
        // The same vehicle again, then another one.
        for (place, vehicle) in ["petrol", "hybrid"].enumerated() {
            if place == 0 {
                first.send(SIGTERM)
                _ = try await first.finish()
            }
            let next = try workplace.start(["simulate", "--tcp", port, vehicle])
            try await program.lines(with: "the link is back", count: place + 1, on: .errors)
            let sign = "\"signal\":\"RPM\""
            if place == 0 {
                // Until then, the vehicle is not known to be the same.
                let before = program.text(.output).components(separatedBy: sign).count
                try await program.lines(with: sign, count: before + 20)
            } else {
                try await program.lines(with: "is in another vehicle now", on: .errors)
                let before = program.text(.output).components(separatedBy: sign).count
                try await program.lines(with: sign, count: before + 50)
                program.send(SIGINT)
                let outcome = try await program.finish()
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            next.send(SIGTERM)
            _ = try await next.finish()
        }
        let trips = try await workplace.run(["trips", "--json"]).objects()
        #expect(trips.map { $0["vin"] as? String } == ["5XXBD1GA8LX000042", "JXXBD3HA2NX000123"])
        let rows = try await workplace.run(["export", "1", "--format", "json"]).objects()
        let events = rows.compactMap { $0["event"] as? String }.filter { $0 != "gap" }
        #expect(events == ["linkLost", "reconnected", "linkLost"])
        // The old trip has nothing of the other vehicle, and ended when the link was lost.
        let vins = rows.filter { $0["signal"] as? String == "VIN" }
        #expect(Set(vins.compactMap { $0["value"] as? String }) == ["5XXBD1GA8LX000042"])
        #expect(vins.count == 2)
        let lost = rows.last { $0["event"] as? String == "linkLost" }?["time"] as? String
        #expect(rows.allSatisfy { ($0["time"] as? String ?? "") <= (lost ?? "") })
        #expect(trips.first?["endReason"] as? String == "linkLost")
        let next = try await workplace.run(["export", "2", "--format", "json"]).objects()
        #expect(
            Set(
                next.filter { $0["signal"] as? String == "VIN" }.compactMap {
                    $0["value"] as? String
                })
                == ["JXXBD3HA2NX000123"])
    }

    /// Only its digits distinguish a damaged VIN from the VIN of another vehicle.
    @Test func `a VIN that is wrong once does not mean another vehicle`() async throws {
        let vins = VINs(["1HGCM82633A004352", "1HGCM82633A004353", "1HGCM82633A004352"])
        let adapter = try ScriptedAdapter(.tcp) { line in
            if line.text.hasPrefix("0902") { return .say(vins.next()) }
            return PlainAdapter.asksEngineSpeed(line.text) && line.earlier == 30
                ? .dropConnection : .say(PlainAdapter.answer(line.text))
        }
        let program = try logging([adapter.address])
        try await program.lines(with: "the link is back", on: .errors)
        let sign = "\"signal\":\"RPM\""
        let before = program.text(.output).components(separatedBy: sign).count
        try await program.lines(with: sign, count: before + 20)
        program.send(SIGINT)
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!outcome.errors.contains("another vehicle"))
        let trips = try await workplace.run(["trips", "--json"]).objects()
        #expect(trips.map { $0["vin"] as? String } == ["1HGCM82633A004352"])
        #expect(adapter.heard.count { $0.hasPrefix("0902") } == 3)
    }

    @Test func `a lost link reconnects while the others continue`() async throws {
        let unsteady = try ScriptedAdapter(.tcp) { line in
            PlainAdapter.asksEngineSpeed(line.text) && line.earlier == 30
                ? .dropConnection : .say(PlainAdapter.answer(line.text))
        }
        let steady = try good()
        let program = try logging([unsteady.address, steady.address])
        try await program.lines(with: "\(unsteady.address): the link was lost", on: .errors)
        let before = steady.heard.count
        try await program.lines(with: "\"device\":\"\(unsteady.address)\"", count: 60)
        #expect(steady.heard.count > before)
        program.send(SIGTERM)
        let outcome = try await program.finish()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try summaries(outcome).map { $0["reconnects"] as? Int } == [1, 0])
        try await expectKept(outcome, [unsteady.address, steady.address])
    }

    @Test func `an interruption before the first trip ends the command`() async throws {
        let adapters = try (0..<2).map { _ in try ScriptedAdapter(.pty) { _ in .nothing } }
        let program = try logging(adapters.map(\.address))
        for adapter in adapters { try await adapter.hears("AT") }
        program.send(SIGINT)
        #expect(try await program.finish(within: 10).status == -SIGINT)
    }

    @Test func `two names of the same adapter are refused`() async throws {
        let adapter = try ScriptedAdapter(.pty) { .say(PlainAdapter.answer($0.text)) }
        let link = workplace.path("adapter")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: adapter.address)
        let outcome = try await workplace.run(["log", "-d", adapter.address, "-d", link])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("is named twice: it is \(adapter.address), too"))
        #expect(adapter.heard.isEmpty)
    }

    @Test func `a batch of codes reads all adapters at the same time`() async throws {
        let silent = try ScriptedAdapter(.pty) { _ in .nothing }
        let other = try good()
        let list = try workplace.file(
            "fleet", "\(silent.address) hangs\n\(other.address)\n")
        let program = try workplace.start(["dtc", "--batch", list])
        // The second adapter is asked for stored codes while the first one hangs.
        try await other.hears("03")
        try await other.hears("0A")
        program.send(SIGINT)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == -SIGINT, "\(outcome)")
        let row = outcome.output.split(separator: "\r\n").first { $0.contains(",hangs,") }
        #expect(row?.hasSuffix("interrupted before it was read") == true, "\(outcome.output)")
    }

    /// A table that replaces another has a row for each vehicle of the list, or does not appear.
    @Test func `an interrupted batch names the adapters that were not read`() async throws {
        let silent = try ScriptedAdapter(.pty) { _ in .nothing }
        let other = try good()
        // Only a table that obdscan wrote is replaced.
        let table = workplace.path("codes.csv")
        _ = try await workplace.run(["dtc", "-d", "sim:?latency=0", "--to", table])
        let yesterday = try String(contentsOfFile: table, encoding: .utf8)
        let both = try workplace.file("both", "\(silent.address) hangs\n\(other.address) answers\n")
        let program = try workplace.start(["dtc", "--batch", both, "--to", table])
        try await program.lines(with: "1 of 2", on: .errors)
        #expect(try String(contentsOfFile: table, encoding: .utf8) == yesterday)
        program.send(SIGINT)
        let outcome = try await program.finish(within: 10)
        #expect(outcome.status == -SIGINT, "\(outcome)")
        #expect(outcome.errors.contains("Interrupted before these were read: hangs."))
        let rows = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\r\n")
        #expect(rows.count == 3, "\(rows)")
        #expect(rows[1].contains("hangs") && rows[1].hasSuffix("interrupted before it was read"))
        #expect(rows[2].contains("answers"))

        let mute = try ScriptedAdapter(.pty) { _ in .nothing }
        let alone = try workplace.file("alone", "\(mute.address) hangs\n")
        try Data(yesterday.utf8).write(to: URL(filePath: table))
        let second = try workplace.start(["dtc", "--batch", alone, "--to", table])
        try await mute.hears("AT")
        second.send(SIGINT)
        #expect(try await second.finish(within: 10).status == -SIGINT)
        #expect(try String(contentsOfFile: table, encoding: .utf8) == yesterday)
    }

    /// Expects that the database has everything that was printed, in one closed trip per adapter.
    private func expectKept(_ outcome: Outcome, _ accessories: [String]) async throws {
        let trips = try await workplace.run(["trips", "list", "--format", "json"]).objects()
        #expect(trips.count == accessories.count)
        #expect(trips.allSatisfy { $0["open"] as? Bool == false })
        for accessory in accessories {
            let printed = try readings(outcome, of: accessory)
            let summary = try #require(
                summaries(outcome).first { $0["device"] as? String == accessory })
            let trip = try #require(summary["trip"] as? Int)
            let exported = try await workplace.run(
                ["export", String(trip), "--format", "json", "--signal", "RPM"])
            let kept = try exported.objects().filter { $0["signal"] != nil }
            #expect(kept.count - printed.count <= 1 && kept.count >= printed.count)
            #expect(
                kept.map { $0["time"] as? String }
                    .starts(with: printed.map { $0["time"] as? String }))
        }
    }
}

/// Answers to the question for the VIN, one after the other; the last one comes again and again.
private final class VINs: Sendable {
    private let rest: Mutex<[String]>

    init(_ texts: [String]) { rest = Mutex(texts.reversed()) }

    /// ISO 15765-2: 20 bytes in three frames.
    func next() -> String {
        let text = rest.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }
        let digits = text.utf8.map { String(format: "%02X", $0) }
        let parts = [digits[..<3], digits[3..<10], digits[10...]].map { $0.joined() }
        return PlainAdapter.said(
            "7E81014490201\(parts[0])\r7E821\(parts[1])\r7E822\(parts[2])")
    }
}
