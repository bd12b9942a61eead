import Adapters
import OBDCore
import Testing

@Suite struct `Adapter commands` {
    /// The text that a user types, and the command that it means.
    ///
    /// The names are from the ELM327 and STN command lists.
    static let commands: [(String, AdapterCommand?)] = [
        ("ATZ", .reset), ("at ws", .reset), ("AT D", .reset), ("ATE0", .echo(false)),
        ("at e1", .echo(true)), ("ATL1", .linefeeds(true)), ("AT H1", .headers(true)),
        ("ATS0", .spaces(false)), ("ATD1", .showLength(true)), ("ATDP", .protocolName),
        ("AT DPN", .protocolNumber), ("ATCAF0", .automaticFormatting(false)),
        ("ATCEA F1", .extendedAddressing(true)), ("AT CEA", .extendedAddressing(false)),
        ("STCSEGR1", .joinFrames(true)), ("ATJHF0", .formatJ1939Headers(false)),
        ("ATTA F2", .testerAddress(0xF2)), ("ATSP6", .choose(.fixed(.can11At500))),
        ("AT SP 0", .choose(.automatic(first: nil))),
        ("ATSP00", .choose(.automatic(first: nil))),
        ("ATSPA6", .choose(.automatic(first: .can11At500))),
        ("ATSPA", .choose(.fixed(.j1939))), ("ATTPA3", .choose(.automatic(first: .iso9141))),
        ("STP 33", .choose(.fixed(.can11At500))), ("STP12", .choose(.fixed(.j1850VPW))),
        ("STPR", .stnProtocolNumber), ("STPRS", .protocolName), ("ATRV", .voltage),
        ("STVR", .voltage), ("ATMA", .monitor), ("ATMR 10", .monitor), ("ATMT F1", .monitor),
        ("STMA", .monitor), ("STM 10", .monitor), ("STMFR", .other),
        ("ATDM1", .monitorGroup(0xFECA)), ("ATMP FECB", .monitorGroup(0xFECB)),
        ("STPX h:7E0, d:010C, r:1", .transmit([0x01, 0x0C])), ("STPXL:3", .transmit(nil)),
        ("ATAT1", .other), ("ATSPX", .choose(.unknown)), ("STP99", .choose(.unknown)),
        ("ATI", .other), ("010C", nil), ("", nil),
    ]

    @Test(arguments: commands)
    func `adapter commands are understood as the user types them`(
        text: String, command: AdapterCommand?
    ) {
        #expect(AdapterCommand(text) == command)
    }

