import OBDCore
import Testing
import VehicleLink

@testable import Simulator

@Suite struct `Answers as text` {
    /// The frozen petrol car.
    ///
    /// The layouts are from the ELM327 data sheet ("Multiline responses", "Headers", "CAN receive
    /// filtering") and ISO 15765-2: length 014, six bytes in the first frame, then seven in each.
    @Test func `CAN answers follow the format settings`() throws {
        var bench = try Bench("?latency=0&vin=1D4GP00R55B123456&ecus=1")
        _ = bench.ask("ATE0")
        let session: [(typed: String, answer: String)] = [
            ("0100", "SEARCHING...↵41 00 BE 3F A8 13 ↵↵>"),
            (
                "0902",
                "014↵0: 49 02 01 31 44 34 ↵1: 47 50 30 30 52 35 35 ↵2: 42 31 32 33 34 35 36 ↵↵>"
            ),
            ("ATS0", "OK↵↵>"),
            ("0902", "014↵0:490201314434↵1:47503030523535↵2:42313233343536↵↵>"),
            ("ATH1", "OK↵↵>"),
            ("0902", "7E81014490201314434↵7E82147503030523535↵7E82242313233343536↵↵>"),
            ("0100", "7E8064100BE3FA81300↵↵>"),
            ("ATS1", "OK↵↵>"),
            ("0100", "7E8 06 41 00 BE 3F A8 13 00 ↵↵>"),
            ("ATD1", "OK↵↵>"),
            ("0100", "7E8 8 06 41 00 BE 3F A8 13 00 ↵↵>"),
            ("ATD0", "OK↵↵>"),
            ("ATH0", "OK↵↵>"),
            ("ATCAF0", "OK↵↵>"),
            ("0100", "NO DATA↵↵>"),
            ("020100", "06 41 00 BE 3F A8 13 00 ↵↵>"),
            ("ATCAF1", "OK↵↵>"),
            ("0902 1", "014↵0: 49 02 01 31 44 34 ↵↵>"),
            ("0902 2", "014↵0: 49 02 01 31 44 34 ↵1: 47 50 30 30 52 35 35 ↵↵>"),
            ("ATCFC0", "OK↵↵>"),
            ("0902", "014↵0: 49 02 01 31 44 34 ↵↵>"),
            ("ATCFC1", "OK↵↵>"),
            ("0100 0C 0D 05 11 0F 04", "?↵↵>"),
            ("ATCRA 7E9", "OK↵↵>"),
            ("0100", "NO DATA↵↵>"),
            ("ATCRA 7EX", "OK↵↵>"),
            ("0100", "41 00 BE 3F A8 13 ↵↵>"),
            ("ATR0", "OK↵↵>"),
            ("0100", "↵>"),
        ]
        for (typed, answer) in session {
            #expect(bench.ask(typed) == answer, "\(typed)")
        }
    }

    @Test func `identifiers of 29 bits have four bytes`() throws {
        var bench = try Bench.ready("?latency=0&protocol=7")
        #expect(bench.lines("0100").first == "18 DA F1 10 06 41 00 BE 3F A8 13 00 ")
        _ = bench.ask("ATS0")
        #expect(bench.lines("0100").first == "18DAF110064100BE3FA81300")
        #expect(bench.adapter.requests.last?.header == "18DB33F1")
        _ = bench.ask("ATSHDA18F1")
        #expect(bench.lines("0100") == ["18DAF11806410080180011AA"])
        _ = bench.ask("ATSH18DA10F1")
        #expect(bench.lines("0100") == ["18DAF110064100BE3FA81300"])
        _ = bench.ask("ATSHDA55F1")
        #expect(bench.lines("0100") == ["NO DATA"])
    }

    /// Header and check byte before CAN: ISO 9141-2, ISO 14230-2, SAE J1850 (ELM327 data sheet,
    /// "Interpreting responses").
    ///
    /// The sums were checked with Python: sum(bytes) % 256, CRC-8 poly 1D.
    @Test(arguments: [
        (1, "41 6B 10 41 00 BE 3F A8 13 91 "), (2, "48 6B 10 41 00 BE 3F A8 13 FB "),
        (3, "48 6B 10 41 00 BE 3F A8 13 BC "), (4, "86 F1 10 41 00 BE 3F A8 13 80 "),
        (5, "86 F1 10 41 00 BE 3F A8 13 80 "),
    ])
    func `lines before CAN have a header and a check byte`(number: Int, line: String) throws {
        var bench = try Bench.ready("?latency=0&protocol=\(number)")
        #expect(bench.lines("0100").first == line)
        _ = bench.ask("ATH0")
        #expect(bench.lines("0100") == ["41 00 BE 3F A8 13 ", "41 00 80 18 00 11 "])
        _ = bench.ask("ATS0")
        #expect(bench.lines("01001") == ["4100BE3FA813"])
    }

