import OBDCore
import Testing

@testable import Simulator

/// The time that a request takes, by the rules of the ELM327 data sheet: ST counts in steps of
/// 4 ms, AT0 waits that long after each answer, and a count digit ends the wait.
@Suite struct `Time` {
    private func milliseconds(_ bench: inout Bench, _ line: String) -> Double {
        let before = bench.now
        _ = bench.ask(line)
        return (bench.now - before).seconds * 1000
    }

    @Test func `NO DATA comes after the timeout`() throws {
        var bench = try Bench.ready("?latency=20ms&at=0")
        #expect(milliseconds(&bench, "0133 05") >= 0)
        #expect(milliseconds(&bench, "01FE") == 200)
        _ = bench.ask("ATST19")
        #expect(milliseconds(&bench, "01FE") == 100)
        _ = bench.ask("ATCTM5")
        #expect(milliseconds(&bench, "01FE") == 500)
    }

    @Test func `the count digit saves the wait`() throws {
        var bench = try Bench.ready("?latency=20ms&at=0")
        #expect(milliseconds(&bench, "01051") == 20)
        #expect(milliseconds(&bench, "0105") == 50)
        _ = bench.ask("ATAT2")
        #expect(milliseconds(&bench, "0105") == 35)
        _ = bench.ask("ATAT0")
        #expect(milliseconds(&bench, "0105") == 220)
    }

    @Test func `a fixed wait lasts as long as set`() throws {
        var bench = try Bench.ready("?latency=25ms&wait=100ms&at=0")
        #expect(milliseconds(&bench, "0105") == 125)
        #expect(milliseconds(&bench, "01051") == 25)
        #expect(milliseconds(&bench, "01052") == 125)
    }

    /// The adapter tries the remembered protocol first.
    ///
    /// If it is right, this takes no longer than a search that finds it at once.
    @Test(arguments: [
        ("protocol=6", "ATSPA6"), ("protocol=7", "ATSPA7"), ("protocol=1", "ATSPA1"),
        ("protocol=4", "ATSPA4"), ("protocol=5", "ATSPA5"),
    ])
    func `a remembered protocol is not slower than a search`(option: String, command: String) throws
    {
        var cold = try Bench("?\(option)&latency=20ms&at=0")
        _ = cold.ask("ATSP0")
        var warm = try Bench("?\(option)&latency=20ms&at=0")
        _ = warm.ask(command)
        let (searched, remembered) = (milliseconds(&cold, "0100"), milliseconds(&warm, "0100"))
        #expect(remembered <= searched, "\(remembered) ms, \(searched) ms")
    }

    @Test func `with zero latency nothing takes time`() throws {
        var bench = try Bench.ready("?latency=0")
        for line in ["0100", "01FE", "0902", "ATZ", "ATI", "09021", "04", "ATSP0", "0100"] {
            _ = bench.ask(line)
        }
        #expect(bench.now == .zero)
    }

    @Test func `jitter stays within its limit and varies`() throws {
        var bench = try Bench.ready("?latency=20ms&jitter=10ms&at=0")
        let times = (0..<50).map { _ in milliseconds(&bench, "01051") }
        #expect(times.allSatisfy { 20...30 ~= $0 })
        #expect(Set(times).count > 40)
    }

    /// ISO 14229-1: 7F xx 78 extends the time to P2* = 5 s.
    ///
    /// An ELM327 from v2.0 on waits by itself (PP 2A bit 2). An older one shows its prompt after
    /// its timeout, and the answer is lost.
    @Test func `a slow answer needs an adapter that waits longer`() throws {
        var newer = try Bench.ready("?latency=10ms&slow=800ms&at=0")
        #expect(newer.lines("0906").contains { $0.hasPrefix("7E8 10 0B 49 06 02") })
        var older = try Bench.ready("?latency=10ms&slow=800ms&at=0&personality=elm327-1.4b")
        let lines = older.lines("0906")
        #expect(lines.contains { $0.hasPrefix("7E8 03 7F 09 78") })
        #expect(!lines.contains { $0.contains("49 06") })
        _ = older.ask("ATSTFF")
        _ = older.ask("ATAT0")
        #expect(older.lines("0906").contains { $0.hasPrefix("7E8 10 0B 49 06 02") })
    }

    /// ELM327 data sheet, "Error messages": BUFFER FULL comes when 512 characters wait.
    @Test func `monitoring a busy bus overruns a slow line`() throws {
        var bench = try Bench.ready("?latency=5ms&baud=19200&at=0")
        let output = Bench.visible(bench.bytes(answering: "ATMA"))
        #expect(output.hasSuffix("BUFFER FULL↵↵>"))
        #expect(output.contains("0C9 "))
    }

    @Test func `monitoring continues until a character arrives`() throws {
        var bench = try Bench.ready("?latency=5ms&at=0")
        bench.adapter.receive(Array("ATMA\r".utf8), at: bench.now)
        let output = Bench.visible(bench.waiting(upTo: .seconds(1)))
        // Frames come every 10, 20, 50 and 500 ms.
        #expect(output.components(separatedBy: "0C9 ") == 100)
        #expect(output.components(separatedBy: "4C1 ") == 2)
        bench.adapter.receive([0x0D], at: bench.now)
        #expect(bench.saying() == "STOPPED↵↵>")
        #expect(bench.ask("ATDPN") == "A6↵↵>")
    }

    @Test func `monitoring follows the filters`() throws {
        var bench = try Bench.ready("?latency=5ms&at=0")
        _ = bench.ask("ATCRA4C1")
        bench.adapter.receive(Array("ATMA\r".utf8), at: bench.now)
        let lines = String(decoding: bench.waiting(upTo: .seconds(2)), as: UTF8.self).split(
            separator: "\r")
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.hasPrefix("4C1 ") })

        var link = try Bench.ready("?latency=5ms&at=0&personality=stn")
        _ = link.ask("STFPA 03E9, 07FF")
        #expect(link.lines("STM 3").map { $0.prefix(4) } == ["3E9 ", "3E9 ", "3E9 "])
        #expect(link.lines("STMA 5").count == 5)
    }
}

extension String {
    /// The number of times that `part` occurs.
    fileprivate func components(separatedBy part: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
