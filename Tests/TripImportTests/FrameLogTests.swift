import Diagnostics
import Foundation
import OBDCore
import Testing

@testable import TripImport

/// The lines of can-utils' candump: its log, with a direction, nine digits or dots, and its output on a
/// terminal.
@Suite struct `Lines of candump` {
    private func read(_ text: String) -> String {
        var reader = FrameLogReader(.candump, needsTimes: false, skipsOthers: false)
        switch reader.read(Array(text.utf8)[...]) {
        case .frame(let frame):
            let time = reader.shown(frame).map { "\($0) " } ?? ""
            return time + "\(frame.address.digits)#\(Hex.string(frame.data))"
        case .remote(let frame): return "\(frame.address.digits)#R"
        case .other: return "other"
        case .unreadable: return "unreadable"
        }
    }

    /// The consecutive frames 2 and 1 after a first frame, an answer of four bytes in three, a record that is too
    /// short for its PID, a line of text, and a first frame at the end.
    @Test func `damaged answers are counted and named`() throws {
        func file(_ lines: [String]) throws -> ImportedFile {
            let lines = ["7DF#02010C0000000000", "7E8#04410C1AF8000000"] + lines
            let text = lines.enumerated().map {
                "(1700000000.\($0.offset + 10)) can0 \($0.element)\n"
            }
            return try ImportedFile(text.joined())
        }
        for (lines, line, reason) in [
            (
                ["7E0#0209020000000000", "7E8#1014490201314434", "7E8#2247503030523535"], 5,
                "7E8: consecutive frame 2 after 0, expected 1"
            ),
            (["7E0#02010C0000000000", "7E8#04410C1A"], 4, "7E8: "),
            (["7E0#02010C0000000000", "7E8#03410C1A00000000"], 4, "7E8: "),
            (["7E0#0209020000000000", "7E8#1014490201314434"], 4, "7E8: unfinished message"),
        ] as [([String], Int, String)] {
            let log = try file(lines)
            #expect(log.values == [.init("RPM", 1726, "rpm")])
            #expect(log.skipped.count == 1 && log.skipped.first?.line == line)
            #expect(log.skipped.first?.reason.hasPrefix(reason) == true)
        }
        #expect(try file([]).skipped.count == 0)
        let text = try ImportedFile(
            "(1700000000.1) can0 7DF#02010C0000000000\ngarbage here\n can0 7E8#0341\n")
        #expect(text.skipped.count == 2)
        #expect(text.skipped.first?.reason == "not a frame of candump")
    }

    @Test(arguments: [
        ("(1.249713) vcan0 044#2A366C2BBA", "elapsed(1249713) 044#2A366C2BBA"),
        ("can1 18DAF110#0641009839A0", "18DAF110#0641009839A0"), ("can0 7DF#R", "7DF#R"),
        ("can0 7DF#R8", "7DF#R"), ("can0 7E8#", "7E8#"), ("can0 7E8#03410D32 R", "7E8#03410D32"),
        ("vcan0 7E8##1000962F18C313233343536AA", "7E8#000962F18C313233343536AA"),
        ("can0 7E8#1122334455667788_9", "7E8#1122334455667788"),
        ("can0 7E8#11.22", "7E8#1122"), ("(1.500000123) can0 7E8#AA", "elapsed(1500000) 7E8#AA"),
        ("(1.5) can0 7E8#AA", "elapsed(1500000) 7E8#AA"),
        ("(1.050) can0 7E8#AA", "elapsed(1050000) 7E8#AA"),
        ("  can0  7E8   [8]  03 41 0D 35 00 00 00 00", "7E8#03410D3500000000"),
        (" (0.100000)  can0  7DF   [2]  01 0D", "elapsed(100000) 7DF#010D"),
        ("  can0  RX - -  7E8   [2]  03 41   '.A'", "7E8#0341"),
        ("  can0  TX B E  7E8   [2]  20 41   ' A'", "7E8#2041"),
        ("  can0  7E8  [12]  00 09 62 F1 8C 31 32 33 34 35 36 AA", "7E8#000962F18C313233343536AA"),
        ("  can0  7E8  [02]  01 41", "7E8#0141"), ("  can0  7DF   [0]  remote request", "7DF#R"),
        ("  \u{1B}[1;31mcan0  7E8   [1]  AA\u{1B}[0m", "7E8#AA"),
        ("  can0  7E8   [3]  35`0D`41   '5.A'", "7E8#410D35"), ("  can0  7E8   [1]  35", "7E8#35"),
        ("  can0  7E8   [2]  01000001 00001101", "7E8#410D"),
    ])
    func `a line of candump has several forms`(_ text: String, _ frame: String) {
        #expect(read(text) == frame)
    }

