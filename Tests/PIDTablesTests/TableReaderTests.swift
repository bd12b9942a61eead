import Diagnostics
import OBDCore
import PIDTables
import Testing

@Suite struct TableReaderTests {
    /// Loads a user's file on top of the embedded table.
    private func load(_ text: String) throws(TableError) -> PIDTable {
        try PIDTables.load([TableFile(path: "own.pids", contents: Array(text.utf8))])
    }

    private func signals(_ text: String) throws -> [Signal] {
        let table = try load("record 22:1234 1..99 : R\n" + text)
        let record = try #require(table.record(DataID(.readData, 0x1234)))
        return record.signals.map { table[SignalIndex(rawValue: $0)] }
    }

    private func fault(_ text: String) -> (line: Int, fault: TableError.Fault)? {
        do throws(TableError) {
            _ = try load(text)
            return nil
        } catch {
            #expect(error.file == "own.pids")
            return (error.line, error.fault)
        }
    }

    @Test(arguments: [
        ("0.12345678901234567", 0.12345678901234567),
        ("1234567890123456789", 1.234567890123456789e18),
        ("-0.000000000000000000123", -1.23e-19), ("1e3", 1_000), ("-2.5E-2", -0.025),
        ("6.02214076e+23", 6.02214076e23), ("0e99", 0), ("0.1", 0.1), ("000000000000000001.5", 1.5),
    ])
    func `A number may have any number of digits and an exponent`(
        text: String, expected: Double
    ) throws {
        let offset = try #require(try signals("signal X A offset \(text) : X").first).offset
        #expect(offset == expected)
        let scaled = try #require(try signals("signal X A scale \(text)/1e1 : X").first)
        #expect(scaled.multiplier == expected)
        #expect(scaled.divisor == 10)
    }

    @Test func `A record with all of its options is read`() throws {
        let table = try load(
            """
            # a comment

            record 22:1E1C 2..4 : Transmission
              header 7E1
              reply 7E9
              source : a workshop manual
              unverified : tried on one car
              note : only with the engine running
              signal FLAG A.7 flag : Fitted
              signal TFT B..C signed scale 5/8 offset -40 unit °C if FLAG none 8000 : Fluid temperature
                alias Fluid-Temp tft
              signal GEAR D.7..D.4 enum if FLAG=1 : Gear
                01 : first
                0F : reverse
              example 80 0140 10 TFT=160 GEAR=1 : the manual
            """)
        let record = try #require(table.record(DataID(.readData, 0x1E1C), from: ECUAddress("7E9")))
        #expect(record.name == "Transmission")
        #expect(record.length == 2...4)
        #expect(record.target == ECUAddress("7E1"))
        #expect(record.responder == ECUAddress("7E9"))
        let signals = record.signals.map { table[SignalIndex(rawValue: $0)] }
        let first = SignalIndex(rawValue: record.signals.lowerBound)
        #expect(signals.map(\.id) == ["FLAG", "TFT", "GEAR"])
        #expect(signals[0].kind == .flag)
        #expect(signals[1].name == "Fluid temperature")
        #expect(signals[1].bitOffset == 8)
        #expect(signals[1].bitLength == 16)
        #expect(signals[1].isSigned)
        #expect(signals[1].multiplier == 5)
        #expect(signals[1].divisor == 8)
        #expect(signals[1].offset == -40)
        #expect(signals[1].unit == "°C")
        #expect(signals[1].supportFlag == first)
        #expect(signals.map(\.isSupportFlag) == [true, false, false])
        #expect(signals[1].notAvailable == [.init(pattern: 0x8000)])
        #expect(signals[1].aliases == ["fluid-temp", "tft"])
        #expect(signals[2].condition == .init(signal: first, ranges: [1...1]))
        #expect(signals[2].labels.map(\.code) == [1, 15])
        #expect(signals[2].labels.map(\.label) == ["first", "reverse"])
    }

