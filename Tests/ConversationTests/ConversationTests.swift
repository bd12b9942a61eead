import Adapters
import Conversation
import OBDCore
import Testing
import VehicleLink

/// A table of conversations: a title, the text, and one line for each item that the reader finds.
///
/// The frames were calculated by hand from ISO 15765-2, ISO 9141-2, ISO 14230-2, SAE J1850 and
/// J1939-21. The texts and their forms are those of the ELM327 data sheet and of the OBDLink
/// reference manual.
@Suite struct `Conversations` {
    static let vin = "4902013144344750303052353542313233343536"

    static let cases: [(String, String, [String])] = [
        (
            "one ECU after another, with and without blanks",
            ">010C\n7E8 04 41 0C 1A F8 00 00 00\n7E904410C1B00000000",
            ["2 7E8 410C1AF8", "3 7E9 410C1B00"]
        ),
        (
            "29-bit identifiers",
            ">0100\n18 DA F1 10 06 41 00 BE 3F B8 11 00\n18DAF1180641000000000100",
            ["2 18DAF110 4100BE3FB811", "3 18DAF118 410000000001"]
        ),
        (
            "check bytes tell the protocols before CAN apart",
            ">0105\n48 6B 10 41 05 7B 84\n>ATSP0\nOK\n>0105\n48 6B 10 41 05 7B 06\n"
                + ">ATSP0\nOK\n>0105\n41 6B 10 41 05 7B 4A\n>ATSP0\nOK\n>0105\n83 F1 10 41 05 7B 45",
            ["2 10 41057B", "6 10 41057B", "10 10 41057B", "14 10 41057B"]
        ),
        (
            "headers off",
            ">0105\n41 05 7B\n41057C\n>0902\n014\n0: 49 02 01 31 44 34\n1: 47 50 30 30 52 35 35\n"
                + "2: 42 31 32 33 34 35 36\n",
            ["2 - 41057B", "3 - 41057C", "5 - " + vin]
        ),
        (
            "segments wrap from F to 0 and are cut to the length",
            ">22F190\n075\n0:62F190000102\n"
                + (1...16).map { number in
                    Hex.string(UInt32(number % 16), digits: 1) + ":11223344556677\n"
                }.joined(),
            [
                "2 - 62F190000102"
                    + String(repeating: "11223344556677", count: 15) + "112233445566"
            ]
        ),
        (
            "a segment is missing, then a whole message",
            ">0902\n014\n0: 49 02 01 31 44 34\n2: 42 31 32 33 34 35 36\n014\n0: 49 02 01 31 44 34\n"
                + "1: 47 50 30 30 52 35 35\n2: 42 31 32 33 34 35 36\n",
            ["4 error: consecutive frame 2 after 0, expected 1", "5 - " + vin]
        ),
        (
            "two long messages of equal lines are the same however they are joined",
            ">0902\n014\n014\n0: 49 02 01 31 44 34\n0: 49 02 01 31 44 34\n1: 47 50 30 30 52 35 35\n"
                + "1: 47 50 30 30 52 35 35\n2: 42 31 32 33 34 35 36\n2: 42 31 32 33 34 35 36\n",
            ["2 - " + vin, "3 - " + vin]
        ),
        (
            "mixed lines of which each can follow one message only",
            ">0904\n013\n0: 49 04 01 35 36 30\n1: 32 38 39 34 39 41 43\n013\n0: 49 04 01 35 36 30\n"
                + "2: 00 00 00 00 00 00 31\n1: 32 38 39 35 34 41 43\n2: 00 00 00 00 00 00 00\n",
            [
                "2 - 49040135363032383934394143000000000000",
                "5 - 49040135363032383935344143000000000000",
            ]
        ),
        (
            "mixed lines that can be joined in two ways",
            ">0902\n014\n014\n0: 49 02 01 31 44 34\n0: 49 02 01 31 44 34\n1: 47 50 30 30 52 35 35\n"
                + "1: 47 50 30 30 52 35 36\n2: 42 31 32 33 34 35 36\n2: 42 31 32 33 34 35 37\n",
            [
                "3 error: message replaced by another after 0 of 20 bytes",
                "3 error: unfinished message: 0 of 20 bytes",
            ]
        ),
        (
            "a message that the prompt cuts off",
            ">0902\n7E8 10 14 49 02 01 31 44 34\n>\n",
            ["2 error: unfinished message: 6 of 20 bytes"]
        ),
        (
            "the length digit, told and untold",
            ">010C\n7E8 8 04 41 0C 1A F8 00 00 00\n7E8804410C1AF8000000\n"
                + "18 DA F1 10 8 04 41 0C 1A F8 00 00 00\n7E8 5 04 41 0C 1A F8 00 00 00\n",
            [
                "2 7E8 410C1AF8", "3 7E8 410C1AF8", "4 18DAF110 410C1AF8",
                "5 error: header announces 5 bytes, frame has 8",
            ]
        ),
        (
            "requests carry their control byte under CAF0; flow control by hand goes on",
            ">ATCAF0\nOK\n>0201000000000000\n06 41 00 BE 3E B8 11 00\n>0209020000000000\n"
                + "10 14 49 02 01 31 44 34\n>300000\n21 47 50 30 30 52 35 35\n"
                + "22 42 31 32 33 34 35 36\n",
            ["4 - 4100BE3EB811", "6 - " + vin]
        ),
        (
            "extended addressing on and off",
            ">ATCEA 12\nOK\n>0100\n612 F1 06 41 00 BE 3E B8 11\n>ATCEA\nOK\n>0100\n"
                + "7E8 06 41 00 BE 3E B8 11\n",
            ["4 612/F1 4100BE3EB811", "8 7E8 4100BE3EB811"]
        ),
        (
            "joined messages of an STN",
            ">STCSEGR1\nOK\n>0902\n7E8 49 02 01 31 44 34 47 50 30 30 52 35 35 42 31 32 33 34 35 36\n"
                + "7E8 06 41 00 BE 3E B8 11\n",
            ["4 7E8 " + vin, "5 7E8 4100BE3EB811"]
        ),
        (
            "joined messages count only where an STN was told to join them",
            ">0902\n7E8 49 02 01 31 44 34\n",
            ["2 error: unknown protocol control byte 49"]
        ),
        (
            "STPX sends a request",
            ">STPX h:7DF, d:010C, r:1\n7E8 04 41 0C 1A F8\n",
            ["2 7E8 410C1AF8"]
        ),
        (
            "the settings are contradicted by the text",
            ">ATH0\nOK\n>0100\n7E8 06 41 00 BE 3E B8 11\n>ATH1\nOK\n>0100\n41 00 BE 3E B8 11\n",
            ["4 7E8 4100BE3EB811", "8 - 4100BE3EB811"]
        ),
        (
            "a setting that was refused is not taken over",
            ">ATCEA F1\n?\n>010C\n7E8 04 41 0C 1A F8\n",
            ["2 status unknownCommand", "4 7E8 410C1AF8"]
        ),
        (
            "searches share the line with what they find",
            ">0100\nSEARCHING...41 00 BE 3E B8 11\n>0100\nSEARCHING...UNABLE TO CONNECT\n"
                + ">0100\nBUS INIT: ...OK\n41 00 BE 3E B8 11\n>0100\nBUS INIT: ...ERROR\n"
                + ">0100\nBUS INIT: OK41 00 BE 3E B8 11\n>0100\nBUS INIT: \n...ERROR\n"
                + ">0100\n...48 6B 1A 41 00 88 18 00 10 BE\n",
            [
                "2 - 4100BE3EB811", "4 status unableToConnect", "7 - 4100BE3EB811",
                "9 status busInitError", "11 - 4100BE3EB811", "14 status busInitError",
                "16 1A 410088180010",
            ]
        ),
        (
            "answers to adapter commands are never data",
            ">ATRD\n55\n>ATBD\n0C 41 0C 1A F8 00\n>ATDPN\nA6\n>STSN\n110012345678\n>ATCS\nT:00 R:00\n"
                + ">ATPPS\n00:FF F  01:FF F\n>ATI\nELM327 v1.5\n>ATH1\n7E8 04 41 0C 1A F8\n>XYI\n41 0C\n",
            ["17 error: neither hexadecimal nor a known answer"]
        ),
        (
            "voltages",
            ">ATRV\n12.4V\n>AT RV\n12.6\n>STVR\n13.87\n>ATRV\n--.--\n>ATRV\n.4V\n>ATRV\n12\n",
            [
                "2 12.4 V", "4 12.6 V", "6 13.87 V", "8 error: not a voltage",
                "10 error: not a voltage", "12 error: not a voltage",
            ]
        ),
        (
            "monitored frames",
            ">ATMA\n7E8 06 41 00 BE 3E B8 11 00\n123 45\n18 FE F1 00 FF FF FF FF FF FF FF FF\n"
                + "48 6B 10 41 05 7B 84\nxyzzy\n7E8 <RX ERROR\nBUFFER FULL\n>ATH0\nOK\n>STM\n06 41 00\n"
                + "STOPPED\n",
            [
                "2 frame 7E8 064100BE3EB81100", "3 frame 123 45",
                "4 frame 18FEF100 FFFFFFFFFFFFFFFF", "5 frame 10 486B1041057B84",
                "6 error: neither hexadecimal nor a known answer",
                "7 error: marked as damaged by the adapter", "8 status bufferFull",
                "12 frame - 064100", "13 status stopped",
            ]
        ),
        (
            "prompts, comments, echoes, blank lines",
            "# recorded somewhere\n>\n\n>ATE1\nATE1\nOK\n\n>010C # engine speed\n010C\n"
                + "41 0C 1A F8 # idling\n\n>\n41 0D 32\n",
            ["10 - 410C1AF8", "13 - 410D32"]
        ),
        (
            "a log without any prompt",
            "ATZ\n\nELM327 v2.1\n\nATH1\nOK\n\n010C\n7E8 04 41 0C 1A F8\n\n0105\n7E8 03 41 05 7B\n",
            ["9 7E8 410C1AF8", "12 7E8 41057B"]
        ),
        (
            "a log of what was sent and received, echo off, with count digits",
            "ATE0\nOK\nATH1\nOK\n0100\nSEARCHING...\n7E8 06 41 00 BE 3E B8 11\n\n010C1\n"
                + "7E8 04 41 0C 1A F8\n\n09021\n7E8 10 14 49 02 01 31 44 34\n"
                + "7E8 21 47 50 30 30 52 35 35\n7E8 22 42 31 32 33 34 35 36\nATRV\n12.1V\n0105\n"
                + "7E8 03 41 05 7B\n",
            [
                "7 7E8 4100BE3EB811", "10 7E8 410C1AF8", "13 7E8 " + vin, "17 12.1 V",
                "19 7E8 41057B",
            ]
        ),
        (
            "echo off: the answer follows the prompt",
            "41 0C 1A F8\n\n>41 05 7B\n\n>NO DATA\n\n>",
            ["1 - 410C1AF8", "3 - 41057B", "5 status noData"]
        ),
        (
            "carriage returns alone",
            ">010C\r41 0C 1A F8 \r\r>010D\r41 0D 20 \r\r>",
            ["1 - 410C1AF8", "1 - 410D20"]
        ),
        (
            "an echo whose line end was lost",
            ">010C\n010C41 0C 00 00\n>010C\n010C NO DATA\n>ATH1\nATH1OK\n"
                + ">0100\n0100SEARCHING...\n41 00 BE 3E B8 11\n",
            ["2 - 410C0000", "4 status noData", "9 - 4100BE3EB811"]
        ),
        (
            "words glued to data: only what proves itself whole is taken",
            ">010C\n41 0C 1A F8 BUFFER FULL\n7E8 04 41 0C 1A F8 BUFFER FULL\n"
                + "7E8 04 41 0C 1A F8 <DATA ERROR\n<RX ERROR\nDATA ERROR\n",
            [
                "2 status bufferFull", "3 7E8 410C1AF8", "3 status bufferFull",
                "4 error: marked as damaged by the adapter", "5 status rxError",
                "6 status dataError",
            ]
        ),
        (
            "garbage is told line by line, and good lines still count",
            ">010C\nxyzzy\n41 0C 1A F\n7E8 04 41 0C 1A\n7E8 04 41 0C 1A F8 00 00 00 00\n12 34\n"
                + "7E8 04 41 0C 1A F8\n",
            [
                "2 error: neither hexadecimal nor a known answer",
                "3 error: neither hexadecimal nor a known answer",
                "4 error: single frame announces 4 bytes, has 3",
                "5 error: header announces 8 bytes, frame has 9",
                "6 error: header of another protocol", "7 7E8 410C1AF8",
            ]
        ),
        (
            "lines without blanks that are cut short",
            ">010C\n7E804410C1AF\n7E804410C1A\n18DAF11004410C1AF\n486B104100BE3EB811C\n",
            [
                "2 error: neither hexadecimal nor a known answer",
                "3 error: single frame announces 4 bytes, has 3",
                "4 error: unknown protocol control byte AF",
                "5 error: unknown protocol control byte B1",
            ]
        ),
        (
            "extended addressing in long messages, with and without headers",
            ">ATCEA 12\nOK\n>0902\n612 F1 10 14 49 02 01 31 44\n612 F1 21 34 47 50 30 30 52\n"
                + "612 F1 22 35 35 42 31 32 33\n612 F1 23 34 35 36 00 00 00\n>ATH0\nOK\n>0902\n014\n"
                + "0: 49 02 01 31 44\n1: 34 47 50 30 30 52\n2: 35 35 42 31 32 33\n"
                + "3: 34 35 36 00 00 00\n",
            ["4 612/F1 " + vin, "11 - " + vin]
        ),
        (
            "SAE J1939 with headers in both forms, broadcast, and without",
            ">ATSPA\nOK\n>ATH1\nOK\n>00FECA\n18 FE CA 00 00 FF 00 00 00 00 FF FF\n"
                + "6 0FECA 03 00 FF 00 00 00 00 FF FF\n1CECFF00 20 0E 00 02 FF CA FE 00\n"
                + "1CEBFF00 01 04 FF 10 02 03 05 01\n1CEBFF00 02 20 03 04 01 06 07 08\n"
                + ">ATH0\nOK\n>00FECA\n00 FF 00 00 00 00 FF FF\n",
            [
                "6 00 00FF00000000FFFF FECA", "7 03 00FF00000000FFFF FECA",
                "8 00 04FF100203050120030401060708 FECA", "14 - 00FF00000000FFFF FECA",
            ]
        ),
        (
            "ISO 14230 with a length byte, and without addresses",
            ">ATSP5\nOK\n>ATH1\nOK\n>0100\n80 F1 10 06 41 00 BE 1F B8 10 6D\n"
                + "06 41 00 BE 1F B8 10 EC\n06 41 00 BE 1F B8 10 ED\n",
            [
                "6 10 4100BE1FB810", "7 - 4100BE1FB810", "8 error: checksum ED, expected EC",
            ]
        ),
        (
            "an adapter that restarted has lost its settings",
            ">ATH1\nOK\n>ATCEA F1\nOK\n>0100\nLV RESET\n>0100\n41 00 BE 3E B8 11\n",
            ["6 status lowVoltageReset", "8 - 4100BE3EB811"]
        ),
    ]

