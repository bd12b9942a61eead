import OBDCore
import Testing

@testable import Adapters

@Suite struct `CAN frames on a link` {
    private static func id(_ value: UInt32, _ form: ECUAddress.Form = .can11) -> ECUAddress {
        ECUAddress(value, form)
    }

    /// Lines from the manuals of Lawicel and CANable, and the frames that they mean.
    static let lines: [(String, CANFrame)] = [
        ("t7E880341050F000000AA\r", CANFrame(id(0x7E8), [3, 0x41, 5, 0x0F, 0, 0, 0, 0xAA])),
        ("t10021133\r", CANFrame(id(0x100), [0x11, 0x33])),
        ("T0000010021133\r", CANFrame(id(0x100, .can29), [0x11, 0x33])),
        ("T18DAF11010A\r", CANFrame(id(0x18DA_F110, .can29), [0x0A])),
        ("r1002\r", CANFrame(id(0x100), [], isRemote: true)),
        ("t7FF0\r", CANFrame(id(0x7FF), [])),
        // With a time stamp.
        ("t100211331A2B\r", CANFrame(id(0x100), [0x11, 0x33])),
        // Lower-case letters.
        ("t7e8103\r", CANFrame(id(0x7E8), [3])),
    ]

    private func events(_ pieces: [ArraySlice<UInt8>]) -> [CANEvent] {
        var lexer = SLCANLexer()
        var events: [CANEvent] = []
        for piece in pieces { lexer.receive(Array(piece).span, &events) }
        return events
    }

    @Test(arguments: lines) func `a line of slcan becomes its frame`(
        _ line: String, _ frame: CANFrame
    ) {
        #expect(events([Array(line.utf8)[...]]) == [.frame(frame)])
    }

