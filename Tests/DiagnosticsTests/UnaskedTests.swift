import Diagnostics
import OBDCore
import Testing

/// An answer to something that was not requested is damaged, or belongs to another request.
@Suite struct `An answer that was not requested` {
    @Test(
        arguments: [
            ("010C", "410C1AF8", false), ("010C", "410D32", true), ("010C", "41F11234", true),
            ("01F1", "41F11234", false), ("010C0D", "410D320C1AF8", false),
            ("010C", "410C1AF80D32", true), ("010C0D", "410C1A0D32", false),
            // A short answer, another service and a refusal are reported in other ways.
            ("010C", "410C1A", false), ("010C", "430133", false), ("010C", "7F0112", false),
            ("020C00", "420C001AF8", false), ("020C00", "420C011AF8", true),
            ("22F40C", "62F40C1AF8", false), ("22F40C", "62F40D32", true),
            ("22D001", "62D00101F4", false),
            ("0902", "490401", true), ("0902", "490201", false), ("0601", "460201", true),
            ("1902FF", "590AFF", true), ("1902FF", "5902FF", false), ("2101", "610200", true),
            ("03", "430133", false),
            // These are not answers to any request: the digits 4, 1 and 0 were lost before a
            // reading.
            ("010C0D", "10C0C320D00A", true), ("010C0D", "40C1790D3000", true),
            ("03", "0133", true), ("010C", "BF3FA813", true), ("2101", "C10100", false),
            ("00FECA", "0000FF", false),
        ])
    func `an answer that was not requested is recognised`(
        request: String, answer: String, isUnasked: Bool
    ) throws {
        let decoder = ResponseDecoder(table: TestTable.pids, monitors: TestTable.monitors)
        let message = ECUMessage(ecu: nil, payload: try #require(Hex.bytes(answer)))
        let exchange = Exchange(request: Hex.bytes(request), family: .can)
        #expect(decoder.isUnasked(message, in: exchange) == isUnasked)
        #expect(!decoder.isUnasked(message, in: Exchange(family: .can)))
    }
}
