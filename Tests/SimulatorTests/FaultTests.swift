import Diagnostics
import Foundation
import OBDCore
import PIDTables
import SimulatorTestSupport
import Testing

@testable import Simulator

@Suite struct `A bad link` {
    /// `OBDSCAN_SEEDS=5000` runs more seeds, `OBDSCAN_FIRST_SEED` starts at a different one.
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    /// With any fault on the link, there is no crash, hang or wrong value.
    ///
    /// Each loss is reported, and a clearing request is written only once.
    @Test func `no seed gives a wrong value, a hang or a second request to clear`() throws {
        let first = Self.number("OBDSCAN_FIRST_SEED", 1)
        let count = Self.number("OBDSCAN_SEEDS", 24)
        try run(first, count) { BadLink(seed: $0) }
    }

    /// The adapter may restart at any time.
    ///
    /// A request to one ECU must never reach a different one.
    @Test func `restarts of the adapter cause no wrong request`() throws {
        let first = Self.number("OBDSCAN_FIRST_SEED", 1)
        let count = Self.number("OBDSCAN_SEEDS", 24)
        try run(first, count, asksOneECU: true) { BadLink(restartingSeed: $0) }
    }

    private func run(
        _ first: Int, _ count: Int, asksOneECU: Bool = false,
        link: (_ seed: UInt64) -> BadLink
    ) throws {
        let table = try PIDTables.standard()
        let monitors = try PIDTables.monitorTables()
        var total = FaultRun.Findings()
        var bad = 0
        for seed in (first..<(first + count)).map(UInt64.init) {
            let link = link(seed)
            var run = try FaultRun(
                link.address, faults: link.faults, seed: seed, table: table, monitors: monitors,
                asksOneECU: asksOneECU)
            let found = run.run(for: .seconds(20))
            total.exchanges += found.exchanges
            total.readings += found.readings
            total.errors += found.errors
            total.reconnects += found.reconnects
            total.clearsWritten += found.clearsWritten
            total.clearsReceived += found.clearsReceived
            total.faults.merge(found.faults) { $0 + $1 }
            total.wrong += found.wrong
            total.invisible += found.invisible
            total.undetectable += found.undetectable
            total.undetectableLosses += found.undetectableLosses
            total.hangs += found.hangs
            total.astray += found.astray
            let name = "seed \(seed), \(link.vehicle), \(link.faults.rates)"
            #expect(found.wrong.isEmpty, "\(name): \(found.wrong.prefix(2))")
            #expect(found.invisible.isEmpty, "\(name): \(found.invisible.prefix(2))")
            #expect(found.hangs.isEmpty, "\(name): \(found.hangs.prefix(2))")
            #expect(found.astray.isEmpty, "\(name): \(found.astray.prefix(2))")
            #expect(found.clearsWritten <= 1, "\(name)")
            #expect(found.clearsReceived <= 1, "\(name)")
            if !found.wrong.isEmpty || !found.invisible.isEmpty || !found.hangs.isEmpty
                || !found.astray.isEmpty
            {
                bad += 1
            }
        }
        let hit = LinkFault.allCases.map { "\($0.rawValue) \(total.faults[$0] ?? 0)" }
        print(
            """
            seeds \(count), exchanges \(total.exchanges), readings \(total.readings), \
            told \(total.errors), reconnects \(total.reconnects), wrong \(total.wrong.count), \
            undetectable \(total.undetectable), undetectable losses \(total.undetectableLosses), \
            invisible \(total.invisible.count), hangs \(total.hangs.count), \
            astray \(total.astray.count), \
            clears written \(total.clearsWritten), received \(total.clearsReceived), \
            seeds with findings \(bad); faults: \(hit.joined(separator: ", "))
            """)
        #expect(total.readings > count * 20)
        if count >= 500, !asksOneECU {
            #expect(LinkFault.allCases.allSatisfy { $0 == .reset || total.faults[$0] ?? 0 > 0 })
        }
        if asksOneECU { #expect(total.faults[.reset] ?? 0 > count) }
    }

    /// Six records per request over a link that damages data.
    ///
    /// Each value must come from an ECU.
    @Test func `batches give only values that an ECU sent`() throws {
        let table = try PIDTables.standard()
        let monitors = try PIDTables.monitorTables()
        let wanted = Self.number("OBDSCAN_BATCHES", 500)
        let lengths: [UInt32: Int] = [0x0C: 2, 0x0D: 1, 0x05: 1, 0x0B: 1, 0x11: 1, 0x0F: 1]
        let wants = lengths.keys.sorted().map {
            PollPlan.Want(DataID(.currentData, $0), length: lengths[$0])
        }
        var total = FaultRun.Findings()
        var seed = UInt64(Self.number("OBDSCAN_FIRST_SEED", 1))
        let first = seed
        while total.batches < wanted {
            let link = BadLink(batchSeed: seed)
            var run = try FaultRun(
                link.address, faults: link.faults, seed: seed, table: table, monitors: monitors,
                wants: wants)
            let found = run.run(for: .seconds(20))
            total.batches += found.batches
            total.exchanges += found.exchanges
            total.readings += found.readings
            total.errors += found.errors
            total.undetectable += found.undetectable
            total.wrong += found.wrong
            total.faults.merge(found.faults) { $0 + $1 }
            #expect(found.wrong.isEmpty, "seed \(seed), \(link.address): \(found.wrong.prefix(2))")
            #expect(found.hangs.isEmpty, "seed \(seed), \(link.address): \(found.hangs.prefix(2))")
            seed += 1
            try #require(seed < first + 100_000, "no batches")
        }
        let hits = total.faults.values.reduce(0, +)
        print(
            """
            batches \(total.batches) of \(total.exchanges) exchanges, seeds \(seed - first), \
            readings \(total.readings), faults \(hits), told \(total.errors), \
            wrong \(total.wrong.count), undetectable \(total.undetectable)
            """)
        #expect(hits > 0)
    }

    /// `OBDSCAN_HOURS=24` simulates a day.
    @Test func `the memory does not grow during hours of faults`() throws {
        let hours = Self.number("OBDSCAN_HOURS", 0)
        var run = try FaultRun(
            "petrol?latency=100ms&protocol=5", faults: try #require(LinkFaults("all:0.0005")),
            seed: 1, table: try PIDTables.standard(), monitors: try PIDTables.monitorTables())
        let quarter: Duration = hours > 0 ? .seconds(hours * 900) : .seconds(150)
        var memory: [Int] = []
        var found = FaultRun.Findings()
        for _ in 0..<4 {
            found = run.run(for: quarter)
            memory.append(try residentMemory())
        }
        #expect(found.wrong.isEmpty, "\(found.wrong.prefix(2))")
        #expect(found.invisible.isEmpty, "\(found.invisible.prefix(2))")
        #expect(found.hangs.isEmpty, "\(found.hangs.prefix(2))")
        #expect(found.clearsWritten <= 1)
        #expect(found.readings > 1000)
        // Other tests use memory of the same process, so check only if hours are given. All buffers
        // have their size by the second quarter.
        if hours > 0 { #expect(memory[3] - memory[1] < 1024, "\(memory) KiB") }
        print(
            """
            simulated time \(quarter * 4), exchanges \(found.exchanges), readings \(found.readings), \
            faults \(found.faults.values.reduce(0, +)), reconnects \(found.reconnects), \
            told \(found.errors), wrong \(found.wrong.count), invisible \(found.invisible.count), \
            hangs \(found.hangs.count), memory \(memory.map(String.init).joined(separator: " → ")) KiB
            """)
    }

    /// The memory in KiB.
    private func residentMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let words = try #require(line).split(whereSeparator: \.isWhitespace)
        return try #require(Int(words[1]))
    }

    @Test func `the same seed gives the same faults`() throws {
        let table = try PIDTables.standard()
        let monitors = try PIDTables.monitorTables()
        let faults = try #require(LinkFaults("all:0.002"))
        func findings(_ seed: UInt64) throws -> FaultRun.Findings {
            var run = try FaultRun(
                "?latency=5ms&protocol=5", faults: faults, seed: seed, table: table,
                monitors: monitors)
            return run.run(for: .seconds(20))
        }
        #expect(try findings(3) == findings(3))
        #expect(try findings(3) != findings(4))
    }

    /// Each kind of fault has the effect of its name, in pieces of any size.
    @Test(arguments: LinkFault.allCases)
    func `each kind of fault occurs in the simulation`(fault: LinkFault) throws {
        let script = Array("ATZ\rATE0\r0100\r0902\r0904\r0100\r".utf8)
        func run(_ rate: Double, pieces: Int) throws -> (said: [UInt8], ends: Int, count: Int) {
            let adapter = try SimulatedAdapter(SimulatorOptions("?latency=0"), at: .zero)
            var link = FaultyLink(adapter, faults: LinkFaults([fault: rate]), seed: 9)
            var said: [UInt8] = []
            var ends = 0
            var now = Instant.zero
            for start in stride(from: 0, to: script.count, by: pieces) {
                link.receive(script[start..<min(script.count, start + pieces)], at: now)
                said += link.due(at: now)
                if link.takeEnd() != nil { ends += 1 }
            }
            while let next = link.nextDeadline {
                now = max(now, next)
                said += link.due(at: now)
                if link.takeEnd() != nil { ends += 1 }
            }
            return (said, ends, link.counts[fault] ?? 0)
        }
        let clean = try run(0, pieces: 1000)
        #expect(clean.count == 0 && clean.ends == 0)
        let rate = fault.isForBytes ? 0.02 : 0.15
        let bad = try run(rate, pieces: 1000)
        #expect(bad.count > 0)
        switch fault {
        case .drop, .cut: #expect(bad.said.count < clean.said.count)
        case .double: #expect(bad.said != clean.said)
        case .flood: #expect(bad.said.count > clean.said.count + 1000)
        case .flip, .reorder: #expect(bad.said != clean.said)
        case .delay, .stall: #expect(bad.said == clean.said)
        case .close, .halfClose: #expect(bad.ends > 0)
        case .reset:
            let text = String(decoding: bad.said, as: UTF8.self)
            #expect(text.contains("LV RESET\r") || text.split(separator: "ELM327").count > 2)
        }
        // Most faults depend only on the bytes, not on how they are cut.
        if ![.close, .halfClose, .reset].contains(fault) {
            #expect(try run(rate, pieces: 1).said == bad.said)
        }
    }

    @Test(
        arguments: [
            ("drop:0.1", [LinkFault.drop: 0.1]), ("none", [:]),
            ("flip:1,half-close:0", [.flip: 1, .halfClose: 0]),
            ("drop", nil), ("drop:2", nil), ("drop:-1", nil), ("drop:nan", nil), ("burn:0.1", nil),
            ("drop:0.1,", nil), ("", nil),
        ] as [(String, [LinkFault: Double]?)])
    func `the rates of faults are read from an option`(text: String, rates: [LinkFault: Double]?) {
        #expect(LinkFaults(text)?.rates == rates)
    }
}
