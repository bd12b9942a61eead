import Testing

@testable import Simulator

@Suite struct `AT commands` {
    /// A session: the typed command, and its answer; ↵ = CR, ⇣ = LF.
    ///
    /// The forms are from the ELM327 data sheet, "Talking to the ELM327" and "AT Command Summary":
    /// echo is on by default, an empty line and the prompt follow each answer, and `?` means that a
    /// command is not understood.
    @Test func `answers have the documented form`() throws {
        var bench = try Bench("petrol?latency=0&personality=elm327-1.4b")
        let session: [(typed: String, answer: String)] = [
            ("ATZ", "ATZ↵↵↵ELM327 v1.4b↵↵>"),
            ("ati", "ati↵ELM327 v1.4b↵↵>"),
            ("AT@1", "AT@1↵OBDII to RS232 Interpreter↵↵>"),
            ("AT@2", "AT@2↵?↵↵>"),
            ("ATL1", "ATL1↵OK↵⇣↵⇣>"),
            ("ATE0", "ATE0↵⇣OK↵⇣↵⇣>"),
            ("ATL0", "OK↵↵>"),
            ("  a t  d p n ", "A0↵↵>"),
            ("ATDP", "AUTO↵↵>"),
            ("ATSP6", "OK↵↵>"),
            ("ATDPN", "6↵↵>"),
            ("ATDP", "ISO 15765-4 (CAN 11/500)↵↵>"),
            ("ATSPA6", "OK↵↵>"),
            ("ATDPN", "A6↵↵>"),
            ("ATIGN", "ON↵↵>"),
            ("ATRV", "14.1V↵↵>"),
            ("ATCS", "T:00 R:00↵↵>"),
            ("ATSD55", "OK↵↵>"),
            ("ATRD", "55↵↵>"),
            ("ATFOO", "?↵↵>"),
            ("ATAMC", "?↵↵>"),
            ("hello", "?↵↵>"),
            ("0", "?↵↵>"),
            ("STI", "?↵↵>"),
            ("\u{7F}\u{7F}", "?↵↵>"),
        ]
        for (typed, answer) in session {
            #expect(bench.ask(typed) == (answer), "\(typed)")
        }
    }

    /// The commands by firmware: a command, the first version that has it (ELM327 data sheet,
    /// version history), and an earlier version.
    @Test(arguments: [
        ("ATS0", "elm327-1.4b", "elm327-1.0"), ("ATAT1", "elm327-1.4b", "elm327-1.0"),
        ("ATCRA7E8", "elm327-1.4b", "elm327-1.0"), ("ATPPS", "elm327-1.4b", "elm327-1.0"),
        ("ATCEA", "elm327-1.4b", "elm327-1.0"), ("ATCSM0", "elm327-1.4b", "elm327-1.0"),
        ("ATAMC", "elm327", "elm327-1.4b"), ("ATSH18DB33F1", "elm327", "elm327-1.4b"),
        ("ATCTM5", "elm327", "elm327-1.4b"), ("ATFCSD300000", "elm327", "elm327-1.0"),
    ])
    func `commands exist from a certain version`(command: String, has: String, hasNot: String)
        throws
    {
        var newer = try Bench("?latency=0&personality=\(has)")
        var older = try Bench("?latency=0&personality=\(hasNot)")
        #expect(!newer.lines(command).contains("?"))
        #expect(older.lines(command).contains("?"))
    }