    @Test func `a date in a log of frames is local`() {
        let line = " (2021-05-04 16:34:11.190458)  any  18DAF110   [1]  00"
        var reader = FrameLogReader(.candump, needsTimes: false, skipsOthers: false)
        guard case .frame(let frame) = reader.read(Array(line.utf8)[...]) else {
            Issue.record("not read")
            return
        }
        #expect(
            reader.shown(frame)
                == UTC("2021-05-04").map {
                    .local(UTC(microseconds: $0.microseconds + 59_651_190_458))
                })
    }

    @Test(arguments: [
        ("(1436509052.249713) vcan0 20000004#0004000000000000", "other"),
        ("  can0  20000004   [8]  00 04 00 00 00 00 00 00   ERRORFRAME", "other"),
        ("\tcontroller-problem{rx-error-warning}", "other"), ("", "other"),
        ("DROPCOUNT: dropped 1 CAN frame on 'can0' socket (total drops 13)", "other"),
    ])
    func `errors of the controller are not frames`(_ text: String, _ wanted: String) {
        #expect(read(text) == wanted)
    }

    @Test(arguments: [
        "  can0  7E8   [8]  03 41 0D 35", "  can0  7E8   [2]  03 41 0D", "  can0  7E8   [2]  03 4",
        "  can0  7E8   [9]  01 02 03 04 05 06 07 08 09", "(1436509052.249713) vcan0 123##",
        "7E8 03 41 0D 32", "  7E8   [2]  03 41", "(1436509052.) vcan0 044#2A",
        "(1436509052.249713) vcan0 44#2A", "(1436509052.249713) vcan0 044#2A3",
        "(1436509052.249713) vcan0 044#2A366C2BBA00112233", "(1436509052.249713) vcan0 800#2A",
        "(1436509052.249713) vcan0 044#2A R R", "not a frame", "  can0  7E8   [3]  35`0D",
        "  can0  7E8   [1]  35`0D", "  can0  7E8   [1]  01000002", "  can0  7E8   [2]  35`0D 41",
    ])
    func `damaged lines are not read`(_ text: String) { #expect(read(text) == "unreadable") }
}

/// Lines of logs whose heads and lengths differ from the usual ones.
@Suite struct `Unusual frames of a log` {
    /// The frames of a log, whose format is found by its beginning.
    private func frames(_ lines: [String]) throws -> [String] {
        let text = lines.joined(separator: "\n") + "\n"
        let form = try #require(FrameLogForm(beginning: Array(text.utf8)))
        var reader = FrameLogReader(form, needsTimes: false, skipsOthers: false)
        return lines.compactMap { line in
            switch reader.read(Array(line.utf8)[...]) {
            case .frame(let frame): "\(frame.address.digits)#\(Hex.string(frame.data))"
            case .remote(let frame): "\(frame.address.digits)#R"
            case .other: nil
            case .unreadable: "unreadable"
            }
        }
    }

    /// PEAK's format: in 2.x, the column L is a data length code and the column l is a length.
    @Test(arguments: [("L", "9"), ("l", "12")])
    func `a frame in TRC has a length or the code of a length`(_ column: String, _ count: String)
        throws
    {
        let found = try frames([
            ";$FILEVERSION=2.1", ";$COLUMNS=N,O,T,B,I,d,R,\(column),D",
            " 1 1059.9 FD 1 07E8 Rx - \(count) 00 09 62 F1 8C 31 32 33 34 35 36 AA",
        ])
        #expect(found == ["7E8#000962F18C313233343536AA"])
    }

    @Test func `a state of the bus in TRC 1.0 is not a frame`() throws {
        let found = try frames([
            ";   Start time: 18.12.2021 14:28:07.062", " 1) 17535 00000100 2 01 02",
            " 2) 17540 FFFFFFFF 4 00 00 00 08 -- -- -- -- BUSHEAVY",
        ])
        #expect(found == ["00000100#0102"])
    }

