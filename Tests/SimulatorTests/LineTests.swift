import OBDCore
import Testing

@testable import Simulator

@Suite struct `The line to the adapter` {
    /// ELM327 data sheet: "a single carriage return repeats the last command".
    ///
    /// That may be any command.
    @Test func `a lone carriage return repeats even a request that writes`() throws {
        var bench = try Bench.ready("?latency=0&engine=off")
        _ = bench.ask("04")
        _ = bench.ask("")
        _ = bench.ask("")
        let sent = bench.adapter.requests.map { Hex.string($0.payload) }
        #expect(sent == ["0100", "04", "04", "04"])
        #expect(bench.adapter.requestCount == 4)
    }

    @Test func `after a harmless command a carriage return no longer repeats the request`() throws {
        var bench = try Bench.ready("?latency=0&engine=off")
        _ = bench.ask("04")
        _ = bench.ask("ATI")
        #expect(bench.lines("") == ["ELM327 v2.2"])
        #expect(bench.adapter.requests.map(\.payload) == [[0x01, 0x00], [0x04]])
    }

    @Test func `nothing is repeated after a reset`() throws {
        var bench = try Bench.ready("?latency=0&engine=off")
        _ = bench.ask("04")
        _ = bench.ask("ATZ")
        #expect(bench.ask("") == "↵↵>")
        #expect(bench.adapter.requests.count == 2)
    }

    /// The same text in pieces of any size gives the same output.
    @Test func `every split of the input gives the same output`() throws {
        let session = Array(
            "ATZ\rATE0\rATH1\r0100\r01 0C 0D\r\r09021\r0902\r04\rATSH7E0\r22F190\r\r7F\rATMA\r ATI\r"
                .utf8)
        func output(_ pieces: [ArraySlice<UInt8>]) throws -> [UInt8] {
            var adapter = try SimulatedAdapter(SimulatorOptions("?latency=0"), at: .zero)
            return pieces.flatMap { piece in
                adapter.receive(piece, at: .zero)
                return adapter.due(at: .zero)
            }
        }
        let whole = try output([session[...]])
        #expect(Bench.visible(whole).contains("7E8 10 14 49 02 01"))
        for cut in 0...session.count {
            #expect(try output([session[..<cut], session[cut...]]) == whole, "cut at \(cut)")
        }
        #expect(try output(session.indices.map { session[$0...$0] }) == whole)
        var noise = Noise(seed: 7)
        for round in 0..<200 as Range<UInt64> {
            noise.seed = round
            let pieces = session.indices.split { index in
                noise.fraction(channel: 1, index: UInt64(index)) < 0.2
            }
            var start = 0
            var slices: [ArraySlice<UInt8>] = []
            for piece in pieces {
                let end = (piece.last ?? start) + 1
                slices.append(session[start..<end])
                start = end
            }
            slices.append(session[start...])
            #expect(try output(slices) == whole)
        }
    }

    /// ELM327 data sheet: NUL bytes and line feeds are ignored, a backspace deletes a character.
    @Test func `control characters are handled as on a real adapter`() throws {
        var bench = try Bench("?latency=0")
        _ = bench.ask("ATE0")
        #expect(bench.ask("A\0T\n\u{8}TI") == "ELM327 v2.2↵↵>")
        #expect(bench.ask("\nATI\n") == "ELM327 v2.2↵↵>")
    }

    /// ELM327 data sheet: a character that arrives during a request interrupts it, and the adapter prints
    /// STOPPED.
    @Test func `a character interrupts a request`() throws {
        var bench = try Bench.ready("?latency=50ms&at=0&search=0")
        bench.adapter.receive(Array("010C\r".utf8), at: bench.now)
        #expect(bench.saying() == "")
        bench.now = bench.now + .milliseconds(10)
        bench.adapter.receive([UInt8(ascii: "x")], at: bench.now)
        #expect(bench.saying() == "STOPPED↵↵>")
        // The character that interrupted is dropped, and the next command is complete.
        #expect(bench.ask("ATDPN") == "A6↵↵>")
    }

