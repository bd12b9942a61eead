import Testing
import VehicleLink

/// Compares the bytes of ISO 13400-2 messages.
///
/// `doipclient` 1.2.2 and `doip-server` 2026.6.14 exchange these bytes for activation, request,
/// acknowledgement and answer. The others follow the standard's table in Wireshark's
/// `packet-doip.c`.
@Suite struct `DoIP messages` {
    static let vin = Array("1HGBH41JXMN109186".utf8)
    static let eid: [UInt8] = [0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC]
    static let gid: [UInt8] = [0xDE, 0xF0, 0x12, 0x34, 0x56, 0x78]
    static let entity = DoIPEntity(vin: vin, address: 0x1000, eid: eid, gid: gid, furtherAction: 0)

    /// A message with its version and its bytes.
    struct Case: Sendable {
        var message: DoIPMessage
        var version: UInt8
        var bytes: [UInt8]

        init(_ message: DoIPMessage, _ version: UInt8, _ bytes: [UInt8]) {
            self.message = message
            self.version = version
            self.bytes = bytes
        }
    }

    static let cases: [Case] = [
        Case(.headerRefused(code: 0x04), 0x02, [0x02, 0xFD, 0, 0, 0, 0, 0, 1, 0x04]),
        Case(.identificationRequest, 0xFF, [0xFF, 0x00, 0, 1, 0, 0, 0, 0]),
        Case(.identificationRequestByEID(eid), 0x02, [0x02, 0xFD, 0, 2, 0, 0, 0, 6] + eid),
        Case(.identificationRequestByVIN(vin), 0x03, [0x03, 0xFC, 0, 3, 0, 0, 0, 17] + vin),
        Case(
            .announcement(entity), 0x02,
            [0x02, 0xFD, 0, 4, 0, 0, 0, 32] + vin + [0x10, 0x00] + eid + gid + [0]),
        Case(
            .activationRequest(source: 0x0E80, type: 0), 0x02,
            [0x02, 0xFD, 0, 5, 0, 0, 0, 7, 0x0E, 0x80, 0, 0, 0, 0, 0]),
        Case(
            .activationAnswer(tester: 0x0E80, entity: 0x1000, code: 0x10), 0x02,
            [0x02, 0xFD, 0, 6, 0, 0, 0, 9, 0x0E, 0x80, 0x10, 0x00, 0x10, 0, 0, 0, 0]),
        Case(
            .activationAnswer(tester: 0x0E80, entity: 0x1000, code: 0x07, maker: [1, 2, 3, 4]),
            0x03, [0x03, 0xFC, 0, 6, 0, 0, 0, 13, 0x0E, 0x80, 0x10, 0, 7, 0, 0, 0, 0, 1, 2, 3, 4]),
        Case(.aliveCheck, 0x02, [0x02, 0xFD, 0, 7, 0, 0, 0, 0]),
        Case(.aliveAnswer(source: 0x0E80), 0x02, [0x02, 0xFD, 0, 8, 0, 0, 0, 2, 0x0E, 0x80]),
        Case(.entityStatusRequest, 0x02, [0x02, 0xFD, 0x40, 1, 0, 0, 0, 0]),
        Case(
            .entityStatus(type: 0, sockets: 5, open: 1, longest: 4_095), 0x02,
            [0x02, 0xFD, 0x40, 2, 0, 0, 0, 7, 0, 5, 1, 0, 0, 0x0F, 0xFF]),
        Case(
            .entityStatus(type: 1, sockets: 5, open: 1, longest: nil), 0x02,
            [0x02, 0xFD, 0x40, 2, 0, 0, 0, 3, 1, 5, 1]),
        Case(.powerModeRequest, 0x02, [0x02, 0xFD, 0x40, 3, 0, 0, 0, 0]),
        Case(.powerMode(1), 0x02, [0x02, 0xFD, 0x40, 4, 0, 0, 0, 1, 1]),
        Case(
            .diagnostic(source: 0x0E80, target: 0x1010, payload: [0x22, 0xF4, 0x0C]), 0x02,
            [0x02, 0xFD, 0x80, 1, 0, 0, 0, 7, 0x0E, 0x80, 0x10, 0x10, 0x22, 0xF4, 0x0C]),
        Case(
            .acknowledged(source: 0x1010, target: 0x0E80, code: 0), 0x02,
            [0x02, 0xFD, 0x80, 2, 0, 0, 0, 5, 0x10, 0x10, 0x0E, 0x80, 0]),
        Case(
            .refused(source: 0x1999, target: 0x0E80, code: 3), 0x02,
            [0x02, 0xFD, 0x80, 3, 0, 0, 0, 5, 0x19, 0x99, 0x0E, 0x80, 3]),
        Case(
            .other(type: 0xF000, content: [1, 2]), 0x02, [0x02, 0xFD, 0xF0, 0, 0, 0, 0, 2, 1, 2]),
    ]