    /// CAN has eight bytes with a length code above 8, and a request of CAN FD has a length code without data.
    @Test func `lengths of CAN FD frames in ASC are codes`() throws {
        let found = try frames([
            "base hex  timestamps absolute", "0.1 1  3FF  Tx   d D 55 AA 01 02 03 04 05 06",
            "0.2 CANFD 3 Tx 50005x  0 0 5 0 140000 73 200050 7a60 46500250 460a0250 20011736",
            "0.3 1  3FF  Tx   d 10 55 AA 01 02 03 04 05 06",
        ])
        #expect(found == ["3FF#55AA010203040506", "00050005#R", "unreadable"])
    }

    @Test func `events and errors in TRC are not frames`() throws {
        let found = try frames([
            ";$FILEVERSION=2.1", ";$COLUMNS=N,O,T,B,I,d,R,L,D", "1 1.5 EV  Ignition on",
            "2 1.6 ER 1 - Rx - 5 04 00 00 00 00", "3 1.7 ST 1 - Rx - 4 00 00 00 00",
            "4 1.8 RR 1 07E8 Rx - 8", "5 1.9 DT 1 07E8 Rx - 2 41 0D", "6 2.0 DT 1 07E8",
        ])
        #expect(found == ["7E8#410D", "unreadable"])
    }

    /// Numbers are hexadecimal or decimal, which only the head says, unless a byte shows it.
    @Test(arguments: [
        ("0.010000 1  7E8   Rx   d 2 41 0D", "7E8#410D"),
        ("0.010000 1  18FEF100x   Tx   d 3 41 05 10  Length = 0 BitCount = 0", "18FEF100#410510"),
    ])
    func `ASC is recognised without its head`(_ line: String, _ wanted: String) throws {
        #expect(try frames([line]) == [wanted])
        for line in ["0.01 1  2024  Rx   d 2 65 13", "0.01 1  2024  Rx   d 2 65 4"] {
            #expect(FrameLogForm(line: Array(line.utf8)[...]) == nil)
        }
    }

    @Test func `TRC 1.0 is recognised without a line with its version`() throws {
        let line = "     2)      1069  07E8  8  04 41 0C 1A F8 00 00 00"
        let wanted = ["7E8#04410C1AF8000000"]
        #expect(try frames([";   Start time: 24.01.2002 12:42:58.156", line]) == wanted)
        #expect(try frames([line]) == wanted)
    }

    /// CAN FD has no frames of 9, 10, 11, 13, 14 and 15 bytes, so such a number is a code.
    ///
    /// 12 is a length, or the code of 24 bytes: the data show which.
    @Test(arguments: [(9, 12), (10, 16), (12, 24), (12, 12), (13, 32), (15, 64), (8, 8)])
    func `a table of frames has lengths or codes of lengths`(_ count: Int, _ bytes: Int) throws {
        let data = [String](repeating: "5A", count: bytes)
        let found = try frames([
            "time,channel,id,flags,dlc,data",
            "0.020,1,7E8,,\(count),\(data.joined(separator: " "))",
        ])
        #expect(found == ["7E8#\(data.joined())"])
    }

    /// Vector's format: a frame may have the name of its message, and its identifier behind its data.
    @Test(arguments: [
        (
            "ECM_Resp Rx d 8 04 41 0C 1A F8 00 00 00 Length = 0 BitCount = 0 ID = 2024",
            "7E8#04410C1AF8000000"
        ),
        ("ECM_Resp Rx d 1 AA ID = 417001744x", "18DAF110#AA"),
        ("ECM_Resp Rx d 8 04 41 0C 1A F8 00 00 00", "unreadable"),
        ("ECM_Resp Rx d 1 AA ID = 2048", "unreadable"),
    ])
    func `ASC may have names of messages`(_ frame: String, _ wanted: String) throws {
        #expect(
            try frames([
                "date Tue Nov 14 10:13:20 am 2023", "base hex  timestamps absolute",
                "0.030 1 " + frame,
            ])
                == [wanted])
        #expect(
            try frames(["base hex  timestamps absolute", "0.030 1 Statistic: D 1 R 0"]).isEmpty)
    }
}

/// The same conversation in the formats of eight programs.
///
/// It has 010C, the VIN, an identifier that no table has, a foreign frame, and 010D with 29 bits.
/// SAE J1979: 1A F8 is 1726 rpm, 64 is 100 km/h.
@Suite struct `Logs of frames` {
    private static let names = [
        "candump.log", "candump-screen.txt", "gvret.csv", "log.crtd", "log.asc", "log11.trc",
        "log21.trc", "python-can.csv",
    ]