    @Test(arguments: [
        ("A", 0, 8), ("B", 8, 8), ("A..B", 0, 16), ("B..E", 8, 32), ("A.7", 0, 1), ("A.0", 7, 1),
        ("C.3..C.0", 20, 4), ("A.3..B.0", 4, 12), ("Z", 200, 8), ("AA", 208, 8),
        ("AB..AC", 216, 16),
        ("12+4", 12, 4),
    ])
    func `Bits are numbered with the most significant first`(text: String, offset: Int, length: Int)
        throws
    {
        let signal = try #require(try signals("signal X \(text) : X").first)
        #expect(signal.bitOffset == offset)
        #expect(signal.bitLength == length)
    }

    // SAE J1939 counts bytes and bits from 1: its byte 4 bits 3-4 are D.2..D.3 here.
    @Test(arguments: [
        ("D..E", 24, 16), ("A..D", 0, 32), ("D.2..D.3", 26, 2), ("A.4..B.3", 4, 8), ("26+2", 26, 2),
    ])
    func `Bits are numbered with the least significant first`(
        text: String, offset: Int, length: Int
    ) throws {
        let signal = try #require(try signals("signal X \(text) little : X").first)
        #expect(signal.isLittleEndian)
        #expect(signal.bitOffset == offset)
        #expect(signal.bitLength == length)
    }

    @Test(arguments: [
        ("", 1.0, 1.0, 0.0), ("scale 4", 4, 1, 0), ("scale 1/4", 1, 4, 0),
        ("scale 0.079", 0.079, 1, 0), ("scale 100/255 offset -100", 100, 255, -100),
        ("offset 0.5", 1, 1, 0.5), ("scale -1/2", -1, 2, 0), ("offset -273.15", 1, 1, -273.15),
    ])
    func `Factors and offsets are read`(
        text: String, multiplier: Double, divisor: Double, offset: Double
    ) throws {
        let signal = try #require(try signals("signal X A \(text) : X").first)
        #expect(signal.multiplier == multiplier)
        #expect(signal.divisor == divisor)
        #expect(signal.offset == offset)
    }

    @Test(arguments: [
        ("flag", Signal.Kind.flag), ("enum", .enumeration), ("code", .code), ("map", .supportMap),
        ("text", .text), ("bytes", .bytes), ("number", .number), ("", .number),
    ])
    func `A keyword gives the kind of a signal`(word: String, kind: Signal.Kind) throws {
        #expect(try signals("signal X A \(word) : X").first?.kind == kind)
    }

    @Test func `Line ends, blanks and tabs do not matter`() throws {
        let texts = [
            "signal X A unit V : X", "\t signal  X\tA  unit V  :  X  \r",
            "signal X A unit V : X\r\n",
        ]
        for text in texts {
            #expect(try signals(text) == signals(texts[0]))
        }
    }