    @Test(arguments: cases)
    func `messages have the bytes of the standard, read and written`(one: Case) {
        #expect(one.message.bytes(version: one.version) == one.bytes)
        #expect(DoIPMessage(datagram: one.bytes) == one.message)
        #expect(DoIPHead(one.bytes[..<8])?.version == one.version)
    }

    @Test func `any split of a stream gives the same messages`() {
        let bytes = Self.cases.flatMap(\.bytes)
        let tokens = Self.cases.map { DoIPLexer.Token.message($0.message, version: $0.version) }
        for size in 1...bytes.count {
            var lexer = DoIPLexer()
            var found: [DoIPLexer.Token] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                lexer.receive(Array(bytes[start..<min(start + size, bytes.count)]), &found)
            }
            #expect(found == tokens)
        }
        for split in 0...bytes.count {
            var lexer = DoIPLexer()
            var found: [DoIPLexer.Token] = []
            lexer.receive(Array(bytes[..<split]), &found)
            lexer.receive(Array(bytes[split...]), &found)
            #expect(found == tokens)
        }
    }

    /// Types of messages, and lengths that are not valid for them.
    @Test(arguments: [
        (0x0000, 0), (0x0000, 2), (0x0001, 1), (0x0002, 5), (0x0003, 16), (0x0004, 31),
        (0x0004, 34), (0x0005, 6), (0x0005, 8), (0x0006, 8), (0x0006, 10), (0x0007, 1), (0x0008, 1),
        (0x4001, 1), (0x4002, 5), (0x4003, 1), (0x4004, 0), (0x8001, 4), (0x8001, 0), (0x8002, 4),
        (0x8003, 4),
    ])
    func `a message with a wrong length is ignored, and the next one is read`(type: Int, count: Int)
    {
        let head: [UInt8] = [0x02, 0xFD, UInt8(type >> 8), UInt8(type & 0xFF), 0, 0, 0]
        let bytes = head + [UInt8(count)] + [UInt8](repeating: 0, count: count)
        #expect(DoIPMessage(datagram: bytes) == nil)
        var lexer = DoIPLexer()
        var found: [DoIPLexer.Token] = []
        lexer.receive(bytes + DoIPMessage.aliveCheck.bytes(version: 2), &found)
        #expect(found == [.malformed(type: UInt16(type)), .message(.aliveCheck, version: 2)])
    }

    /// A wrong inverse version, the banner of an ELM327, lengths that are not valid for any
    /// message.
    @Test(
        arguments: [
            [0x02, 0xFC, 0x00, 0x07, 0, 0, 0, 0], Array("ELM327 v1.5\r\r>".utf8),
            [0x02, 0xFD, 0x80, 0x01, 0x00, 0x02, 0x00, 0x01],
            [0x02, 0xFD, 0x80, 0x01, 255, 255, 255, 255],
        ] as [[UInt8]])
    func `messages end where bytes are not a header`(bytes: [UInt8]) {
        var lexer = DoIPLexer()
        var found: [DoIPLexer.Token] = []
        lexer.receive(bytes + DoIPMessage.aliveCheck.bytes(version: 2), &found)
        #expect(found == [.outOfStep])
    }

    @Test func `a datagram has exactly one whole message`() {
        let bytes = DoIPMessage.aliveCheck.bytes(version: 2)
        #expect(DoIPMessage(datagram: bytes + [0]) == nil)
        #expect(DoIPMessage(datagram: Array(bytes.dropLast())) == nil)
        #expect(DoIPMessage(datagram: []) == nil)
    }
}
