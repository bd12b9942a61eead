import OBDCore
import Testing

@Suite struct `Matching a message with a request` {
    /// A request, a message, and how the message relates to the request.
    struct Row: CustomTestStringConvertible, Sendable {
        enum Relation: Sendable { case positive, refusal, foreign }

        var request: String
        var message: String
        var relation: Relation

        init(_ request: String, _ message: String, _ relation: Relation) {
            self.request = request
            self.message = message
            self.relation = relation
        }

        var testDescription: String { "\(request) → \(message)" }
    }

    // SAE J1979, ISO 14229-1, ISO 14230-3: an answer has the service with bit 6 set, then the bytes
    // that selected the data.
    @Test(arguments: [
        Row("010C", "410C1AF8", .positive), Row("010C", "410D32", .foreign),
        Row("010C0D", "410D32", .positive), Row("0100", "4100BE3EB811", .positive),
        Row("010C", "7F0112", .refusal), Row("010C", "7F0312", .foreign),
        Row("010C", "7F", .foreign), Row("010C", "010C", .foreign), Row("010C", "", .foreign),
        Row("03", "4300", .positive), Row("03", "43", .positive), Row("03", "4700", .foreign),
        Row("03", "4100BE3EB811", .foreign), Row("03", "7F0378", .refusal),
        Row("07", "4700", .positive), Row("07", "4300", .foreign), Row("0A", "4A00", .positive),
        Row("04", "44", .positive), Row("04", "54", .foreign), Row("14FFFF33", "54", .positive),
        Row("020C00", "420C001AF8", .positive), Row("020C00", "420D0032", .foreign),
        Row("0601", "4601810A000000000000", .positive), Row("0605", "460080000001", .foreign),
        Row("0902", "490201", .positive), Row("0902", "490401", .foreign),
        Row("1902FF", "5902FF", .positive), Row("1902FF", "590A", .foreign),
        Row("194233", "594233FF", .positive), Row("194233", "5942FEFF", .foreign),
        Row("1800FF00", "5800", .positive), Row("1A90", "5A90", .positive),
        Row("1A90", "5A91", .foreign), Row("2101", "6101FF", .positive),
        Row("2101", "6102FF", .foreign), Row("22F40C", "62F40C1AF8", .positive),
        Row("22F40C", "62F40D32", .foreign), Row("22F40CF40D", "62F40D32", .positive),
        Row("3E00", "7E00", .positive), Row("1003", "5003", .positive),
    ])
    func `an answer is recognised by its service and the bytes after the service`(_ row: Row) throws
    {
        let request = try #require(Hex.bytes(row.request))
        let message = ECUMessage(ecu: nil, payload: try #require(Hex.bytes(row.message)))
        #expect(message.answers(request) == (row.relation != .foreign))
        #expect(message.isPositiveAnswer(to: request) == (row.relation == .positive))
    }

    /// SAE J1939-21: the answer is the parameter group, or an acknowledgement (E800) with the
    /// group's number.
    @Test(
        arguments: [
            (0xFECA, "00FF00000000", true, true), (0xFECB, "00FF00000000", false, false),
            (0xE800, "01FFFFFFFFCAFE00", true, false), (0xE800, "01FFFFFFFFCBFE00", false, false),
            (0xE800, "01", true, false),
        ] as [(UInt32, String, Bool, Bool)])
    func `the parameter group decides whether a message is an answer`(
        group: UInt32, data: String, isAnswer: Bool, isPositive: Bool
    ) throws {
        let message = ECUMessage(
            ecu: nil, payload: try #require(Hex.bytes(data)), parameterGroup: group)
        #expect(message.answers([0x00, 0xFE, 0xCA]) == isAnswer)
        #expect(message.isPositiveAnswer(to: [0x00, 0xFE, 0xCA]) == isPositive)
        #expect(!message.answers([0x03]))
        // Without headers the group is unknown.
        #expect(ECUMessage(ecu: nil, payload: message.payload).answers([0x00, 0xFE, 0xCA]))
    }
}
