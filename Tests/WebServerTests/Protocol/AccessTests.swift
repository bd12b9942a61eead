import Testing

@testable import WebServer

/// Which requests are answered.
@Suite struct `Access` {
    private static let word = "0123456789abcdef0123456789abcdef"

    private func verdict(
        _ fields: String, target: String = "/api/trips", method: String = "GET",
        isLoopback: Bool = true, hasToken: Bool = false
    ) throws -> AccessRules.Verdict {
        var reader = RequestReader()
        let text = "\(method) \(target) HTTP/1.1\r\n\(fields)\r\n\r\n"
        let head = try #require(try reader.take(Array(text.utf8)))
        return AccessRules(
            isLoopback: isLoopback, names: ["car.local"],
            token: hasToken ? AccessToken(Self.word) : nil, cookie: "obdscan-8327",
            commands: [["api", "begin"]]
        ).verdict(head)
    }

    // The port may be the other end of a tunnel.
    @Test(arguments: [
        ("localhost", true), ("LOCALHOST:8327", true), ("127.0.0.1:9000", true),
        ("127.8.8.8", true), ("[::1]:8327", true), ("car.local:8327", true),
        ("car.local.:8327", true), ("evil.example", false), ("evil.example:8327", false),
        ("192.168.1.5:8327", false), ("[fe80::1]", false), ("localhost.evil.example", false),
        ("127.0.0.1.evil.example", false), ("127.0.0.1@evil.example", false), ("", false),
        ("localhost:99999", false), ("localhost:80x", false), ("[::1", false), ("a b", false),
    ])
    func `on the loopback only names of the loopback are allowed`(host: String, isAllowed: Bool)
        throws
    {
        let expected: AccessRules.Verdict = isAllowed ? .allowed : .foreignHost
        #expect(try verdict("Host: \(host)") == expected)
    }

    @Test(arguments: [
        ("192.168.1.5:8327", true), ("[fe80::1]:8327", true), ("localhost", true),
        ("car.local", true), ("evil.example:8327", false), ("999.1.1.1", false),
        ("1.2.3.4.5", false),
    ])
    func `outside the loopback, addresses are allowed and foreign names are refused`(
        host: String, isAllowed: Bool
    ) throws {
        let expected: AccessRules.Verdict = isAllowed ? .allowed : .foreignHost
        #expect(try verdict("Host: \(host)", isLoopback: false) == expected)
    }

    @Test(arguments: [
        ("http://localhost:8327", true), ("https://localhost:8327", true),
        ("http://localhost", false), ("http://127.0.0.1:8327", false),
        ("http://evil.example", false), ("null", false), ("file://", false), ("", false),
        ("http://localhost:8327.evil.example", false),
        ("http://localhost:8327@evil.example", false),
    ])
    func `a page of another origin is refused`(origin: String, isAllowed: Bool) throws {
        let expected: AccessRules.Verdict = isAllowed ? .allowed : .foreignOrigin
        #expect(try verdict("Host: localhost:8327\r\nOrigin: \(origin)") == expected)
    }