    /// Tests/Transcripts/adapter-programmable-parameters.txt: lines from a real ATPPS with factory
    /// settings.
    @Test func `programmable parameters print as on a real adapter`() throws {
        var bench = try Bench("?latency=0")
        _ = bench.ask("ATE0")
        let lines = bench.lines("ATPPS")
        #expect(lines.count == 12)
        #expect(lines.first == "00:FF F  01:FF F  02:FF F  03:32 F")
        #expect(
            lines[1...3] == [
                "04:01 F  05:FF F  06:F1 F  07:09 F", "08:FF F  09:00 F  0A:0A F  0B:FF F",
                "0C:68 F  0D:0D F  0E:9A F  0F:FF F",
            ])
        #expect(lines[6] == "18:00 F  19:28 F  1A:FF F  1B:FF F")
        #expect(bench.lines("ATPP03SV19") == ["OK"])
        #expect(bench.lines("ATPP03ON") == ["OK"])
        #expect(bench.lines("ATPP30SV00") == ["?"])
        #expect(bench.lines("ATPP03") == ["?"])
        #expect(bench.lines("ATPPS").first == "00:FF F  01:FF F  02:FF F  03:19 N")
        #expect(bench.adapter.settings.timeout == 0x32)
        _ = bench.ask("ATD")
        #expect(bench.adapter.settings.timeout == 0x19)
    }

    /// ELM327 data sheet: FC SM 1 needs the header and the data, FC SM 2 needs the data.
    @Test func `flow control modes need their data first`() throws {
        var bench = try Bench("?latency=0")
        _ = bench.ask("ATE0")
        #expect(bench.lines("ATFCSM1") == ["?"])
        #expect(bench.lines("ATFCSM2") == ["?"])
        #expect(bench.lines("ATFCSD300000") == ["OK"])
        #expect(bench.lines("ATFCSM1") == ["?"])
        #expect(bench.lines("ATFCSM2") == ["OK"])
        #expect(bench.lines("ATFCSH7E0") == ["OK"])
        #expect(bench.lines("ATFCSM1") == ["OK"])
    }

    /// ELM327 data sheet, "Bus initiation" and "AT SP": D and Z restore the stored protocol.
    ///
    /// A protocol that was only tried is not stored.
    @Test func `a reset keeps only stored settings`() throws {
        var bench = try Bench("?latency=0")
        _ = bench.ask("ATE0")
        _ = bench.ask("ATSP6")
        _ = bench.ask("ATTP8")
        #expect(bench.lines("ATDPN") == ["8"])
        _ = bench.ask("ATH1")
        #expect(bench.lines("ATWS") == ["ELM327 v2.2"])
        #expect(bench.adapter.settings.headers == false)
        #expect(bench.adapter.settings.echo)
        #expect(bench.lines("ATDPN") == ["ATDPN", "A6"])
        _ = bench.ask("ATM0")
        _ = bench.ask("ATSP3")
        _ = bench.ask("ATD")
        #expect(bench.lines("ATDPN") == ["ATDPN", "A6"])
    }

    /// ELM327 data sheet, "Baud rate switching": OK at the old rate, then the name at the new one.
    ///
    /// If a carriage return follows within the time of BRT, the adapter answers OK. Otherwise it returns to
    /// the old rate.
    @Test func `the line rate changes only when the host confirms`() throws {
        var bench = try Bench("?baud=38400&at=0")
        _ = bench.ask("ATE0")
        bench.adapter.receive(Array("ATBRD23\r".utf8), at: bench.now)
        let offer = Bench.visible(bench.waiting(upTo: .milliseconds(100)))
        #expect(offer == "OK↵ELM327 v2.2↵")
        // 4 000 000 / 23h.
        #expect(bench.adapter.lineRate == 114_285)
        #expect(bench.ask("") == "OK↵↵>")
        #expect(bench.adapter.lineRate == 114_285)

        bench.adapter.receive(Array("ATBRD11\r".utf8), at: bench.now)
        _ = bench.waiting(upTo: .seconds(2)) { $0.contains(UInt8(ascii: ">")) }
        #expect(bench.adapter.lineRate == 114_285)
        #expect(bench.ask("ATBRD00") == "?↵↵>")
    }

    @Test func `a sleeping adapter wakes at any character`() throws {
        var bench = try Bench("?latency=0")
        _ = bench.ask("ATE0")
        bench.adapter.receive(Array("ATLP\r".utf8), at: bench.now)
        #expect(bench.saying() == "OK↵")
        bench.adapter.receive([UInt8(ascii: " ")], at: bench.now)
        #expect(bench.saying() == "↵↵ELM327 v2.2↵↵>")
    }

    /// STN family reference manual, "Device identification" and "STP".
    @Test func `an OBDLink has the ST commands`() throws {
        var bench = try Bench("?latency=0&personality=stn")
        _ = bench.ask("ATE0")
        #expect(bench.lines("ATI") == ["ELM327 v1.4b"])
        #expect(bench.lines("STI") == ["STN2255 v5.7.1"])
        #expect(bench.lines("STDI") == ["OBDLink MX+ r3.1"])
        #expect(bench.lines("STSN") == ["225500012345"])
        #expect(bench.lines("STP33") == ["OK"])
        #expect(bench.lines("ATDPN") == ["6"])
        #expect(bench.lines("STPR") == ["33"])
        #expect(bench.lines("STP99") == ["?"])
        #expect(bench.lines("STNONSENSE") == ["?"])
        _ = bench.ask("0100")
        #expect(bench.lines("STPXH:7E0,D:22F190,R:1").count == 4)
        #expect(bench.lines("STPX").first == "?")
    }

    /// STN family reference manual, STPX: with `l` the bytes are typed after `DATA>`.
    @Test func `an OBDLink accepts long requests after its data prompt`() throws {
        var bench = try Bench("?latency=0&personality=stn")
        _ = bench.ask("ATE0")
        _ = bench.ask("ATH1")
        _ = bench.ask("0100")
        bench.adapter.receive(Array("STPX H:7E0, L:2\r".utf8), at: bench.now)
        #expect(bench.saying() == "DATA>")
        bench.adapter.receive(Array("010D".utf8), at: bench.now)
        #expect(bench.saying().hasPrefix("7E8 03 41 0D "))
        #expect(bench.adapter.requests.last?.payload == [0x01, 0x0D])
        #expect(bench.adapter.requests.last?.header == "7E0")
    }
}