    /// Two ECUs with long answers send frames in turn. The example of the ELM327 data sheet mixes
    /// `014`, `014`, `0:`, `0:` …
    @Test func `long answers of two ECUs interleave`() throws {
        var bench = try Bench.ready("?latency=0")
        let lines = bench.lines("0904")
        #expect(
            lines.map { $0.prefix(6) }.prefix(5) == [
                "7E8 10", "7E8 21", "7E9 10", "7E8 22", "7E9 21",
            ])
        var assembler = ISO15765Assembler()
        var whole: [ECUAddress: [UInt8]] = [:]
        for line in lines {
            let bytes = try #require(Hex.bytes(line.dropFirst(3)))
            let id = try #require(ECUAddress(String(line.prefix(3))))
            let frame = LinkFrame(header: id, bytes: InlineBytes(bytes))
            if let message = try assembler.receive(frame) { whole[id] = message.payload }
        }
        #expect(whole[ECUAddress(0x7E8, .can11)]?.count == 3 + 32)
        #expect(whole[ECUAddress(0x7E9, .can11)]?.count == 3 + 16)
        #expect(assembler.finish().isEmpty)
    }

    /// ISO 15765-2: a flow control with "overflow", or to a different address, ends the transfer.
    @Test func `the user's own flow control must be correct`() throws {
        var bench = try Bench.ready("?latency=0&ecus=1")
        #expect(bench.lines("0902").count == 3)
        _ = bench.ask("ATFCSH7E0")
        _ = bench.ask("ATFCSD300000")
        _ = bench.ask("ATFCSM1")
        #expect(bench.lines("0902").count == 3)
        _ = bench.ask("ATFCSH7E5")
        #expect(bench.lines("0902").count == 1)
        _ = bench.ask("ATFCSD320000")
        _ = bench.ask("ATFCSM2")
        #expect(bench.lines("0902").count == 1)
        _ = bench.ask("ATFCSM0")
        #expect(bench.lines("0902").count == 3)
    }

    /// STN family reference manual, STCSEGR: the adapter joins frames and removes their control
    /// bytes.
    @Test func `an OBDLink joins frames on command`() throws {
        var bench = try Bench.ready("?latency=0&personality=stn&ecus=1&vin=1D4GP00R55B123456")
        _ = bench.ask("STCSEGR1")
        #expect(
            bench.lines("0902") == [
                "7E8 49 02 01 31 44 34 47 50 30 30 52 35 35 42 31 32 33 34 35 36 "
            ])
        #expect(bench.lines("0902 1").count == 1)
        _ = bench.ask("STCSEGR0")
        #expect(bench.lines("0902").count == 3)
    }

    /// The adapter's answer if the protocol is not the vehicle's: ELM327 data sheet, "Error
    /// messages".
    ///
    /// Tests/Transcripts/adapter-bus-init-errors-sprinter-2024.txt shows it on the K line.
    @Test(arguments: [
        ("6", "7", "NO DATA", 1), ("6", "8", "CAN ERROR", 0), ("6", "3", "BUS INIT: ...ERROR", 0),
        ("6", "5", "BUS INIT: ERROR", 0), ("6", "1", "NO DATA", 0), ("3", "6", "CAN ERROR", 0),
        ("6", "A", "CAN ERROR", 0), ("9", "8", "NO DATA", 1),
    ])
    func `a wrong protocol fails as the data sheet says`(
        vehicle: String, chosen: String, text: String, sent: Int
    ) throws {
        var bench = try Bench("?latency=0&protocol=\(vehicle)")
        _ = bench.ask("ATE0")
        _ = bench.ask("ATSP" + chosen)
        #expect(bench.lines("0100") == [text])
        #expect(bench.adapter.requestCount == sent)
        _ = bench.ask("ATSP0")
        #expect(bench.lines("0100").first == "SEARCHING...")
        #expect(bench.lines("ATDPN") == ["A" + vehicle])
    }

    @Test(arguments: [("3", "BUS INIT: ...OK"), ("4", "BUS INIT: ...OK"), ("5", "BUS INIT: OK")])
    func `the K line is initialised before the first answer`(number: String, text: String)
        throws
    {
        var bench = try Bench("?latency=0&protocol=\(number)")
        _ = bench.ask("ATE0")
        _ = bench.ask("ATSP" + number)
        #expect(bench.lines("0100").prefix(2) == [text, "41 00 BE 3F A8 13 "])
        #expect(bench.lines("0100").first == "41 00 BE 3F A8 13 ")
        _ = bench.ask("ATPC")
        #expect(bench.lines("0100").first == text)
    }

    @Test func `without ignition no vehicle is found`() throws {
        var bench = try Bench("?latency=0&ignition=off")
        _ = bench.ask("ATE0")
        #expect(bench.lines("0100") == ["SEARCHING...", "UNABLE TO CONNECT"])
        #expect(bench.lines("ATIGN") == ["OFF"])
        #expect(bench.lines("ATRV") == ["12.3V"])
        #expect(bench.adapter.requests.isEmpty)
    }
}