    @Test func `pictures and frames on other sites are refused, links to the page work`() throws {
        let host = "Host: localhost:8327\r\n"
        #expect(try verdict(host + "Sec-Fetch-Site: same-origin") == .allowed)
        #expect(try verdict(host + "Sec-Fetch-Site: none") == .allowed)
        for site in ["cross-site", "same-site", "whatever"] {
            #expect(try verdict(host + "Sec-Fetch-Site: \(site)") == .foreignOrigin)
            let link = host + "Sec-Fetch-Site: \(site)\r\nSec-Fetch-Mode: navigate\r\n"
            #expect(try verdict(link + "Sec-Fetch-Dest: document", target: "/") == .allowed)
            #expect(try verdict(link + "Sec-Fetch-Dest: document") == .foreignOrigin)
            #expect(try verdict(link + "Sec-Fetch-Dest: iframe", target: "/") == .foreignOrigin)
        }
        // A request with two fields of the same name is refused as malformed.
        for twice in [
            "Origin: http://localhost:8327\r\nOrigin: http://evil.example",
            "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Site: same-origin",
        ] {
            #expect(throws: RequestRefusal.malformed) { try verdict(host + twice) }
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get", "head"])
    func `only GET and HEAD are answered`(method: String) throws {
        #expect(try verdict("Host: localhost", method: method) == .otherMethod)
        #expect(try verdict("Host: localhost", method: "HEAD") == .allowed)
        // A foreign host does not learn which methods are allowed.
        #expect(try verdict("Host: evil.example", method: method) == .foreignHost)
    }

    /// What changes something is not done for a page of another site, nor for an old browser that does not
    /// say which page sends.
    @Test(arguments: [
        ("Origin: http://localhost:8327", AccessRules.Verdict.allowed),
        ("Sec-Fetch-Site: same-origin", .allowed), ("X: y", .originMissing),
        ("Sec-Fetch-Site: none", .originMissing), ("Origin: http://evil.example", .foreignOrigin),
        ("Origin: null", .foreignOrigin), ("Sec-Fetch-Site: cross-site", .foreignOrigin),
        (
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document",
            .foreignOrigin
        ),
    ])
    func `a request that changes something comes from our page`(
        fields: String, expected: AccessRules.Verdict
    ) throws {
        let host = "Host: localhost:8327\r\n"
        let verdict = { (fields: String, hasToken: Bool) in
            try self.verdict(
                host + fields, target: "/api/begin", method: "POST", hasToken: hasToken)
        }
        #expect(try verdict(fields, false) == expected)
        // The cookie is sent by every page of this machine; the field only by a program.
        let cookie = fields + "\r\nCookie: obdscan-8327=\(Self.word)"
        #expect(try verdict(cookie, true) == expected)
        let field = fields + "\r\nAuthorization: Bearer \(Self.word)"
        #expect(try verdict(field, true) == (expected == .originMissing ? .allowed : expected))
        #expect(
            try verdict(fields, true) == (expected == .foreignOrigin ? expected : .tokenMissing))
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "post"] {
            let said = try self.verdict(
                host + "Origin: http://localhost:8327", target: "/api/begin", method: method)
            #expect(said == .otherMethod)
        }
    }

    @Test func `a token comes in a field, a cookie, or the page's own address`() throws {
        let host = "Host: localhost\r\n"
        let cases: [(fields: String, target: String, expected: AccessRules.Verdict)] = [
            ("X: y", "/api/trips", .tokenMissing),
            ("Authorization: Bearer \(Self.word)", "/api/trips", .allowed),
            ("Authorization: bearer \(Self.word)", "/api/trips", .allowed),
            ("Authorization: Basic \(Self.word)", "/api/trips", .tokenMissing),
            ("Authorization: Bearer \(Self.word)0", "/api/trips", .tokenWrong),
            ("Authorization: Bearer", "/api/trips", .tokenMissing),
            ("Cookie: a=b; obdscan-8327=\(Self.word)", "/api/trips", .allowed),
            ("Cookie: obdscan-9999=\(Self.word)", "/api/trips", .tokenMissing),
            ("Cookie: obdscan-8327=", "/api/trips", .tokenMissing),
            ("Cookie: obdscan-8327=x", "/api/trips", .tokenWrong),
            ("X: y", "/?token=\(Self.word)", .allowed),
            ("X: y", "/?token=x", .tokenWrong),
            // At other addresses the token would get into logs and histories.
            ("X: y", "/api/trips?token=\(Self.word)", .tokenMissing),
        ]
        for one in cases {
            let said = try verdict(host + one.fields, target: one.target, hasToken: true)
            #expect(said == one.expected, "\(one)")
        }
        #expect(
            try verdict("Host: evil.example\r\nAuthorization: Bearer \(Self.word)", hasToken: true)
                == .foreignHost)
    }

    @Test func `a token equals only itself and is not printed`() throws {
        let token = try #require(AccessToken(Self.word))
        #expect(token.matches(Self.word))
        for other in [
            "", "0", Self.word + Self.word, String(Self.word.dropLast()), Self.word + "0",
        ] {
            #expect(!token.matches(other))
        }
        for place in 0..<Self.word.utf8.count {
            var bytes = Array(Self.word.utf8)
            bytes[place] ^= 1
            #expect(!token.matches(String(decoding: bytes, as: UTF8.self)))
        }
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(!text.contains("0123"))
        }
        for bad in ["short", String(repeating: "a", count: 257), Self.word + ";", Self.word + "é"] {
            #expect(AccessToken(bad) == nil)
        }
        #expect(AccessToken(random: [0, 255, 16, 1]).word == "00ff1001")
    }
}
