import Glibc
import OBDCore
import Synchronization
import SystemIO
import Testing

@testable import WebServer

/// A handler whose answers depend on the path.
private struct Echo: WebHandler {
    struct Fault: Error {}

    func answer(_ request: WebRequest, _ response: WebResponse) throws {
        switch request.head.path.first {
        case "whole":
            try response.send(ResponseHead(.ok, "text/plain"), Array("whole".utf8))
        case "pieces":
            try response.begin(ResponseHead(.ok, "text/plain"))
            for piece in ["one ", "two ", "", "three"] { try response.append(Array(piece.utf8)) }
            try response.end()
        case "broken":
            try response.begin(ResponseHead(.ok, "text/plain"))
            try response.append(Array("half".utf8))
            throw Fault()
        case "wait":
            try response.begin(ResponseHead(.ok, "text/plain"))
            try response.append(Array("waiting".utf8))
            _ = try response.wait(for: nil, until: nil)
        case "much":
            try response.begin(ResponseHead(.ok, "text/plain"))
            let piece = [UInt8](repeating: 0x61, count: 64 * 1024)
            for _ in 0..<4096 { try response.append(piece) }
            try response.end()
        case "user":
            try response.send(
                ResponseHead(.ok, "text/plain"),
                Array((request.user.map { "\($0)" } ?? "nobody").utf8))
        default: throw Fault()
        }
    }

    /// The users who may connect; nil = all.
    var users: Set<UInt32>?

    func admits(_ user: UInt32?) -> Bool {
        guard let users else { return true }
        return user.map { users.contains($0) } ?? false
    }

    func refuse(_ status: ResponseHead.Status) -> (head: ResponseHead, body: [UInt8]) {
        (ResponseHead(status, "text/plain"), Array("refused".utf8))
    }
}

/// Tests the server over real sockets.
@Suite(.serialized) struct `A server` {
    private func server(
        users: Set<UInt32>? = nil, _ change: (inout WebServer.Limits) -> Void = { _ in }
    ) throws -> (server: WebServer, port: UInt16) {
        var limits = WebServer.Limits()
        change(&limits)
        let listener = try WebListener(try #require(ListenAddress("127.0.0.1:0")))
        return (try WebServer(listener, limits: limits, handler: Echo(users: users)), listener.port)
    }

    private func answer(_ port: UInt16, _ target: String) throws -> String {
        let browser = try Browser(port: port)
        browser.ask(target)
        return try browser.rest()
    }

    @Test func `answers arrive whole, in pieces, or visibly broken off`() throws {
        let (server, port) = try server()
        defer { server.stop() }
        #expect(try answer(port, "/whole").hasSuffix("Content-Length: 5\r\n\r\nwhole"))
        #expect(
            try answer(port, "/pieces").hasSuffix(
                "chunked\r\n\r\n4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n"))
        #expect(try answer(port, "/broken").hasSuffix("4\r\nhalf\r\n"))
        #expect(try answer(port, "/fault").hasPrefix("HTTP/1.1 500 "))
        let old = try Browser(port: port)
        old.send("GET /pieces HTTP/1.0\r\nHost: a\r\n\r\n")
        #expect(try old.rest().hasSuffix("\r\n\r\none two three"))
    }