    @Test(arguments: cases)
    func `each conversation of the table is read`(
        title: String, text: String, expected: [String]
    ) {
        #expect(read(text).summary == expected, "\(title)")
    }

    /// Every text of the reference, as printed there and as clones print it.
    static let words: [(String, AdapterStatus?)] = [
        ("NO DATA", .noData), ("no data", .noData), ("NODATA", .noData),
        ("UNABLE TO CONNECT", .unableToConnect), ("BUS BUSY", .busBusy),
        ("BUS ERROR", .busError), ("CAN ERROR", .canError), ("DATA ERROR", .dataError),
        ("<DATA ERROR", .dataError), ("<RX ERROR", .rxError), ("BUFFER FULL", .bufferFull),
        ("FB ERROR", .feedbackError), ("FC RX TIMEOUT", .flowControlTimeout),
        ("ERR94", .fatalCANError), ("ERR 71", .internalError), ("LV RESET", .lowVoltageReset),
        ("STOPPED", .stopped), ("?", .unknownCommand), ("?WRONG HEXCHAR COUNT", .unknownCommand),
        ("BUS INIT: ERROR", .busInitError), ("BUS INIT: ...ERROR", .busInitError),
        ("OUT OF MEMORY", .bufferFull), ("UART RX OVERFLOW", .bufferFull),
        ("NOT CONNECTED", .noData), ("CAN TIMEOUT", .noData), ("UNKNOWN", .noData),
        ("CONNECT", .noData), ("LP ALERT", .lowPowerAlert), ("!LP ALERT", .lowPowerAlert),
        ("ACT ALERT", .activityAlert), ("LOW POWER ALERT", .lowPowerAlert), ("OK", .confirmation),
        ("ELM327 v1.5", nil), ("OBDII  v1.5", nil),
    ]

