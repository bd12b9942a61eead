import Diagnostics
import OBDCore
import Testing

@Suite struct `The neighbours of an unknown code` {
    private let texts = CodeTexts([
        .bytes(
            Array(
                """
                P0101\tAir meter: signal too low
                P0103\tAir meter: signal too high
                P010A\tO2 sensor: circuit fault
                P01FF\tLast of its block
                P1103\tA maker's

                """.utf8))
    ])

    @Test(
        arguments: [
            ("P0102", "in the group of P0101 to P0103: air meter"),
            ("P0105", "between P0103 (air meter) and P010A (O2 sensor)"),
            ("P010C", "near P010A: O2 sensor"),
            ("P0100", "near P0101: air meter"),
            ("P01FA", "near P01FF: last of its block"),
            ("P0112", "near P010A: O2 sensor"),
            ("P0113", nil),
            // Another block, a code that has a text, a manufacturer's code.
            ("P0200", nil), ("P0101", nil), ("P0101-11", nil), ("P1102", nil),
        ] as [(String, String?)])
    func `the topic of an unknown code comes from its neighbours`(name: String, sentence: String?)
        throws
    {
        let code = try #require(DTC(name))
        #expect(texts.neighbours(of: code)?.sentence == sentence)
    }

    @Test func `a mark in the third column means that only one list has the code`() throws {
        let texts = CodeTexts([.bytes(Array("P0101\tSure\nP0102\tLess sure\t1\n".utf8))])
        let sure = try #require(DTC("P0101"))
        let lessSure = try #require(DTC("P0102-11"))
        #expect(texts.text(of: lessSure) == "Less sure")
        #expect(texts.isFromOneList(lessSure))
        #expect(!texts.isFromOneList(sure))
        #expect(!texts.isFromOneList(DTC(0x0103)))
    }
}