    @Test func `a character interrupts the search, which then starts again`() throws {
        var bench = try Bench("?latency=5ms&at=0&search=2s")
        _ = bench.ask("ATE0")
        bench.adapter.receive(Array("0100\r".utf8), at: bench.now)
        #expect(bench.saying() == "SEARCHING...")
        bench.now = bench.now + .seconds(1)
        bench.adapter.receive([UInt8(ascii: " ")], at: bench.now)
        #expect(bench.saying() == "↵STOPPED↵↵>")
        #expect(bench.adapter.requests.isEmpty)
        #expect(bench.lines("0100").first == "SEARCHING...")
        #expect(bench.adapter.requests.count == 1)
    }

    @Test func `a character during an adapter command waits for the command's end`() throws {
        var bench = try Bench("?latency=5ms&at=20ms")
        _ = bench.ask("ATE0")
        bench.adapter.receive(Array("ATI\rATDPN\r".utf8), at: bench.now)
        #expect(Bench.visible(bench.waiting(upTo: .milliseconds(20))) == "ELM327 v2.2↵↵>")
        #expect(Bench.visible(bench.waiting(upTo: .milliseconds(20))) == "A0↵↵>")
    }

    /// ELM327 data sheet: the adapter drops a line that is not complete within 20 s.
    @Test func `an unfinished line is dropped after twenty seconds`() throws {
        var bench = try Bench("?latency=5ms&at=0")
        _ = bench.ask("ATE0")
        bench.adapter.receive(Array("01".utf8), at: bench.now)
        #expect(Bench.visible(bench.waiting(upTo: .milliseconds(19_900))) == "")
        #expect(Bench.visible(bench.waiting(upTo: .milliseconds(200))) == "?↵↵>")
        #expect(bench.ask("ATDPN") == "A0↵↵>")
    }

    /// 10 bits per character: 38400 bit/s are 3840 characters per second.
    @Test func `a line rate limits the bytes per second`() throws {
        var bench = try Bench("?latency=0&baud=38400&at=0")
        _ = bench.ask("ATE0")
        let before = bench.now
        let answer = bench.bytes(answering: "ATPPS")
        let typed = 6
        let expected = Double(answer.count + typed) / 3840
        #expect(abs((bench.now - before).seconds - expected) < 0.001)
    }

    @Test func `a host that never reads needs limited memory`() throws {
        var bench = try Bench("?latency=0")
        for _ in 0..<20_000 { bench.adapter.receive(Array("ATPPS\r".utf8), at: .zero) }
        #expect(bench.adapter.due(at: .zero).count < OutputQueue.capacity * 2)
        #expect(bench.ask("ATE0").hasSuffix("OK↵↵>"))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `no input crashes the adapter`(seed: UInt64) throws {
        let names = Personality.all.map(\.name)
        let name = names[Int(seed) % names.count]
        let noise = Noise(seed: seed)
        var adapter = try SimulatedAdapter(
            SimulatorOptions("?personality=\(name)&latency=\(seed % 3)ms"), at: .zero)
        let words: [[UInt8]] = [
            "AT", "ST", "SH", "SP", "0100", "0902", "PX", "H:", "D:", "FCSD", "CRA", "BRD", "MA",
            "\r",
            "\r", "\r", "Z", "X", "03", "04", "22", "F190", "FF", "1", ",", "CAF0", "CFC0", "CEA",
            "ZZ",
        ].map { Array($0.utf8) }
        var now = Instant.zero
        var total = 0
        for index in 0..<3000 as Range<UInt64> {
            let choice = noise.fraction(channel: 1, index: index)
            let word =
                choice < 0.9
                ? words[Int(noise.fraction(channel: 2, index: index) * Double(words.count))]
                : [UInt8(noise.fraction(channel: 3, index: index) * 256)]
            adapter.receive(word, at: now)
            now = now + .milliseconds(Int(noise.fraction(channel: 4, index: index) * 40))
            total += adapter.due(at: now).count
        }
        #expect(total > 0)
    }
}
