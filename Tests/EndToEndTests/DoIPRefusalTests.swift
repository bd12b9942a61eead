import Foundation
import Testing

/// The refusals of a DoIP gateway (ISO 13400-2), with the message and the exit code of each.
@Suite(.ownThreads) struct `A DoIP gateway that refuses` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// How the gateway answers, the exit code of `read`, and a part of the message.
    struct Row: Sendable, CustomTestStringConvertible {
        /// The code of its answer to the activation (0006), and the one of its refusals (8003); 00 = it is
        /// silent.
        var activation = "10"
        var refusal = "00"
        /// The code with which it refuses a header (0000): of the activation, or of requests; FF = none.
        var activationHeader = "FF"
        var requestHeader = "FF"
        /// Whether it closes the connection, and whether it answers anything.
        var manner = "answers"
        var status: Int32
        var words: String
        var testDescription: String { words }
    }

    static let rows: [Row] = [
        Row(
            activation: "00", status: 69,
            words: "does not know this tester's address (0006, code 00)"),
        Row(activation: "01", status: 69, words: "has no free connection (0006, code 01)"),
        Row(activation: "02", status: 69, words: "by another tester's address (0006, code 02)"),
        Row(activation: "03", status: 69, words: "uses this tester's address (0006, code 03)"),
        Row(
            activation: "04", status: 77,
            words: "requires the maker's authentication (0006, code 04)"),
        Row(
            activation: "05", status: 77, words: "has not confirmed the connection (0006, code 05)"),
        Row(
            activation: "06", status: 69,
            words: "does not support the usual activation (0006, code 06)"),
        Row(
            activation: "07", status: 77,
            words:
                "requires an encrypted connection (TLS), which obdscan does not have (0006, code 07)"
        ),
        Row(
            activation: "42", status: 69,
            words: "refuses diagnostics from this tester (0006, code 42)"),
        Row(refusal: "02", status: 69, words: "refuses this tester's address (8003, code 02)"),
        Row(refusal: "03", status: 69, words: "knows no ECU at that address (8003, code 03)"),
        Row(refusal: "04", status: 69, words: "refuses a request of that length (code 04)"),
        Row(refusal: "05", status: 69, words: "has no memory left for the request (code 05)"),
        Row(refusal: "06", status: 75, words: "cannot reach the ECU (8003, code 06)"),
        Row(refusal: "07", status: 69, words: "does not know the ECU's network (8003, code 07)"),
        Row(refusal: "08", status: 75, words: "and the ECU fails (8003, code 08)"),
        Row(
            activationHeader: "00", status: 69, words: "refuses obdscan's messages (0000, code 00)"),
        Row(
            activationHeader: "02", status: 69, words: "refuses obdscan's messages (0000, code 02)"),
        Row(
            activationHeader: "04", status: 69, words: "refuses obdscan's messages (0000, code 04)"),
        Row(requestHeader: "01", status: 69, words: "refused the message (0000)"),
        Row(requestHeader: "02", status: 69, words: "refuses a request of that length (code 04)"),
        Row(requestHeader: "03", status: 69, words: "has no memory left for the request (code 05)"),
        Row(manner: "closes", status: 74, words: "closed the connection"),
        Row(manner: "silent", status: 69, words: "nothing answers"),
    ]

    @Test(arguments: rows) func `a refusal is quoted and has a hint`(row: Row) async throws {
        let script = try workplace.file("gateway.py", Self.gateway)
        let gateway = try RunningProgram(
            "/usr/bin/env",
            [
                "python3", script, row.activation, row.refusal, row.activationHeader,
                row.requestHeader,
                row.manner,
            ], environment: workplace.environment)
        defer { gateway.send(SIGTERM) }
        let address = try #require(try await gateway.lines(with: "doip:", within: 30).first)
        let outcome = try await workplace.run(["read", "RPM", "--ecu", "1010", "-d", address])
        #expect(outcome.status == row.status, "\(outcome)")
        #expect(outcome.errors.contains(row.words), "\(outcome)")
        #expect(outcome.errors.contains("hint: "), "\(outcome)")
    }

    /// A gateway with one ECU, 1010, which answers only the request for its support map.
    private static let gateway = #"""
        import socket, sys
        activation, refusal, activation_header, request_header = (int(word, 16) for word in sys.argv[1:5])
        manner = sys.argv[5]
        def whole(message, kind, content):
            return message[:2] + kind.to_bytes(2, "big") + len(content).to_bytes(4, "big") + content
        def answer(message):
            kind, tester = message[2:4], message[8:10]
            header = activation_header if kind == b"\0\5" else request_header
            if header != 0xFF:
                return whole(message, 0x0000, bytes([header]))
            if kind == b"\0\5":
                return whole(message, 0x0006, tester + b"\x10\0" + bytes([activation]) + bytes(4))
            if message[12:] == b"\1\0":
                return (whole(message, 0x8002, message[10:12] + tester + b"\0")
                        + whole(message, 0x8001, b"\x10\x10" + tester + b"\x41\0\0\x10\0\0"))
            return whole(message, 0x8003, message[10:12] + tester + bytes([refusal])) if refusal else b""
        listener = socket.create_server(("127.0.0.1", 0))
        print(f"doip:127.0.0.1:{listener.getsockname()[1]}", flush=True)
        while True:
            link, data = listener.accept()[0], b""
            if manner == "closes":
                link.close()
                continue
            while part := link.recv(4096):
                data += part
                while len(data) >= 8 and len(data) >= (size := 8 + int.from_bytes(data[4:8], "big")):
                    message, data = data[:size], data[size:]
                    if manner == "answers":
                        link.sendall(answer(message))
            link.close()
        """#
}