    @Test(arguments: words)
    func `every text of the adapter is known, alone and after data`(
        text: String, status: AdapterStatus?
    ) {
        let isBanner = text.hasSuffix("v1.5")
        let expected =
            status.map { ["2 status \($0.rawValue)"] }
            ?? (isBanner ? ["2 error: the adapter restarted in the middle of a request"] : [])
        #expect(read(">010C\n\(text)").summary == expected)
        for prefix in ["SEARCHING...", "010C "] where status != nil && !text.hasPrefix("?") {
            if text.hasPrefix("BUS INIT") || ["UNKNOWN", "CONNECT", "OK"].contains(text) {
                continue
            }
            #expect(read(">010C\n\(prefix)\(text)").summary == expected, "\(prefix)")
        }
    }

    @Test(arguments: ["ACT ALERT", "LP ALERT", "!LP ALERT"])
    func `a warning before sleep is reported at every position of the text`(_ text: String) {
        let warning = "status " + (text.contains("ACT") ? "activityAlert" : "lowPowerAlert")
        #expect(read(">0100\nSEARCHING...\n\(text)").summary == ["3 \(warning)"])
        let answer = read(">010C\n41 0C 1A F8").summary
        #expect(answer.count == 1)
        #expect(read(">010C\n41 0C 1A F8\n\(text)").summary == answer + ["3 \(warning)"])
        #expect(read(">010C\n\(text)\n41 0C 1A F8").summary.contains("2 \(warning)"))
        #expect(read(">010C\n41 0C 1A F8 \(text)").summary == answer + ["2 \(warning)"])
    }

