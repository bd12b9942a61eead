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

    @Test(
        arguments: [
            (1_436_509_052_249_713, "7E8", "0341", "(1436509052.249713) can0 7E8#0341"),
            (1_500_000, "18DAF110", "", "(1.500000) can0 18DAF110#"),
            (nil, "044", "2A", "can0 044#2A"),
        ] as [(Int64?, String, String, String)])
    func `a line of a log is written`(
        _ time: Int64?, _ id: String, _ data: String, _ text: String
    ) throws {
        let frame = CANFrame(
            Self.id(try #require(UInt32(id, radix: 16)), id.count == 3 ? .can11 : .can29),
            InlineBytes(try #require(Hex.bytes(data))))
        let line = CandumpLine(
            time: time.map { UTC(microseconds: $0) }, interface: "can0", frame: frame)
        #expect(line.text == text)
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
