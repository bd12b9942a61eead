import Diagnostics
import Testing

@testable import TableImport

@Suite struct ExpressionTests {
    private func expression(
        _ text: String, _ dialect: ExpressionReader.Dialect = .torque
    ) throws -> Expression {
        try ExpressionReader.read(text, as: dialect).expression
    }

    // An equation, its data, and its value, calculated by hand.
    @Test(arguments: [
        ("A", [0x12], 18.0), ("A*256+B", [0x01, 0x02], 258), ("(A<8)+B", [0x01, 0x02], 258),
        ("(a<24)+(b<16)+(c<8)+d", [0x01, 0x02, 0x03, 0x04], 16_909_060),
        ("INT16(A:B)-40000", [0x9C, 0x41], 1), ("Int16(b:a)", [0x02, 0x01], 258),
        ("SIGNED(A)*256+B", [0xFF, 0xFE], -2), ("{A:3}", [0x08], 1), ("{A:3}", [0xF7], 0),
        ("BIT(A:0)", [0x01], 1), ("A&15", [0x9C], 12), ("(A>>4)&3", [0x9C], 1),
        ("(A>4)", [0x9C], 9), ("A-40", [0x00], -40), ("-A/2+3", [0x04], 1),
        ("A + B/256 - 40", [0x50, 0x80], 40.5), ("64*A + 0.25*B", [0x0C, 0x04], 769),
        ("A%16", [0x9C], 12), ("INT(A/16)", [0x9C], 9), ("2^3*A", [0x02], 16),
        ("LOOKUP(A:0:1=5:2~4=7)", [0x03], 7), ("LOOKUP(A:0:1=5:2~4=7)", [0x09], 0),
        ("LOOKUP(A:value:255=0)", [0x09], 9), ("AA", [UInt8](repeating: 0, count: 26) + [7], 7),
        ("!{A:7}", [0x80], 0),
    ])
    func `An equation has the value that a person calculates`(
        text: String, data: [UInt8], wanted: Double
    ) throws {
        let read = try expression(text)
        #expect(read.value(in: data) == .number(wanted))
        let signal = try RowReading.signal(read)
        switch signal.value(in: data) {
        case .number(let value): #expect(value == wanted)
        case .flag(let flag): #expect(flag == (wanted == 1))
        default: Issue.record("no number")
        }
    }

    /// Forms of equations in lists of the three programs.
    ///
    /// Each becomes a row, and the row agrees with the equation on 10,000 inputs.
    @Test(
        arguments: [
            ("A*0.5-40", .torque), ("A*100/255", .torque), ("SIGNED(A)/2", .torque),
            ("(A*256+B)/10", .torque), ("A*2.56+B*0.01", .torque), ("((A<8)+B)*0.1", .torque),
            ("(SIGNED(A)*256+B)/16", .torque), ("INT16(B:A)", .torque),
            ("SIGNED16(INT16(B:A))/10", .torque), ("INT32(A:B:C:D)/1000", .torque),
            ("{C:5}", .torque), ("A&15", .torque), ("(A>>4)&3", .torque), ("(A&15)*0.1", .torque),
            ("{A:7}*2+{A:6}", .torque), ("(A&3)*256+B", .torque), ("!{A:2}", .torque),
            ("LOOKUP(A::1='FL':2='FR')", .torque), ("LOOKUP(A:0:1=5:2~4=7)", .torque),
            ("LOOKUP(A:value:255=-1)", .torque), ("LOOKUP(A&7:'?':0='off':1='on')", .torque),
            ("(A-48)*100+(B-48)*10+(C-48)", .torque), ("{A:2}&&{A:3}", .torque),
            ("ABS(A)", .torque),
            ("B4", .wican), ("S4", .wican), ("[B4:B5]*0.1", .wican), ("[S4:S5]/10", .wican),
            ("B5:3", .wican), ("(B4<<8)|B5", .wican), ("65536-[B5:B6]", .wican),
            ("B4 & 0x0F", .wican), ("[B4:B7]/3600", .wican),
            ("A==3", .abrp), ("A>2&&A<7", .abrp), ("Int16(A,B)/10", .abrp),
            ("((Signed(A)<<8)+B)*0.1", .abrp), ("!{A:3}", .abrp),
        ] as [(String, ExpressionReader.Dialect)])
    func `An equation and its row agree on 10,000 inputs`(
        text: String, dialect: ExpressionReader.Dialect
    ) throws {
        let read = try expression(text, dialect)
        let signal = try RowReading.signal(read)
        #expect(RowReading.agrees(signal, read, rounds: 10_000))
    }

    @Test func `A row that differs is found`() throws {
        let read = try expression("A*256+B")
        var signal = try RowReading.signal(read)
        signal.isLittleEndian = true
        #expect(!RowReading.agrees(signal, read))
        signal.isLittleEndian = false
        signal.isSigned = true
        #expect(!RowReading.agrees(signal, read))
    }

    @Test(
        arguments: [
            ("A*2.55+B*0.01", .torque, .nearlyRight), ("A+B*0.0039-40", .torque, .nearlyRight),
            ("A*B", .torque, .notLinear), ("A+C", .torque, .scattered),
            ("A*256+C", .torque, .scattered),
            ("SIGNED(A*256+B)", .torque, .ambiguousSign), ("5", .torque, .constant),
            ("val{Speed}*2", .torque, .refersToOthers), ("[0C]/4", .torque, .refersToOthers),
            ("TAVG(5:A)", .torque, .hasMemory("TAVG")), ("SQRT(A)", .torque, .function("SQRT")),
            ("((0<8)+p)/10", .torque, .zeroForLetter), ("A+", .torque, .broken("its end")),
            ("(A*256", .torque, .broken("")), ("A B", .torque, .broken("B")),
            ("MAX(A:B)", .torque, .function("MAX")), ("A/0", .torque, .constant),
            ("[S1:S3]", .wican, .ambiguousSign), ("V*2", .wican, .refersToOthers),
            ("A<<32+B", .abrp, .notLinear), ("", .torque, .malformed("the equation")),
        ] as [(String, ExpressionReader.Dialect, RowFault)])
    func `An equation that no row can express is refused with the reason`(
        text: String, dialect: ExpressionReader.Dialect, wanted: RowFault
    ) {
        #expect(throws: wanted) {
            try RowReading.signal(ExpressionReader.read(text, as: dialect).expression)
        }
        #expect(!wanted.reason.isEmpty)
    }

    @Test(arguments: [
        ("(SIGNED(A)*256))+B", [0xFF, 0xFE], -2.0), ("{A:1} -1 * -1}", [0x02], 2),
    ])
    func `One extra closing bracket is ignored`(
        text: String, data: [UInt8], wanted: Double
    ) throws {
        let read = try ExpressionReader.read(text, as: .torque)
        #expect(read.isMended)
        #expect(read.expression.value(in: data) == .number(wanted))
    }

    @Test func `Deep and long equations end`() {
        for text in [
            String(repeating: "(", count: 1_900), String(repeating: "-", count: 1_900) + "A",
            String(repeating: "!", count: 1_000), String(repeating: "A+", count: 1_500),
        ] {
            #expect(throws: RowFault.self) {
                try RowReading.signal(ExpressionReader.read(text, as: .torque).expression)
            }
        }
    }
}