    @Test(arguments: ["/whole", "/pieces", "/much", "/fault"])
    func `a HEAD request gets only the head of the answer`(target: String) throws {
        let (server, port) = try server()
        defer { server.stop() }
        let browser = try Browser(port: port)
        browser.send("HEAD \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        let head = try browser.rest()
        #expect(head.hasSuffix("\r\n\r\n"))
        #expect(head.ranges(of: "\r\n\r\n").count == 1)
        #expect(head.hasPrefix(target == "/fault" ? "HTTP/1.1 500 " : "HTTP/1.1 200 "))
        #expect(target != "/whole" || head.contains("Content-Length: 5\r\n"))
    }

    @Test func `the user of a connection on this machine is known`() throws {
        let (server, port) = try server()
        defer { server.stop() }
        #expect(try answer(port, "/user").hasSuffix("\r\n\r\n\(getuid())"))
        let patient = try Browser(port: port)
        patient.ask("/user")
        patient.shut()
        #expect(try patient.rest().hasSuffix("\r\n\r\n\(getuid())"))
        // The machine may have no IPv6.
        guard let mapped = try? Browser(mappedPort: port) else { return }
        mapped.ask("/user")
        #expect(try mapped.rest().hasSuffix("\r\n\r\n\(getuid())"))
    }

    @Test func `a refused user uses no connection`() throws {
        let (server, port) = try server(users: [getuid() &+ 1]) { $0.connections = 1 }
        defer { server.stop() }
        // These browsers send nothing, and the server does not wait for their requests.
        let silent = try (0..<70).map { _ in try Browser(port: port) }
        for browser in silent {
            #expect(try browser.rest(within: 5).hasPrefix("HTTP/1.1 403 "))
        }
    }

    /// The server does not look up the user of these loopback addresses, so they act as other hosts.
    @Test func `other users leave connections for the user who runs the server`() throws {
        let everywhere = try WebListener(try #require(ListenAddress("0.0.0.0:0")))
        var limits = WebServer.Limits()
        (limits.connections, limits.othersConnections, limits.sameConnections) = (4, 3, 2)
        let far = try WebServer(everywhere, limits: limits, handler: Echo())
        defer { far.stop() }
        let slow = try (0..<2).map { _ in try Browser(port: everywhere.port) }
        for browser in slow { browser.send("GET /whole HTTP/1.1\r\n") }
        #expect(try answer(everywhere.port, "/whole").hasPrefix("HTTP/1.1 503 "))
        let (near, port) = try server {
            ($0.connections, $0.othersConnections, $0.sameConnections) = (4, 0, 0)
        }
        defer { near.stop() }
        #expect(try answer(port, "/whole").hasSuffix("whole"))
    }

    @Test func `bytes that are not a request are refused with an answer`() throws {
        let (server, port) = try server()
        defer { server.stop() }
        let cases = [
            ("GET /../x HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
            ("GET / HTTP/3.0\r\nHost: a\r\n\r\n", "505"),
            ("GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 100_000), "431"),
        ]
        for (text, status) in cases {
            let browser = try Browser(port: port)
            browser.send(text)
            #expect(try browser.rest().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test func `a client that sends nothing or half a request is disconnected`() throws {
        let (server, port) = try server { $0.requestTime = .milliseconds(300) }
        defer { server.stop() }
        let silent = try Browser(port: port)
        let slow = try Browser(port: port)
        slow.send("GET /whole HTTP/1.1\r\n")
        #expect(try silent.rest(within: 5).isEmpty)
        #expect(try slow.rest(within: 5).hasPrefix("HTTP/1.1 408 "))
    }

    @Test func `a client that does not read its answer is disconnected, too`() throws {
        let (server, port) = try server {
            $0.patience = .milliseconds(300)
            $0.connections = 1
        }
        defer { server.stop() }
        let idle = try Browser(port: port, smallBuffer: true)
        idle.ask("/much")
        #expect(try isFree(port))
        let taken = try idle.rest()
        #expect(taken.utf8.count < 64 * 1024 * 4096)
        #expect(!taken.hasSuffix("0\r\n\r\n"))
    }

    /// Whether the server answers within ten seconds.
    private func isFree(_ port: UInt16) throws -> Bool {
        let deadline = SystemClock.now() + .seconds(10)
        while SystemClock.now() < deadline {
            if try answer(port, "/whole").hasSuffix("whole") { return true }
        }
        return false
    }

    @Test func `a client above the limit is refused and can connect later`() throws {
        let (server, port) = try server { $0.connections = 2 }
        defer { server.stop() }
        let first = try Browser(port: port)
        first.ask("/wait")
        _ = try first.read { $0.contains("waiting") }
        var second: Browser? = try Browser(port: port)
        second?.ask("/wait")
        _ = try second?.read { $0.contains("waiting") }
        #expect(try answer(port, "/whole").hasPrefix("HTTP/1.1 503 "))
        second = nil
        #expect(try isFree(port))
    }

    @Test func `stopping ends waiting answers at once`() throws {
        let (server, port) = try server()
        let browser = try Browser(port: port)
        browser.ask("/wait")
        _ = try browser.read { $0.contains("waiting") }
        let start = SystemClock.now()
        server.stop()
        #expect(SystemClock.now() - start < .seconds(3))
        #expect(try browser.rest(within: 5).isEmpty)
    }

    @Test func `a port that is in use is an error with its number`() throws {
        let listener = try WebListener(try #require(ListenAddress("127.0.0.1:0")))
        let again = try #require(ListenAddress("127.0.0.1:\(listener.port)"))
        #expect(throws: SystemError(call: "bind", errno: EADDRINUSE)) { try WebListener(again) }
    }
}

/// The addresses at which the server can listen.
@Suite struct `Addresses to listen at` {
    @Test(arguments: [
        ("127.0.0.1:8327", true, false), ("127.9.9.9:1", true, false),
        ("localhost:0", true, false), ("[::1]:8327", true, false), ("0.0.0.0:80", false, true),
        ("[::]:80", false, true), ("192.168.0.1:8327", false, false),
        ("[::ffff:127.0.0.1]:80", false, false),
    ])
    func `an address is the loopback, all interfaces, or one`(
        text: String, isLoopback: Bool, isAny: Bool
    ) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.isLoopback == isLoopback)
        #expect(address.isAny == isAny)
        #expect(ListenAddress(address.text) == address)
    }

    @Test(arguments: [
        "", ":80", "8327", "localhost", "example.org:80", "127.0.0.1:", "127.0.0.1:65536",
        "::1:80", "[127.0.0.1]:80", "[::1]", "127.1:80", "127.0.0.1:-1", "[::1%eth0]:80",
    ])
    func `text that is not an address to listen at is refused`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