    private func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Logs/\(name)")))
    }

    @Test(arguments: names)
    func `every form of a log gives the same values`(_ name: String) throws {
        for piece in [1, 64, .max] {
            let file = try ImportedFile(bytes: try bytes(name), piece: piece)
            #expect(
                file.values == [
                    .init("RPM", 1726, "rpm"), .init("VIN", .text("1HGCM82633A004352")),
                    .init("VSS", 100, "km/h"),
                ])
            #expect(file.vehicles == ["1HGCM82633A004352"])
            #expect(file.readings.map(\.ecu?.description) == ["7E8", "7E8", "18DAF110"])
            #expect(file.frames == FrameCount(all: 12, diagnostic: 11, undecoded: 1))
            #expect(file.skipped.count == 0)
            // The time in the file's head is local: UTC minus one hour here.
            let isLocal = name.hasSuffix("asc") || name.hasSuffix("trc")
            let expected: Int64 = 1_700_000_000_020_500 + (isLocal ? 3_600_000_000 : 0)
            let seen = try #require(file.entries.first).time.microseconds
            #expect(abs(seen - expected) <= 1000, "\(seen)")
        }
    }

    @Test(arguments: [
        // (date in the head, first block, time of the frame; seconds after 10:00:00)
        ("10:00:00.000 am 2023", "10:00:00.000 am 2023", "0.500", 0.5),
        // A program has converted the log years later.
        ("09:00:00.000 am 2026", "10:00:00.000 am 2023", "0.500", 0.5),
        // The block begins with a trigger in the middle of the measurement.
        ("10:00:00.000 am 2023", "10:05:00.000 am 2023", "300.250", 300.25),
    ])
    func `a log of Vector is dated by the line from which its times count`(
        _ row: (date: String, block: String, time: String, seconds: Double)
    ) throws {
        let file = try ImportedFile(
            """
            date Tue Nov 14 \(row.date)
            base hex  timestamps absolute
            Begin Triggerblock Tue Nov 14 \(row.block)
               \(row.time) 1  7DF  Rx   d 8 02 01 0D 00 00 00 00 00
               \(row.time) 1  7E8  Rx   d 8 03 41 0D 64 00 00 00 00
            """)
        let seen = try #require(file.entries.first).time.microseconds
        // The clock is UTC minus one hour here.
        #expect(seen == 1_699_959_600_000_000 + Int64(row.seconds * 1e6))
    }

    @Test(arguments: names)
    func `a log may be cut anywhere`(_ name: String) throws {
        let whole = try bytes(name)
        for length in stride(from: 1, to: whole.count, by: 3) {
            let part = Array(whole.prefix(length))
            guard ImportFormat(part) != nil else { continue }
            let file = try ImportedFile(bytes: part)
            #expect(file.values.count <= 3)
        }
    }

    @Test func `an answer with another identifier is accepted if it repeats its request`() throws {
        let text = """
            (1700000000.000000) can0 791#0322B00255555555
            (1700000000.010000) can0 799#0562B0021234AAAA
            (1700000000.020000) can0 79A#0562B0031234AAAA
            """
        let file = try ImportedFile(text)
        #expect(file.frames?.all == 3 && file.frames?.diagnostic == 2)
        #expect(file.values.isEmpty)
    }

    /// The ECU asks for time and then answers: three frames, at identifiers of its own and at those of OBD.
    @Test(arguments: [("775", "77D"), ("7E0", "7E8")])
    func `each frame is counted once`(request: String, answer: String) throws {
        let text = """
            (1700000000.000000) can0 \(request)#0319028F00000000
            (1700000000.010000) can0 \(answer)#037F197800000000
            (1700000000.020000) can0 \(answer)#075902FFC064882E
            """
        let count = try #require(try ImportedFile(text).frames)
        #expect(count == FrameCount(all: 3, diagnostic: 3))
        #expect(count.text == "3 of 3 frames are diagnostic")
    }

    /// A table that comes later decodes them by `db redecode`.
    @Test func `an answer that no table decodes is kept whole`() throws {
        let text = """
            (1700000000.000000) can0 7E0#0322123455555555
            (1700000000.010000) can0 7E8#056212340A0B5555
            (1700000001.000000) can0 7E0#023E005555555555
            (1700000001.010000) can0 7E8#027E005555555555
            (1700000002.000000) can0 7E0#0322123555555555
            (1700000002.010000) can0 7E8#037F223155555555
            """
        let file = try ImportedFile(text)
        let messages = file.entries.flatMap { entry -> [ECUMessage] in
            guard case .items(let items) = entry.entry else { return [] }
            return items.compactMap { if case .message(let message) = $0 { message } else { nil } }
        }
        #expect(messages.map(\.payload) == [[0x62, 0x12, 0x34, 0x0A, 0x0B]])
        #expect(messages.map { $0.ecu?.description } == ["7E8"])
        #expect(file.frames == FrameCount(all: 6, diagnostic: 6, undecoded: 1))
    }

    @Test func `counts of frames have a sentence`() {
        #expect(FrameCount(all: 2, diagnostic: 1).text == "1 of 2 frames is diagnostic")
        #expect(
            FrameCount(all: 9, diagnostic: 4, undecoded: 2).text
                == "4 of 9 frames are diagnostic; 2 answers that no table decodes are kept for "
                + "\"obdscan db redecode\"")
        #expect(FrameCount().text == "no line could be read as a frame")
    }

    @Test func `traffic that is not diagnostic is counted and gives no trip`() throws {
        let text = (0..<50).map { "(1700000000.0000\(10 + $0)) can0 1A0#0201020304050607\n" }
            .joined()
        let file = try ImportedFile(text)
        #expect(file.frames == FrameCount(all: 50, diagnostic: 0))
        #expect(file.trips == 0 && file.entries.isEmpty)
    }

    @Test func `a log with relative times needs a day`() throws {
        let text = "(000.000100)  can0  7E8   [8]  04 41 0C 1A F8 00 00 00\n"
        #expect(throws: ImportFault.self) { try ImportedFile(" " + text) }
        var source = ImportSource()
        source.start = WallClock("2026-11-21T08:00")
        let file = try ImportedFile(" " + text, from: source)
        #expect(file.entries.first?.time.text == "2026-11-21T09:00:00.000100Z")
    }

    @Test func `the user can choose one of several channels`() throws {
        var source = ImportSource()
        source.channel = "can1"
        let text = """
            (1700000000.000000) can0 7E8#04410C1AF8000000
            (1700000000.000000) can1 7E8#03410D64AAAAAAAA
            """
        #expect(try ImportedFile(text, from: source).values == [.init("VSS", 100, "km/h")])
        #expect(try ImportedFile(text).values.count == 2)
    }

    // MARK: Addresses

    /// The table of a pack is not needed: a message of service 09 shows that its answer was found.
    private func answers(_ log: String) throws -> (values: [String], count: FrameCount?) {
        let file = try ImportedFile(log)
        return (
            file.readings.map { "\($0.ecu?.description ?? "") \(file.table[$0.signal].id)" },
            file.frames
        )
    }

    /// Each pair asks for 010C, or for 22F40C, which is 010C as an identifier of UDS.
    @Test(arguments: [
        // Volkswagen, GMLAN, Ram, Volvo, General Motors: the addresses of recorded conversations.
        ("17FC007B#0322F40C00000000", "17FE007B#0562F40C1AF8AAAA", 2),
        ("00000241#0322F40C00000000", "00000641#0562F40C1AF8AAAA", 2),
        ("241#0322F40C00000000", "641#0562F40C1AF8AAAA", 2),
        ("742#0322F40C00000000", "4C2#0562F40C1AF8AAAA", 2),
        ("1DD01635#0322F40C00000000", "1EC6AE80#0562F40C1AF8AAAA", 2),
        ("14DACBF1#0322F40C00000000", "142AF1CB#0562F40C1AF8AAAA", 2),
        // An address byte before the data: BMW and Toyota.
        ("6F1#070322F40C000000", "607#F10562F40C1AF8FF", 2),
        ("750#2A0322F40C000000", "758#2A0562F40C1AF800", 2),
        // Two identifiers that no list names, with padding and two bytes that are repeated.
        ("123#0322F40C55555555", "323#0562F40C1AF8AAAA", 2),
        // CAN FD: a length of its own, and the padding of a longer frame (ISO 15765-2:2016).
        ("17FC007B##10322F40CAAAAAAAA", "17FE007B##1000862F40C1AF8F40D64AAAA", 2),
        ("6F1##1070322F40C000000", "607##1F1000862F40C1AF8F40D64AA", 2),
        // A request without padding, or an answer to another request, proves nothing.
        ("123#0322F40C01020304", "323#0562F40C1AF8AAAA", 0),
        ("123#0322F40C55555555", "323#0562F40D1AF8AAAA", 0),
        ("123#0221015555555555", "323#046101010101AAAA", 0),
    ])
    func `pairs of request and answer are found by lists, by tables and by their own data`(
        _ request: String, _ answer: String, _ frames: Int
    ) throws {
        let found = try answers(
            "(1700000000.000000) can0 \(request)\n(1700000000.010000) can0 \(answer)\n")
        #expect(found.count == FrameCount(all: 2, diagnostic: frames))
    }

    /// The request, a pending answer and the answer are three frames.
    @Test func `a request, response pending and the answer count once each`() throws {
        let found = try answers(
            """
            (1700000000.000000) can0 775#0319028F00000000
            (1700000000.010000) can0 77D#037F197800000000
            (1700000000.020000) can0 77D#075902FFC064882E

            """)
        #expect(found.count == FrameCount(all: 3, diagnostic: 3))
    }

    /// 22 F4 0C with a long answer and an address byte: consecutive frames have it, too.
    @Test func `long answers may have an address byte`() throws {
        let found = try answers(
            """
            (1700000000.000000) can0 6F1#120322F190000000
            (1700000000.010000) can0 612#F1101462F1903148
            (1700000000.020000) can0 6F1#1230000000000000
            (1700000000.030000) can0 612#F12147434D383236
            (1700000000.030000) can0 612#F122333341303034
            (1700000000.040000) can0 612#F123333532FFFFFF
            (1700000000.040000) can0 18FF1234#0102030405060708

            """)
        #expect(found.count == FrameCount(all: 7, diagnostic: 6))
    }

    /// ISO 15765-2:2016: a single frame with a length of its own, first and consecutive frames of 12 bytes.
    @Test func `frames of CAN FD are read`() throws {
        let file = try ImportedFile(
            """
            (1700000000.000000) can0 7E0##10522F40CF40DAAAA
            (1700000000.010000) can0 7E8##1000862F40C1AF8F40D64AAAA
            (1700000000.020000) can0 7E0##102090200000000
            (1700000000.030000) can0 7E8##11014490201314847434D3832
            (1700000000.040000) can0 7E8##12136333341303034333532
            """)
        #expect(
            file.values == [
                .init("RPM", 1726, "rpm"), .init("VSS", 100, "km/h"),
                .init("VIN", .text("1HGCM82633A004352")),
            ])
        #expect(file.frames == FrameCount(all: 5, diagnostic: 5))
    }

    /// SAE J1939-73: DM1 in packets, and EEC1, which is not diagnostic.
    @Test func `codes of SAE J1939 are read`() throws {
        let file = try ImportedFile(
            """
            (1700000000.000000) can0 0CF00400#FF7D7DE015FFF0FF
            (1700000000.010000) can0 18ECFF00#20120003FFCAFE00
            (1700000000.100000) can0 18EBFF00#0100FF5B0003015C
            (1700000000.200000) can0 18EBFF00#020004025D000503
            (1700000000.300000) can0 18EBFF00#035E000604FFFFFF
            """)
        #expect(file.frames == FrameCount(all: 5, diagnostic: 4))
        #expect(file.codes == ["SPN91/FMI3", "SPN92/FMI4", "SPN93/FMI5", "SPN94/FMI6"])
    }

    /// SAE J1939-71: CCVS1 is 1/256 km/h, EEC1 1/8 rpm; the speed waits for the second group.
    @Test func `known groups of SAE J1939 give readings, each second`() throws {
        let log = (0..<30).map { index in
            let time = 1_700_000_000_000 + index * 100
            let text = "(\(time / 1000).\(String(time % 1000 + 1000).dropFirst())000) can0 "
            return text
                + (index == 0
                    ? "18FEF121#FF0032FFFFFFFFFF" : "0CF00400#FFFFFF68\(index + 10)FFFFFF")
        }
        let file = try ImportedFile(log.joined(separator: "\n"))
        let numbers = file.values.filter { if case .number = $0.value { true } else { false } }
        #expect(numbers.first == .init("SPN84", 50, "km/h"))
        #expect(numbers.dropFirst().map(\.signal) == ["SPN190", "SPN190", "SPN190"])
    }

    @Test func `a table gives readings of frames that ECUs send by themselves`() throws {
        let table = """
            record CAN:1A0 1..8 : MOTOR
              signal MOTOR.Speed A unit rpm unverified : Speed
              signal MOTOR.CNT B unverified : CNT
            record FE:00F004 1..1785 : EEC1
              signal EEC1.X A unverified : X

            """
        let log = """
            (1700000000.000000) can0 1A0#0501
            (1700000000.100000) can0 1A0#0502
            (1700000001.200000) can0 1A0#0703
            (1700000001.300000) can0 14F00421#09
            (1700000001.400000) can0 7DF#02010C
            (1700000001.410000) can0 7E8#04410C1AF8000000
            (1700000001.500000) can0 1A1#0501
            """
        let file = try ImportedFile(log, own: table)
        #expect(
            file.values == [
                .init("MOTOR.Speed", 5, "rpm"), .init("MOTOR.Speed", 7, "rpm"),
                .init("EEC1.X", 9, ""), .init("RPM", 1726, "rpm"),
            ])
        #expect(file.readings.map { $0.ecu?.description } == ["1A0", "1A0", "21", "7E8"])
        #expect(file.frames == FrameCount(all: 7, diagnostic: 2, heard: 4))
        #expect(
            file.frames?.text
                == "2 of 7 frames are diagnostic, and the tables have the identifiers of 4")
    }

    /// An ECU repeats DM1 every second.
    @Test func `a list of codes that does not change is read once per minute`() throws {
        let log = (0..<70).map { "(17000000\($0 + 10).0) can0 18FECA00#04FF5E000301FFFF\n" }
        let file = try ImportedFile(log.joined())
        #expect(file.codes == ["SPN94/FMI3", "SPN94/FMI3"])
    }

    @Test func `an identifier below 600 counts as diagnostic after its first answer`() throws {
        let text = """
            (1700000000.000000) can0 742#0322F19000000000
            (1700000000.010000) can0 4C2#101462F190314847
            (1700000000.020000) can0 742#3000000000000000
            (1700000000.030000) can0 4C2#21434D3832363333
            (1700000000.040000) can0 4C2#2241303034333532
            (1700000000.050000) can0 4C3#2101020304050607

            """
        let file = try ImportedFile(text)
        #expect(file.frames == FrameCount(all: 6, diagnostic: 5))
    }

    // MARK: Tables

    /// SAE J1979: 1A F8 is 1726 rpm.
    @Test(arguments: [
        "Time,Channel,ID,Flags,DLC,Data\n0.000,1,7DF,,8,02 01 0C 00 00 00 00 00\n0.020,1,7E8,,8,04 41 0C 1A F8 00 00 00\n",
        "TimestampEpoch;BusChannel;ID;IDE;DLC;DataLength;Dir;EDL;BRS;DataBytes\n1700000000.02;1;7E8;0;8;8;0;0;0;04410C1AF8000000\n",
        "Timestamp (ms),CAN ID (hex),Len,Data\n20,0x7E8,5,0x04 0x41 0x0C 0x1A 0xF8\n",
        "Time;ID;DLC;Byte0;Byte1;Byte2;Byte3;Byte4\n0,020;7E8h;5;04;41;0C;1A;F8\n",
        "ParserFlags\tCh\tCounter\tT/R\tTime\tFlags\tCAN ID\tLen\tData\n0\t1\t7\tR\t20.0\t\t7E8\t8\t04 41 0C 1A F8 00 00 00\n",
        "timestamp,can_id,data_length,data\n2026-11-21 08:00:00.020,2024,5,\"[4, 65, 12, 26, 248, 0, 0, 0]\"\n",
        "Time,ID,Extended,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8\n0.02,7E8,false,0,8,4,41,C,1A,F8,0,0,0\n",
        "0.010,07DF,8,02,01,0C,00,00,00,00,00,R\n0.020,07E8,8,04,41,0C,1A,F8,00,00,00,R\n0.030,07DF,8,02,01,0D,00,00,00,00,00,R\n",
        "Nr;Zeit [ms];Kennung;ID;DLC;Data\n1;20,0;x;7E8;5;04 41 0C 1A F8\n",
        "Timestamp,Arbitration_ID,DLC,Data\n2026-11-21 08:00:00.020,0x7E8,8,04 41 0C 1A F8 00 00 00\n",
    ])
    func `tables of frames are recognised by their columns`(_ text: String) throws {
        var source = ImportSource()
        source.start = WallClock("2026-11-21T08:00")
        let file = try ImportedFile(text, from: source)
        #expect(file.values == [.init("RPM", 1726, "rpm")])
        let time = try #require(file.entries.first).time.text
        #expect(
            ["2026-11-21T09:00:00.020000Z", "2023-11-14T22:13:20.020000Z"].contains(time), "\(time)"
        )
    }

    /// A bus has no more than 20,000 frames per second, and a clock without a unit says nothing.
    @Test func `a table whose clock has no unit is refused`() throws {
        var source = ImportSource()
        source.start = WallClock("2026-11-21T08:00")
        let file = try ImportedFile(
            "Time,ID,DLC,Data\n20,7E8,8,04 41 0C 1A F8 00 00 00\n", from: source)
        #expect(file.values.isEmpty && file.skipped.count == 1)
        #expect(file.frames?.all == 0)
    }

    /// SavvyCAN subtracts the time since 1970 from a clock that counts from the start: only differences remain.
    @Test func `times before 1970 count from the first time`() throws {
        let file = try ImportedFile(
            """
            Time Stamp,ID,Extended,Dir,Bus,LEN,D1,D2,D3,D4,D5,D6,D7,D8
            -1725172529967471,000007DF,false,Rx,0,8,02,01,0C,00,00,00,00,00,
            -1725172529867471,000007E8,false,Rx,0,8,04,41,0C,1A,F8,00,00,00,

            """)
        #expect(file.values == [.init("RPM", 1726, "rpm")])
        #expect(file.entries.first?.time.text == "2024-09-01T06:35:30.067471Z")
    }

    @Test(arguments: [
        "id,name,data\n1,x,2\n", "time,signal,value\n", "Time,Engine ID,Speed\n1,2,3\n",
        "Time,RPM,Data\n1,2,3\n",
    ])
    func `a table without frames is not a log of frames`(_ text: String) {
        guard case .frames? = ImportFormat(Array(text.utf8)) else { return }
        Issue.record("taken for frames")
    }
}

