import Accessory
import Glibc
import OBDCore
import SystemIO
import Testing
import VehicleLink

@testable import LocalLinks
@testable import Simulator

@Suite struct `A host to serve on` {
    /// The typed text, the usual port, and the resulting address.
    @Test(
        arguments: [
            ("35000", nil, "127.0.0.1:35000"), ("0", nil, "127.0.0.1:0"),
            ("192.168.1.5:35000", nil, "192.168.1.5:35000"), ("0.0.0.0:0", nil, "0.0.0.0:0"),
            ("[::1]:35000", nil, "[::1]:35000"), ("192.168.1.5", 13_400, "192.168.1.5:13400"),
            ("[::1]", 13_400, "[::1]:13400"), ("13401", 13_400, "127.0.0.1:13401"),
        ] as [(String, UInt16?, String)])
    func `a host is a port, an address, or both`(text: String, port: UInt16?, meaning: String) {
        #expect(ServedHost(text, port: port)?.text == meaning)
    }

    @Test(arguments: [
        "", "65536", "-1", "192.168.1.5", "host:1", "::1:1", "[::1]1", "[::1", "1.2.3:1",
        "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:65536",
    ])
    func `text that is neither a port nor an address is not a host`(text: String) {
        #expect(ServedHost(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true, false), ("127.1.2.3", true, false), ("::1", true, false),
        ("192.168.1.5", false, false), ("0.0.0.0", false, true), ("::", false, true),
    ])
    func `an address shows who can reach it`(address: String, isLoopback: Bool, isWildcard: Bool) {
        let host = ServedHost(address: address, port: 1)
        #expect(host.isLoopback == isLoopback)
        #expect(host.isWildcard == isWildcard)
    }

    @Test func `an address of another machine is refused with a remedy`() {
        // The network for documentation (RFC 5737), which no machine has.
        let host = ServedHost(address: "192.0.2.1", port: 35_000)
        #expect(throws: LocalLinkFault.port(host, errno: EADDRNOTAVAIL)) {
            _ = try ListeningSocket.tcp(host)
        }
        let words = LocalLinkFault.port(host, errno: EADDRNOTAVAIL).words
        #expect(words.explanation.message.hasPrefix("192.0.2.1:35000: "))
        #expect(words.explanation.hint?.contains("ip address") == true)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `a request by UDP gets the vehicle's identity`(address: String) throws {
        let gateway = try SimulatedDoIPGateway(
            SimulatorOptions("petrol?vin=WXXBD2DA8MX000077"), at: .zero)
        let socket = try ListeningSocket.tcp(ServedHost(address: address, port: 0), scheme: "doip")
        let served = socket.host
        let host = try #require(served)
        let answerer = try DoIPAnswerer(host) { gateway.answer(toDatagram: $0) }
        let found = DoIPSearch.ask(host: address, port: host.port)
        #expect(found.map(\.title) == ["DoIP gateway 1000, VIN WXXBD2DA8MX000077"])
        let text = socket.address
        #expect(found.first?.address.description == text)
        #expect(
            found.first?.facts.map { "\($0.title): \($0.text)" } == [
                "DoIP version: 2", "EID: 0200000BD001", "GID: 0200000BD001",
                "Testers: 0 of 1 connected", "Longest message: 4095 bytes",
                "Power mode: ready for diagnostics",
            ])
        _ = consume answerer
        _ = consume socket
    }

    @Test func `a host without an answer is not a gateway`() throws {
        let socket = try ListeningSocket.tcp(ServedHost(port: 0))
        let served = socket.host
        let port = try #require(served?.port)
        #expect(DoIPSearch.ask(host: "127.0.0.1", port: port) == [])
        _ = consume socket
    }
}

@Suite struct `A served name` {
    /// The typed text, and the name; nil where it does not fit into an advertisement.
    @Test(
        arguments: [
            ("OBDBLE", "OBDBLE"), ("Öl ÄÖÜ", "Öl ÄÖÜ"), ("", nil), ("a\u{1B}b", nil),
            ("12345678901234567890", "12345678901234567890"), ("123456789012345678901", nil),
        ] as [(String, String?)])
    func `the name of an adapter has up to twenty bytes`(text: String, name: String?) {
        #expect(ServedName(argument: text)?.name == name)
    }

    @Test(
        arguments: [
            ("192.168.1.5", "192.168.1.5:13400"), ("13401", "127.0.0.1:13401"), ("host", nil),
        ] as [(String, String?)])
    func `a gateway has the port of the standard`(text: String, meaning: String?) {
        #expect(ServedGateway(argument: text)?.description == meaning)
    }
}