    @Test(arguments: lines) func `a written frame can be read again`(_: String, _ frame: CANFrame) {
        #expect(
            events([SLCAN.line(of: frame)[...]]) == [.frame(frame)].map { $0 }
                || frame.isRemote)
        var lexer = CANRecordLexer()
        var found: [CANEvent] = []
        lexer.receive(CANRecord.bytes(of: frame).span, &found)
        #expect(found == [.frame(frame)])
    }

    @Test(arguments: [
        ("\r", [CANEvent.confirmed]), ("\u{7}", [.refused]), ("z\r", [.queued]), ("Z\r", [.queued]),
        ("V1013\r", [.text("V1013")]), ("F00\r", [.text("F00")]),
        // The controller's errors and state, as the kernel's driver defines them.
        ("e1a\r", [.fault(.noAcknowledge)]), ("e3bcO\r", [.fault(.overrun)]),
        ("e1c\r", [.fault(.disturbed)]), ("sb256256\r", [.fault(.busOff)]),
        ("sp128000\r", [.fault(.passive)]), ("sw100000\r", [.fault(.disturbed)]),
        ("sa057033\r", [.fault(.recovered)]),
        ("e1\r", []), ("e9aaaaaaaaa\r", []), ("e1x\r", []), ("e2a\r", []), ("sb\r", []),
        ("sx000000\r", []), ("sb25625\r", []), ("sbabcdef\r", []),
        // Cut, too long, not hexadecimal, an identifier that is not valid, a length that is not
        // valid.
        ("t7E8803\r", [.damage]), ("t7E81030\r", [.damage]), ("t7G8103\r", [.damage]),
        ("t8001AA\r", [.damage]), ("t7E89000000000000000000\r", [.damage]),
        ("T2000000000\r", [.damage]), ("t\r", [.damage]),
        ("t7E8\u{7}", [.damage, .refused]), ("zt7E8103\r", [.queued, .frame(lines[7].1)]),
        ("\n\0\r", [.confirmed]), (String(repeating: "x", count: 300) + "\r", [.damage]),
    ])
    func `lines that are not frames are recognised`(_ text: String, _ wanted: [CANEvent]) {
        #expect(events([Array(text.utf8)[...]]) == wanted)
    }

    @Test func `any split of the bytes gives the same events`() {
        let text = Array("\rz\rt7E880341050F000000AA\r\u{7}V1013\rt7E8803\rT18DAF11010A\r".utf8)
        let whole = events([text[...]])
        #expect(whole.count == 7)
        for first in 0...text.count {
            for second in first...text.count {
                #expect(events([text[..<first], text[first..<second], text[second...]]) == whole)
            }
        }
    }

    @Test func `a record of SocketCAN has the layout of linux/can.h`() {
        #expect(
            CANRecord.bytes(of: CANFrame(Self.id(0x7DF), [2, 1, 0x0C])) == [
                0xDF, 0x07, 0, 0, 3, 0, 0, 0, 2, 1, 0x0C, 0, 0, 0, 0, 0,
            ])
        #expect(
            CANRecord.bytes(of: CANFrame(Self.id(0x18DB_33F1, .can29), [2, 1, 0])).prefix(5) == [
                0xF1, 0x33, 0xDB, 0x98, 3,
            ])
    }

    @Test(
        arguments: [
            ([0x20, 0, 0, 0x20], [0, 0], CANFault.noAcknowledge),
            ([0x40, 0, 0, 0x20], [0, 0], .busOff), ([0x04, 0, 0, 0x20], [0, 0x20], .passive),
            ([0x04, 0, 0, 0x20], [0, 0x10], .passive),
            ([0x04, 0, 0, 0x20], [0, 0x40], .recovered),
            ([0x04, 0, 0, 0x20], [0, 0x01], .overrun), ([0x00, 1, 0, 0x20], [0, 0], .recovered),
            ([0x08, 0, 0, 0x20], [0, 0], .disturbed), ([0x80, 0, 0, 0x20], [0, 0], .disturbed),
            ([0x10, 0, 0, 0x20], [0, 0], .wires), ([0x01, 0, 0, 0x20], [0, 0], .noAcknowledge),
        ] as [([UInt8], [UInt8], CANFault)])
    func `an error frame reports the state of the controller`(
        _ id: [UInt8], _ data: [UInt8], _ fault: CANFault
    ) {
        let record = id + [8, 0, 0, 0] + data + [UInt8](repeating: 0, count: 6)
        var lexer = CANRecordLexer()
        var found: [CANEvent] = []
        lexer.receive(record.span, &found)
        #expect(found == [.fault(fault)])
    }

    @Test func `records are whole wherever the bytes are cut`() {
        let record = CANRecord.bytes(of: CANFrame(Self.id(0x7E8), [2, 0x41, 0x0C]))
        let bytes = record + record
        for place in 0...bytes.count {
            var lexer = CANRecordLexer()
            var found: [CANEvent] = []
            lexer.receive(Array(bytes[..<place]).span, &found)
            lexer.receive(Array(bytes[place...]).span, &found)
            #expect(found.count == 2)
        }
    }

    // MARK: Logs of candump

    @Test(arguments: [
        "(1436509052.249713) vcan0 044#2A366C2BBA",
        "(1436509053.850870) can1 18DAF110#0641009839A0",
        "(1436509052.000001) can0 7DF#R", "(0000000001.500000) can0 7E8#", "can0 7E8#03410D32",
        "(1436509052.249713) vcan0 7E8##1000962F18C313233343536AA",
    ])
    func `a line of a log is read and written`(_ text: String) throws {
        guard case .line(let line) = CandumpLine.read(Array(text.utf8)) else {
            Issue.record("not read: \(text)")
            return
        }
        #expect(line.text == text.replacing("(0000000001.", with: "(1."))
    }

    /// The forms of can-utils' candump on a terminal, and of its log with a direction or nine digits.
    @Test(arguments: [
        ("  can0  7E8   [8]  03 41 0D 35 00 00 00 00", "can0 7E8#03410D3500000000"),
        (" (1580000000.100000)  can0  7DF   [2]  01 0D", "(1580000000.100000) can0 7DF#010D"),
        (" (2021-05-04 16:34:11.190458)  any  18DAF110   [1]  00", "any 18DAF110#00"),
        ("  can0  RX - -  7E8   [2]  03 41   '.A'", "can0 7E8#0341"),
        ("  can0  TX B E  7E8   [2]  20 41   ' A'", "can0 7E8#2041"),
        (
            "  can0  7E8  [12]  00 09 62 F1 8C 31 32 33 34 35 36 AA",
            "can0 7E8##1000962F18C313233343536AA"
        ),
        ("  can0  7E8  [02]  01 41", "can0 7E8##10141"),
        ("  can0  7DF   [0]  remote request", "can0 7DF#R"),
        ("  \u{1B}[1;31mcan0  7E8   [1]  AA\u{1B}[0m", "can0 7E8#AA"),
        ("(1.500000123) can0 7E8#AA", "(1.500000) can0 7E8#AA"),
        ("(1.5) can0 7E8#AA", "(1.500000) can0 7E8#AA"),
        ("(1.050) can0 7E8#AA", "(1.050000) can0 7E8#AA"),
        ("(1.500000) can0 7E8#AA R", "(1.500000) can0 7E8#AA"),
        ("(1.500000) can0 7E8#11.22", "(1.500000) can0 7E8#1122"),
    ])
    func `a line of candump has several forms`(_ text: String, _ log: String) throws {
        guard case .line(let line) = CandumpLine.read(Array(text.utf8)) else {
            Issue.record("not read: \(text)")
            return
        }
        #expect(line.text == log)
    }

    @Test(arguments: [
        ("(1436509052.249713) vcan0 20000004#0004000000000000", CandumpLine.Reading.other),
        ("  can0  20000004   [8]  00 04 00 00 00 00 00 00   ERRORFRAME", .other),
        ("  can0  7E8   [8]  03 41 0D 35", .foreign), ("  can0  7E8   [2]  03 41 0D", .foreign),
        ("  can0  7E8   [2]  03 4", .foreign), ("(1436509052.249713) vcan0 123##", .foreign),
        ("7E8 03 41 0D 32", .foreign), ("  7E8   [2]  03 41", .foreign),
        ("(1436509052.) vcan0 044#2A", .foreign), ("(1436509052.249713) vcan0 44#2A", .foreign),
        ("(1436509052.249713) vcan0 044#2A3", .foreign), ("", .foreign),
        ("(1436509052.249713) vcan0 044#2A366C2BBA00112233", .foreign),
        ("(1436509052.249713) vcan0 800#2A", .foreign),
    ])
    func `lines of a log that are not frames are recognised`(
        _ text: String, _ wanted: CandumpLine.Reading
    ) {
        #expect(CandumpLine.read(Array(text.utf8)) == wanted)
    }

    @Test(
        arguments: [
            ("7E8", 0x7E8, true), ("7E8", 0x7E9, false), ("7E8/7F8", 0x7EF, true),
            ("7E8/7F8", 0x7F0, false),
        ] as [(String, UInt32, Bool)])
    func `a filter compares the bits of its mask`(_ text: String, _ id: UInt32, _ passes: Bool)
        throws
    {
        #expect(try #require(CANFilter(text)).passes(Self.id(id)) == passes)
        #expect(try !#require(CANFilter(text)).passes(Self.id(id, .can29)))
    }

    @Test(arguments: ["", "7E", "800", "7E8/", "7E8/800", "20000000", "7E8/7F8/1", "7e8/x"])
    func `text that is not a filter is refused`(_ text: String) { #expect(CANFilter(text) == nil) }
}