    @Test(
        arguments: [
            // Answers to AT DPN and AT DP from the data sheet. A = the adapter found the protocol
            // by searching.
            ("ATDPN", "A6", VehicleProtocol.can11At500), ("ATDPN", "6", .can11At500),
            ("ATDPN", "A", .j1939), ("ATDPN", "AA", .j1939), ("ATDPN", "a3", .iso9141),
            ("ATDPN", "0", nil), ("ATDPN", "A0", nil), ("ATDPN", "?", nil),
            ("ATDP", "AUTO, ISO 15765-4 (CAN 11/500)", .can11At500),
            ("ATDP", "ISO 15765-4 (CAN 29/250)", .can29At250),
            ("ATDP", "SAE J1850 PWM", .j1850PWM), ("ATDP", "AUTO, SAE J1850 VPW", .j1850VPW),
            ("ATDP", "ISO 9141-2", .iso9141), ("ATDP", "ISO 14230-4 (KWP 5BAUD)", .iso14230Slow),
            ("ATDP", "AUTO, ISO 14230-4 (KWP FAST)", .iso14230Fast),
            ("ATDP", "SAE J1939 (CAN 29/250)", .j1939), ("ATDP", "USER1 (CAN 11/125)", .userCAN1),
            ("ATDP", "AUTO", nil),
            ("STPRS", "HS CAN (ISO 15765, 29-bit Tx, 500kbps, DLC 8)", .can29At500),
            ("STPR", "25", .iso14230Fast), ("STPR", "99", nil),
        ] as [(String, String, VehicleProtocol?)])
    func `the protocol is the one that the adapter reports`(
        text: String, answer: String, found: VehicleProtocol?
    ) throws {
        var settings = ELM327Settings()
        settings.note(answer: answer, to: try #require(AdapterCommand(text)))
        #expect(settings.vehicleProtocol == found)
    }

    @Test func `settings follow commands and return to defaults`() throws {
        var settings = ELM327Settings()
        for text in ["ATH1", "ATS0", "ATE0", "ATCAF0", "ATD1", "ATCEA F1", "ATSP3", "STCSEGR1"] {
            settings.apply(try #require(AdapterCommand(text)))
        }
        #expect(settings.headers == true)
        #expect(settings.spaces == false)
        #expect(settings.echo == false)
        #expect(settings.automaticFormatting == false)
        #expect(settings.showsLength == true)
        #expect(settings.extendedAddressing)
        #expect(settings.joinsFrames)
        #expect(settings.vehicleProtocol == .iso9141)
        settings.apply(try #require(AdapterCommand("ATSP0")))
        #expect(settings.vehicleProtocol == nil)
        settings.apply(try #require(AdapterCommand("ATWS")))
        #expect(settings == .defaults)
        #expect(settings.headers == false)
        #expect(settings.vehicleProtocol == nil)
    }

    @Test(arguments: [
        "ATRV", "at i", "ATZ", "ATSP6", "ATH1", "ATCRA7E8", "ATCRA 7XX", "ATDPN", "ATPPS", "ATMA",
        "STI", "STDI", "STP33", "STM", "ATFCSD300000", "ATST FF", "STPX h:7DF, d:010C, r:1",
        "AT FC SD 31 0A 14", "at fc sh 7e0", "AT FC SH 18DA10F1", "AT FC SM 1", "AT FC SM 0",
        // ISO 14230-2: TesterPresent. ISO 9141-2 keeps its line awake with 01 00.
        "AT WM C1 33 F1 3E", "ATWM686AF10100", "AT WM 82 10 F1 3E 01",
    ])
    func `queries and volatile settings may be sent freely`(text: String) {
        #expect(AdapterRequest.isReadOnlyCommand(text))
    }

    @Test(arguments: [
        // Permanent memory, sleep, line rate, unknown commands, and commands with more text after
        // them.
        "AT@3 123456789012", "ATPP 0C SV 23", "ATPP 0C ON", "ATPP FF OFF", "ATSD 55", "ATCV 1200",
        "ATLP", "ATBRD 23", "STWBR", "STSLEEP", "STSLU on", "STBTDN x", "STRSTNVM", "ATXYZ",
        "ATRV\rATPP 0C ON", "ATZ1", "010C", "", "STPX d:04", "STPX d:01\r04", "STPX l:2",
        // Messages that clear codes, or would do so if the length came after the addresses.
        "AT WM C1 33 F1 04", "AT WM 68 6A F1 04", "AT WM 80 10 F1 01 04", "AT WM C2 33 F1 3E",
        "AT WM", "AT WM C1 33 F1",
        // ISO 15765-2: a flow control frame has three bytes. The first one is 30, 31 or 32.
        "AT FC SD 0104", "AT FC SD 04", "AT FC SD 3000", "AT FC SD 30000000", "AT FC SD 330000",
        "AT FC SD", "AT FC SH 0A5", "AT FC SH 7E8", "AT FC SH", "AT FC SH 0CF00400", "AT FC SM 3",
        "AT FC SM", "STPX d:010C, d:04", "STPX d:04, d:010C", "STPX h:7E0, h:0A5, d:010C",
        "STPX h:+7E0, d:010C", "STPX h:0A5, d:010C", "STPX d:010C, x:04", "STPX d:010C, f:1",
        "STPX d:010C d:04", "STPX d:010C,", "STPX d:010C, r:-1", "STPX", "AT\u{0}I", "ATI\u{0}04",
        "ATI\t", "ATI\n04", "AT\u{131}", "\u{17F}TI",
        "AT I" + String(repeating: " ", count: 200),
    ])
    func `any other command counts as writing`(text: String) {
        #expect(!AdapterRequest.isReadOnlyCommand(text))
    }

    @Test func `every status has a recovery, and no recovery repeats a request that writes`() {
        for status in AdapterStatus.allCases {
            switch status.recovery {
            case .retry(let times): #expect((1...3).contains(times))
            case .normal, .initialise, .report, .dropFeature: break
            }
        }
        #expect(AdapterStatus.lowVoltageReset.recovery == .initialise)
        #expect(AdapterStatus.noData.recovery == .normal)
        #expect(AdapterStatus.unknownCommand.recovery == .dropFeature)
    }
}
