import Diagnostics
import Foundation
import OBDCore
import PIDTables
import Testing

@testable import Simulator

@Suite struct `A bad link` {
    /// `OBDSCAN_SEEDS=5000` runs more of them, `OBDSCAN_FIRST_SEED` others.
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    /// Kinds and rates by seed: each kind alone, then all together, less often.
    private static func faults(_ seed: UInt64, digitsMayChange: Bool) -> LinkFaults {
        // Resets have runs of their own, so that every seed means what it always did.
        let kinds = LinkFault.allCases.filter { $0 != .reset && (digitsMayChange || $0 != .flip) }
        let choice = Int(seed % UInt64(kinds.count + 1))
        guard choice == kinds.count else {
            let kind = kinds[choice]
            let rare: Set<LinkFault> = [.close, .halfClose, .stall]
            let rate = kind.isForBytes ? 0.002 : rare.contains(kind) ? 0.01 : 0.02
            return LinkFaults([kind: rate])
        }
        return LinkFaults(
            Dictionary(uniqueKeysWithValues: kinds.map { ($0, $0.isForBytes ? 0.0005 : 0.003) }))
    }

    /// On CAN the text of an adapter carries no check: a digit that became another digit is a
    /// value like any other, for every scan tool.
    ///
    /// There bits are not flipped; before CAN they are.
    private static let vehicles: [(address: String, hasChecks: Bool)] = [
        ("petrol", false), ("diesel", false), ("petrol?protocol=8", false),
        ("petrol?protocol=5", true), ("petrol?protocol=3", true), ("petrol?protocol=1", true),
        ("petrol?protocol=2", true),
    ]
    private static let personalities = ["elm327", "elm327-1.4b", "stn", "clone-1.5"]

    private static func address(_ vehicle: String, _ seed: UInt64) -> String {
        let personality = personalities[Int(seed / 7 % 4)]
        let mark = vehicle.contains("?") ? "&" : "?"
        return vehicle + mark + "latency=20ms&seed=\(seed)&personality=\(personality)"
    }

    /// Whatever happens on the link: no crash, no hang, no wrong value, nothing lost without a word,
    /// a clearing request written once.
    @Test func `seeds bring no wrong value, no hang and no second clearing request`() throws {
        let first = Self.number("OBDSCAN_FIRST_SEED", 1)
        let count = Self.number("OBDSCAN_SEEDS", 24)
        try run(first, count) { Self.faults($0, digitsMayChange: $1) }
    }

    /// An adapter that restarts anywhere: whoever was to be asked alone, no other ECU gets what was
    /// meant for it.
    @Test func `restarts send nothing astray`() throws {
        let first = Self.number("OBDSCAN_FIRST_SEED", 1)
        let count = Self.number("OBDSCAN_SEEDS", 24)
        try run(first, count, asksOneECU: true) { seed, _ in
            LinkFaults([.reset: seed % 2 == 0 ? 0.01 : 0.05])
        }
    }

    private func run(
        _ first: Int, _ count: Int, asksOneECU: Bool = false,
        faults kinds: (_ number: UInt64, _ digitsMayChange: Bool) -> LinkFaults
    ) throws {
        let table = try PIDTables.standard()
        let monitors = try PIDTables.monitorTables()
        var total = FaultRun.Findings()
        var bad = 0
        for seed in (first..<(first + count)).map(UInt64.init) {
            let vehicle = Self.vehicles[Int(seed % UInt64(Self.vehicles.count))]
            let faults = kinds(seed / UInt64(Self.vehicles.count), vehicle.hasChecks)
            var run = try FaultRun(
                Self.address(vehicle.address, seed), faults: faults, seed: seed, table: table,
                monitors: monitors, asksOneECU: asksOneECU)
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
            let name = "seed \(seed), \(vehicle.address), \(faults.rates)"
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

    /// Six records a request over a link that damages what passes: no value that no ECU gave.
    @Test func `batches bring no value that no ECU gave`() throws {
        let table = try PIDTables.standard()
        let monitors = try PIDTables.monitorTables()
        let wanted = Self.number("OBDSCAN_BATCHES", 500)
        let lengths: [UInt32: Int] = [0x0C: 2, 0x0D: 1, 0x05: 1, 0x0B: 1, 0x11: 1, 0x0F: 1]
        let wants = lengths.keys.sorted().map {
            PollPlan.Want(DataID(.currentData, $0), length: lengths[$0])
        }
        let vehicles = ["petrol", "diesel?protocol=7", "petrol?protocol=8", "hybrid?ecus=3"]
        var total = FaultRun.Findings()
        var seed = UInt64(Self.number("OBDSCAN_FIRST_SEED", 1))
        let first = seed
        while total.batches < wanted {
            let address = Self.address(vehicles[Int(seed % 4)], seed)
                .replacing("latency=20ms", with: "latency=5ms")
            var run = try FaultRun(
                address, faults: Self.faults(seed / 4, digitsMayChange: false), seed: seed,
                table: table, monitors: monitors, wants: wants)
            let found = run.run(for: .seconds(20))
            total.batches += found.batches
            total.exchanges += found.exchanges
            total.readings += found.readings
            total.errors += found.errors
            total.undetectable += found.undetectable
            total.wrong += found.wrong
            total.faults.merge(found.faults) { $0 + $1 }
            #expect(found.wrong.isEmpty, "seed \(seed), \(address): \(found.wrong.prefix(2))")
            #expect(found.hangs.isEmpty, "seed \(seed), \(address): \(found.hangs.prefix(2))")
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

    @Test func `the same seed does the same`() throws {
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

    /// Each kind does what its name says, wherever the bytes are cut.
    @Test(arguments: LinkFault.allCases)
    func `each kind of fault`(fault: LinkFault) throws {
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
        // Faults in what it hears depend on the bytes alone as well.
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
    func `rates are read from an option`(text: String, rates: [LinkFault: Double]?) {
        #expect(LinkFaults(text)?.rates == rates)
    }
}