/// Lines of python-can, of a tool for RP1210 adapters within a log, and of a sketch.
@Suite struct `Printed frames` {
    private func read(_ line: String) -> String {
        let bytes = Array(line.utf8)
        guard FrameLogForm(line: bytes[...]) == .printed else { return "no frame" }
        var reader = FrameLogReader(.printed, needsTimes: true, skipsOthers: false)
        switch reader.read(bytes[...]) {
        case .frame(let frame):
            let time = reader.shown(frame).map { "\($0) " } ?? ""
            return time + "\(frame.address.digits)#\(Hex.string(frame.data))"
        case .remote, .other: return "other"
        case .unreadable: return "unreadable"
        }
    }

    @Test(arguments: [
        (
            "Timestamp:        1.000300    ID:     01a0    S Rx                DL:  3    f0 84 77     'abc'    Channel: can0",
            "elapsed(1000300) 1A0#F08477"
        ),
        (
            "Timestamp:        1.000300    ID: 000001a0    X Tx   F BS EI      DL:  1    f0",
            "elapsed(1000300) 000001A0#F0"
        ),
        ("Timestamp: 1.0    ID: 01a0    S Rx     R    DL:  3", "other"),
        ("Timestamp: 1.0    ID: 01a0    S Rx          DL:  3    f0", "unreadable"),
        ("12:22:43.1281 0CF00400 [2] F1 9F", "timeOfDay(44563128100) 0CF00400#F19F"),
        ("INFO 12:22:43.1281 1A0 [1] F1 ok", "timeOfDay(44563128100) 1A0#F1"),
        ("820298   0x085: 7C 33", "elapsed(820298000) 085#7C33"),
        ("820298   0x18FEF100: 7C", "elapsed(820298000) 18FEF100#7C"),
        ("41 0C 1A F8", "no frame"), ("12:22 lunch [8]", "no frame"),
    ])
    func `a line that other programs print has several forms`(_ line: String, _ frame: String) {
        #expect(read(line) == frame)
    }
}
