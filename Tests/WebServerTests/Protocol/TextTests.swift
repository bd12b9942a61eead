import OBDCore
import Testing

@testable import WebServer

/// The bytes of an answer.
@Suite struct `Answers on the wire` {
    private let made = UTC(microseconds: 784_111_777_000_000)

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `a head forbids caching, framing and sniffing, and cannot be split`() {
        var head = ResponseHead(.ok, "text/plain")
        head.fields = [("X-Name", "a\r\nSet-Cookie: b\u{0}é")]
        let text = text(head.bytes(.length(3), date: made))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"))
        #expect(text.contains("\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
        #expect(text.hasSuffix("\r\nContent-Length: 3\r\nX-Name: aSet-Cookie: b\r\n\r\n"))
        for field in [
            "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin",
        ] {
            #expect(text.contains("\r\n\(field)\r\n"))
        }
        let chunked = self.text(head.bytes(.chunked, date: made))
        #expect(chunked.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(!self.text(head.bytes(.untilClose, date: made)).contains("Length"))
    }

    /// The first is the example of RFC 9110, 5.6.7.
    ///
    /// The others are from GNU `date -uR`.
    @Test(arguments: [
        ("1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("1970-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        ("2024-02-29T23:59:59.999Z", "Thu, 29 Feb 2024 23:59:59 GMT"),
        ("9999-12-31T12:00:00Z", "Fri, 31 Dec 9999 12:00:00 GMT"),
    ])
    func `dates have the form of HTTP`(time: String, text: String) throws {
        #expect(DateText.text(try #require(UTC(time))) == text)
    }

    @Test func `chunks have a hexadecimal length, and no chunk is empty`() {
        #expect(text(Chunk.bytes(Array(repeating: 0x61, count: 26))).hasPrefix("1a\r\naaa"))
        #expect(Chunk.bytes([]).isEmpty)
        #expect(text(Chunk.end) == "0\r\n\r\n")
    }

    @Test func `no line of data in a stream starts another event`() {
        var bytes: [UInt8] = []
        EventText.append(retryAfter: 2000, to: &bytes)
        EventText.append("reading", Array("{\"a\":1}\n".utf8), to: &bytes)
        EventText.append("reading", Array("a\n\nevent: b\rdata: c".utf8), to: &bytes)
        #expect(
            text(bytes) == """
                retry: 2000

                event: reading
                data: {"a":1}

                event: reading
                data: a
                data: \("")
                data: event: b
                data: data: c


                """)
    }

    /// The description of the format: prometheus.io/docs/instrumenting/exposition_formats.
    @Test func `labels and values are escaped for Prometheus`() {
        var metrics = MetricsText()
        metrics.family("obdscan_reading", .gauge, "A value.")
        metrics.sample(
            "obdscan_reading", [("name", "a\"b\\c\nd\u{1B}"), ("unit", "°C")], -40)
        metrics.sample("obdscan_reading", .nan)
        metrics.sample("obdscan_reading", -.infinity)
        #expect(
            text(metrics.bytes) == """
                # HELP obdscan_reading A value.
                # TYPE obdscan_reading gauge
                obdscan_reading{name="a\\"b\\\\c\\nd\u{FFFD}",unit="°C"} -40.0
                obdscan_reading NaN
                obdscan_reading -Inf

                """)
    }
}

/// Finds the user who owns a connection.
///
/// The lines have the form of `/proc/net/tcp` (proc(5)).
@Suite struct `Owners of sockets` {
    private let list = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:2087 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 51 1 0 100 0 0 10 0
           1: 0100007F:D2F0 0100007F:2087 01 00000000:00000000 00:00000000 00000000  1001        0 52 2 0 20 4 0 10 -1
           2: 0100007F:2087 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000  1000        0 53 1 0 20 4 0 10 -1
           3: 0100007F:D2F2 0100007F:2087 06 00000000:00000000 03:00000F00 00000000     0        0 0 3 0
           4: 0100007F:D2F4 0100007F:2087 01 00000000:00000000 00:00000000 00000000     0        0 0 3 0
           5: 0100007F:D2F8 0100007F:2087 05 00000000:00000000 00:00000000 00000000  1002        0 54 3 0
           6: 0100007F:D2FA 0100007F:2087 05 00000000:00000000 00:00000000 00000000     0        0 0 3 0
           7: 0100007F:D2FC 0100007F:2087 08 00000000:00000000 00:00000000 00000000  1003        0 55 3 0
        """

    private func user(_ port: UInt16) -> UInt32? {
        SocketOwners.user(
            of: .init(words: [0x0100_007F], port: port),
            to: .init(words: [0x0100_007F], port: 0x2087), in: list)
    }

    @Test func `the client's end of a connection decides its owner`() {
        #expect(user(0xD2F0) == 1001)
    }

    @Test func `a client that sends no more and waits for the answer still has an owner`() {
        #expect(user(0xD2F8) == 1002)
        #expect(user(0xD2FA) == nil)
        #expect(user(0xD2FC) == nil)
    }

    @Test func `a closed, ownerless or unknown connection has no owner`() {
        #expect(user(0xD2F2) == nil)
        #expect(user(0xD2F4) == nil)
        #expect(user(0xD2F6) == nil)
        #expect(
            SocketOwners.user(
                of: .init(words: [0], port: 0), to: .init(words: [0], port: 0), in: "") == nil)
    }

    @Test func `an IPv6 address in the kernel's table has four words`() {
        let place = SocketOwners.Place(words: [0, 0, 0, 0x0100_0000], port: 8327)
        #expect(place.text == "00000000000000000000000001000000:2087")
        #expect(place.mapped == place)
        let mapped = SocketOwners.Place(words: [0x0100_007F], port: 8327).mapped
        #expect(mapped.text == "0000000000000000FFFF00000100007F:2087")
    }
}