    @Test func `Options may follow on later lines, in any order`() throws {
        #expect(
            try signals("signal X B unit V scale 1/2 none FF if F : X\nsignal F A.0 flag : F")
                == signals(
                    "signal X B : X\n none FF\n unit V\n if F\n scale 1/2\nsignal F A.0 flag : F"))
    }

    @Test func `Evidence, even wrong evidence, does not change decoding`() throws {
        let plain = try signals("signal X A : X")
        #expect(try signals("signal X A : X\nexample nonsense\nnote\nsource : s") == plain)
    }

    @Test(arguments: [
        ("recrod 22:1 1 : X", 1, TableError.Fault.unknownWord("recrod")),
        ("record", 1, .missing("the identifier")),
        ("record 22:1E1C", 1, .missing("the length")),
        ("record 22:1E1C 2", 1, .missing("the text after ` : `")),
        ("record 22:1E1C 2 :", 1, .missing("the text after ` : `")),
        ("record 22-1E1C 2 : X", 1, .malformed("22-1E1C", wanted: "an identifier like 01:0C")),
        ("record 122:1E1C 2 : X", 1, .malformed("122:1E1C", wanted: "an identifier like 01:0C")),
        ("record 22:1E1C two : X", 1, .malformed("two", wanted: "a length in bytes")),
        ("record 22:1E1C 4..2 : X", 1, .malformed("4..2", wanted: "a length in bytes")),
        ("record 22:1E1C 2 bytes : X", 1, .unexpected("bytes", after: "2")),
        ("record 22:1E1C 2 : X", 1, .empty(DataID(.readData, 0x1E1C))),
        ("\n\nsignal X A : X", 3, .outside("signal")),
        ("unit V", 1, .outside("unit")),
        ("alias x", 1, .outside("alias")),
        (
            "record 22:1 1 : R\nheader 7G0", 2,
            .malformed("7G0", wanted: "an ECU's address like 7E0")
        ),
        ("record 22:1 1 : R\nvehicle", 2, .missing("the vehicle's number")),
        (
            "record 22:1 1 : R\nvehicle WVWQ*", 2,
            .malformed("WVWQ*", wanted: "a VIN or its beginning and *")
        ),
        ("piece 0..1", 1, .outside("piece")),
        ("point 0 1", 1, .outside("point")),
        ("record 04:00 1 : R\nsignal X A : X", 1, .writes(DataID(Service(0x04), 0))),
        // SAE J1939-73: the requests DM11 and DM3 clear codes.
        (
            "record FE:00FED3 1..8 : R\nsignal X A : X", 1,
            .writes(DataID(DataID.parameterGroups, 0xFED3))
        ),
        (
            "record FE:00FECC 1..8 : R\nsignal X A : X", 1,
            .writes(DataID(DataID.parameterGroups, 0xFECC))
        ),
        (
            "record CAN:800 1 : R\nsignal X A : X", 1,
            .malformed("CAN:800", wanted: "an identifier like 01:0C")
        ),
        (
            "record CAN:1A0 1 : R\nsignal X A if Y=1 : X\nsignal Y A shared if X=1 : Y", 1,
            .circle(signal: "X")
        ),
        ("record 10:01 1 : R\nsignal X A : X", 1, .writes(DataID(Service(0x10), 1))),
        (
            "\nrecord 22:1 1 : R\nheader 0A5\nsignal X A : X", 2,
            .address(DataID(.readData, 1), ECUAddress(0x0A5, .can11))
        ),
        // Requests to all ECUs, and flow control to 0A5 or 000.
        (
            "record 22:1 1 : R\nreply 0AD\nsignal X A : X", 1,
            .reply(DataID(.readData, 1), ECUAddress(0x0AD, .can11))
        ),
        (
            "reply 008\n\nrecord 22:1 1 : R\nsignal X A : X", 3,
            .reply(DataID(.readData, 1), ECUAddress(0x008, .can11))
        ),
        (
            "header 7E0/01\nrecord 22:1 1 : R\nsignal X A : X", 2,
            .address(DataID(.readData, 1), ECUAddress(0x7E0, .can11, extended: 0x01))
        ),
        ("record 2E:F190 1 : R\nsignal X A : X", 1, .writes(DataID(Service(0x2E), 0xF190))),
        ("record 31:01 1 : R\nsignal X A : X", 1, .writes(DataID(Service(0x31), 1))),
        ("record 22:1 3 : R\nsignal X A..C float : X", 2, .encoding(signal: "X")),
        ("record 22:1 3 : R\nsignal X A.7..A.2 bcd : X", 2, .encoding(signal: "X")),
        ("record 22:1 3 : R\nsignal X A bcd signed : X", 2, .encoding(signal: "X")),
        ("record 22:1 1 : R\nsignal X A over Z : X", 2, .unknownSignal("Z")),
        (
            "record 22:1 1 : R\nsignal X A : X\npiece 0..1 unit V", 3,
            .unexpected("unit", after: "piece")
        ),
        ("record 22:1 1 : R\nsignal", 2, .missing("the signal's id")),
        ("record 22:1 1 : R\nsignal X A", 2, .missing("the text after ` : `")),
        ("record 22:1 1 : R\nsignal X : X", 2, .missing("the signal's bits")),
        (
            "record 01:0C 2 : R\nsignal X A..BUUUUUUUUUUUUUUUUUUUUUUUU : X", 2,
            .malformed(
                "A..BUUUUUUUUUUUUUUUUUUUUUUUU", wanted: "bits like A, A..B, A.7 or A.7..A.4")
        ),
        (
            "record 22:1 1 : R\nsignal X 1 : X", 2,
            .malformed("1", wanted: "bits like A, A..B, A.7 or A.7..A.4")
        ),
        (
            "record 22:1 1 : R\nsignal X A.8 : X", 2,
            .malformed("A.8", wanted: "bits like A, A..B, A.7 or A.7..A.4")
        ),
        (
            "record 22:1 1 : R\nsignal X A.0..A.7 : X", 2,
            .malformed("A.0..A.7", wanted: "bits in the order of the signal")
        ),
        (
            "record 22:1 1 : R\nsignal X A.7..A.0 little : X", 2,
            .malformed("A.7..A.0", wanted: "bits in the order of the signal")
        ),
        (
            "record 22:1 1 : R\nsignal X A..B : X", 2,
            .beyondRecord(signal: "X", needed: 2, length: 1)
        ),
        ("record 22:1 9 : R\nsignal X A..I : X", 2, .width(signal: "X", bits: 72)),
        ("record 22:1 9 : R\nsignal X 4+0 : X", 2, .width(signal: "X", bits: 0)),
        ("record 22:1 9 : R\nsignal X A.3..A.0 bytes : X", 2, .width(signal: "X", bits: 4)),
        ("record 22:1 1 : R\nsignal X A scale : X", 2, .missing("the factor")),
        ("record 22:1 1 : R\nsignal X A scale 1/0 : X", 2, .malformed("1/0", wanted: "a factor")),
        (
            "record 22:1 1 : R\nsignal X A scale x : X", 2,
            .malformed("x", wanted: "a decimal number")
        ),
        (
            "record 22:1 1 : R\nsignal X A scale 1e : X", 2,
            .malformed("1e", wanted: "a decimal number")
        ),
        (
            "record 22:1 1 : R\nsignal X A scale 1e61 : X", 2,
            .malformed("1e61", wanted: "a decimal number")
        ),
        (
            "record 22:1 1 : R\nsignal X A scale 1e-61 : X", 2,
            .malformed("1e-61", wanted: "a decimal number")
        ),
        (
            "record 22:1 1 : R\nsignal X A scale 1e-99999999999999999999 : X", 2,
            .malformed("1e-99999999999999999999", wanted: "a decimal number")
        ),
        (
            "record 22:1 1 : R\nsignal X A offset 0x1p3 : X", 2,
            .malformed("0x1p3", wanted: "a decimal number")
        ),
        (
            "record 22:1 1 : R\nsignal X A offset -inf : X", 2,
            .malformed("-inf", wanted: "a decimal number")
        ),
        (
            "record 22:1 1 : R\nsignal X A offset 12345678901234.5.6 : X", 2,
            .malformed("12345678901234.5.6", wanted: "a decimal number")
        ),
        (
            "record 22:1 1 : R\nsignal X A none XY : X", 2,
            .malformed("XY", wanted: "hexadecimal raw bits like FF or FE..FF")
        ),
        (
            "record 22:1 1 : R\nsignal X A none FF..FE : X", 2,
            .malformed("FF..FE", wanted: "hexadecimal raw bits like FF or FE..FF")
        ),
        ("record 22:1 1 : R\nsignal X A if NO : X", 2, .unknownSignal("NO")),
        ("record 22:1 1 : R\nsignal X A bogus : X", 2, .unexpected("bogus", after: "A")),
        (
            "record 22:1 1 : R\nsignal X A : X\nsigned", 3,
            .unexpected("signed", after: "the line's begin")
        ),
        ("record 22:1 1 : R\nsignal X A : X\nalias", 3, .missing("the alias")),
        ("record 22:1 1 : R\nsignal X A : X\n01 : one", 3, .unknownWord("01")),
        ("record 22:1 1 : R\nsignal X A enum : X\n01", 3, .missing("the text after ` : `")),
        ("record 22:1 1 : R\nsignal X A enum : X\n01 02 : one", 3, .unexpected("02", after: "01")),
    ])
    func `Every fault names its line and what is wrong`(
        text: String, line: Int, expected: TableError.Fault
    ) {
        let found = fault(text)
        #expect(found?.line == line)
        #expect(found?.fault == expected)
        #expect(
            found.map { TableError(file: "f", line: $0.line, $0.fault).reason.isEmpty } == false)
    }

    @Test func `Text that is not UTF-8 is refused`() {
        let bytes =
            Array("record 22:1 1 : R\nsignal X A unit ".utf8) + [0xB0, 0x43] + Array(" : X".utf8)
        #expect(throws: TableError(file: "f", line: 2, .notUTF8)) {
            try PIDTables.load([TableFile(path: "f", contents: bytes)])
        }
    }

    @Test func `No text crashes the reader`() {
        // Every prefix of a text with all kinds of lines, and the text with every single byte
        // changed.
        let text = Array(
            """
            record 22:1E1C 2..4 : T
              header 7E1
              signal F A.7 flag : F
              signal X B..C little signed scale 5/8 offset -40 if F=1..2 none 80..FF : X
                alias x
              signal E D.7..D.4 enum : E
                0F : r
              example 80014010 X=1.5 E=0F : s
            """.utf8)
        for end in text.indices {
            _ = PIDTables.lint([TableFile(path: "f", contents: Array(text[..<end]))])
            var changed = text
            for byte: UInt8 in [0x20, 0x3A, 0x2E, 0x2F, 0x3D, 0xFF, 0x39] {
                changed[end] = byte
                _ = PIDTables.lint([TableFile(path: "f", contents: changed)])
            }
        }
    }

    @Test func `A user's record replaces the embedded one, and the other records stay`() throws {
        let table = try load("record 01:0C 2 : Mine\n signal REV A..B unit 1/min : Revolutions")
        let record = try #require(table.record(DataID(.currentData, 0x0C)))
        #expect(record.name == "Mine")
        #expect(record.signals.map { table[SignalIndex(rawValue: $0)].id } == ["REV"])
        #expect(table.records.filter { $0.dataID == record.dataID }.count == 1)
        #expect(table.record(DataID(.currentData, 0x0D))?.name == "Vehicle speed")
        #expect(try table.records.count == PIDTables.standard().records.count)
    }

    @Test func `The same identifier may have different meanings for different ECUs`() throws {
        let table = try load(
            """
            record 22:2000 1 : Engine's
              reply 7E8
              signal A1 A : A1
            record 22:2000 1 : Gearbox's
              reply 7E9
              signal B1 A : B1
            record 22:2000 1 : Anybody's
              signal C1 A : C1
            record 22:2001 1 : Only the engine's
              reply 7E8
              signal D1 A : D1
            """)
        let id = DataID(.readData, 0x2000)
        #expect(table.record(id, from: ECUAddress("7E8"))?.name == "Engine's")
        #expect(table.record(id, from: ECUAddress("7E9"))?.name == "Gearbox's")
        #expect(table.record(id, from: ECUAddress("7EA"))?.name == "Anybody's")
        #expect(table.record(id)?.name == "Anybody's")
        let own = DataID(.readData, 0x2001)
        #expect(table.record(own, from: ECUAddress("7E9")) == nil)
        #expect(table.record(own)?.name == "Only the engine's")
    }
}