    @Test func `a status is quoted without "SEARCHING...", an error as the adapter wrote it`() {
        let items = read(
            ">0100\nSEARCHING...NO DATA  \n \u{1B}[2J xyzzy\n>0902\n7E8 10 14 49 02 01 31 44 34")
        let texts = items.compactMap { item -> String? in
            switch item.content {
            case .status(_, let text), .linkError(_, let text): text
            case .message, .voltage, .frame, .endOfExchange: nil
            }
        }
        #expect(
            texts == ["NO DATA", "\u{1B}[2J xyzzy", "7E8 10 14 49 02 01 31 44 34"])
    }

    @Test(
        arguments: [
            (">010C\n41 0C 1A F8", "010C"), (">01 0c 1\n41 0C 1A F8", "010C"),
            (">09021\n49 02 01", "0902"), (">041\n44", "04"),
            (">ATCAF0\nOK\n>02010C\n7E8 04 41 0C 1A F8", "010C"), ("41 0C 1A F8", nil),
        ] as [(String, String?)])
    func `the request is shown without count digit and control byte`(
        text: String, request: String?
    ) {
        #expect(read(text).last?.exchange.request.map { Hex.string($0) } == request)
    }

    @Test(
        arguments: [
            ("ATSP3\nOK", VehicleProtocol.iso9141, VehicleProtocol.Family.iso9141, "41 05 7B"),
            ("ATSP0\nOK", nil, nil, "41 05 7B"), ("ATDPN\nA6", .can11At500, .can, "41 05 7B"),
            ("ATSP0\nOK", nil, .can, "7E8 03 41 05 7B"),
            ("ATZ", nil, .iso9141, "48 6B 10 41 05 7B 84"),
            ("ATZ", nil, .iso14230, "83 F1 10 41 05 7B 45"),
            ("ATZ", nil, .j1850, "41 6B 10 41 05 7B 4A"),
            // The line's own form outweighs the setting.
            ("ATSP6\nOK", nil, .iso14230, "83 F1 10 41 05 7B 45"),
        ] as [(String, VehicleProtocol?, VehicleProtocol.Family?, String)])
    func `the protocol is the reported one, or is inferred from the line`(
        command: String, vehicleProtocol: VehicleProtocol?, family: VehicleProtocol.Family?,
        line: String
    ) {
        let exchange = read(">\(command)\n>0105\n\(line)").last?.exchange
        #expect(exchange?.vehicleProtocol == vehicleProtocol)
        #expect(exchange?.family == family)
    }

    @Test func `if the request is given, the whole input is one reply`() {
        let text = ">010C\n>41 0C 1A F8\n>\n41 0C 1B 00\nATH1\n"
        let items = read(text, request: "010C")
        #expect(items.summary == ["2 - 410C1AF8", "4 - 410C1B00"])
        #expect(items.filter { $0.content == .endOfExchange }.count == 1)
        #expect(read("12.4V", request: "ATRV").summary == ["1 12.4 V"])
    }

    @Test func `the given protocol decides where the text alone is ambiguous`() {
        // 06 is the right CRC. A sum would be 84.
        let line = ">0105\n48 6B 10 41 05 7B 06"
        #expect(read(line, vehicleProtocol: .j1850VPW).summary == ["2 10 41057B"])
        #expect(
            read(line, vehicleProtocol: .iso9141).summary == ["2 error: checksum 06, expected 84"])
    }

    @Test(arguments: [
        ("010C", true), ("01 0c", true), ("ATRV", true), ("st i", true), ("x", false), ("", false),
        ("4", false),
    ])
    func `lines that can be requests are recognised`(text: String, isRequest: Bool) {
        #expect(ConversationReader.isRequest(text) == isRequest)
    }
}
