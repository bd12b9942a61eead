import Testing

@testable import WebServer

/// The form of a request by RFC 9112 and RFC 3986.
@Suite struct `Requests` {
    private func head(_ text: String) throws -> RequestHead? {
        var reader = RequestReader()
        return try reader.take(Array(text.utf8))
    }

    @Test func `method, path, query and fields are read`() throws {
        let head = try #require(
            try head(
                "GET /api/trips/12?format=csv&name=a%20b+c&x HTTP/1.1\r\nHost: localhost:8327\r\n"
                    + "X-Thing:\t one two \r\n\r\n"))
        #expect(head.method == "GET")
        #expect(head.path == ["api", "trips", "12"])
        #expect(head.query.map(\.name) == ["format", "name", "x"])
        #expect(head.queryValue("name") == "a b c")
        #expect(head.queryValue("x") == "")
        #expect(head.value("x-thing") == "one two")
        #expect(!head.isOld)
        #expect(!head.hasBody)
    }

    /// One reader may use the first of two fields, and another the last.
    @Test(arguments: RequestHead.single)
    func `a header field about the client may occur only once`(name: String) throws {
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        #expect(try head(start + "\(name): same-origin\r\n\r\n") != nil)
        for second in ["same-origin", "cross-site", ""] {
            let twice = "\(name): same-origin\r\nX: y\r\n\(name.uppercased()): \(second)\r\n\r\n"
            #expect(throws: RequestRefusal.malformed) { try head(start + twice) }
        }
    }

    @Test func `every split gives the same request`() throws {
        let bytes = Array(
            "GET /?a=%C3%A9 HTTP/1.0\r\nHost: [::1]:1\r\nCookie: a=b\r\n\r\nrest".utf8)
        var whole = RequestReader()
        let expected = try whole.take(bytes)
        #expect(expected?.queryValue("a") == "é")
        #expect(expected?.isOld == true)
        for cut in 0...bytes.count {
            var reader = RequestReader()
            let first = try reader.take(bytes[..<cut])
            #expect(try first ?? reader.take(bytes[cut...]) == expected)
        }
        // Empty pieces change nothing.
        var patient = RequestReader()
        for byte in bytes.dropLast(4 + 4) {
            let piece = try patient.take([byte])
            let nothing = try patient.take([UInt8]())
            #expect(piece == nil && nothing == nil)
        }
        var single = RequestReader()
        var found: RequestHead?
        for byte in bytes where found == nil { found = try single.take([byte]) }
        #expect(found == expected)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n",  // no host
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\r\nHost: a\r\n\r\n",
        "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http:/a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /é HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%2 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%GG HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%0a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%FF HTTP/1.1\r\nHost: a\r\n\r\n",  // not UTF-8
        "GET /%C0%AF HTTP/1.1\r\nHost: a\r\n\r\n",  // an overlong slash
        "GET /../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /api/./x HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%2e%2e/x HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a%2Fb HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a%5Cb HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n",
        "\u{16}\u{3}\u{1}\r\n\r\n",  // TLS
    ])
    func `requests that no browser sends are refused`(text: String) {
        #expect(throws: RequestRefusal.malformed) { try head(text) }
    }

    @Test func `another version has its own error`() {
        #expect(throws: RequestRefusal.version) {
            try head("GET / HTTP/2.0\r\nHost: a\r\n\r\n")
        }
    }

    @Test func `the length of a head is limited`() throws {
        let long = "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 20_000)
        #expect(throws: RequestRefusal.tooLong) { try head(long) }
        var reader = RequestReader()
        var refusal: RequestRefusal?
        for byte in long.utf8 where refusal == nil {
            do throws(RequestRefusal) { _ = try reader.take([byte]) } catch { refusal = error }
        }
        #expect(refusal == .tooLong)
        let many = String(repeating: "a: b\r\n", count: 101)
        #expect(throws: RequestRefusal.tooLong) {
            try head("GET / HTTP/1.1\r\nHost: a\r\n\(many)\r\n")
        }
    }

    @Test(arguments: ["Content-Length: 3", "Transfer-Encoding: chunked"])
    func `a request with a body is noticed`(field: String) throws {
        #expect(try head("POST / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")?.hasBody == true)
    }
}
