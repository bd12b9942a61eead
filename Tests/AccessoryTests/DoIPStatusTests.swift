import Glibc
import OBDCore
import SystemIO
import Testing
import VehicleLink

@testable import Accessory

/// The entity status that a gateway is asked for over UDP while the connection is made.
@Suite struct `The longest request of a DoIP gateway` {
    /// A gateway on the loopback: a listener that accepts, and a UDP socket that answers each datagram.
    private final class Gateway: Sendable {
        let port: UInt16
        private let listener: Int32
        private let datagrams: Int32

        /// - Parameter answer: the datagram that answers every question; nil = none.
        init(_ answer: [UInt8]?) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            func bound(_ descriptor: Int32) -> Bool {
                withUnsafePointer(to: &place) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                    }
                }
            }
            try #require(bound(datagrams))
            let named = withUnsafeMutablePointer(to: &place) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(datagrams, $0, &size) == 0
                }
            }
            try #require(named && bound(listener) && listen(listener, 4) == 0)
            port = UInt16(bigEndian: place.sin_port)
            self.listener = listener
            self.datagrams = datagrams
            try SystemThread {
                var buffer = [UInt8](repeating: 0, count: 64)
                while true {
                    var sender = sockaddr_in()
                    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                    let isThere = withUnsafeMutablePointer(to: &sender) { pointer in
                        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { other in
                            guard recvfrom(datagrams, &buffer, 64, 0, other, &length) > 0 else {
                                return false
                            }
                            if let answer {
                                sendto(datagrams, answer, answer.count, 0, other, length)
                            }
                            return true
                        }
                    }
                    if !isThere { return }
                }
            }.detach()
        }

        /// Ends the thread, too.
        func end() {
            shutdown(datagrams, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    private static func status(_ longest: UInt32?) -> [UInt8] {
        DoIPMessage.entityStatus(type: 0, sockets: 1, open: 0, longest: longest).bytes(version: 2)
    }

    /// The answer, and the limit that the session has.
    @Test(
        arguments: [
            (status(64), 64), (status(UInt32.max), Int(UInt32.max)), (status(nil), nil), (nil, nil),
            (Array(status(64).dropLast()), nil), ([0x02], nil),
            (DoIPMessage.headerRefused(code: 0).bytes(version: 2), nil),
        ] as [([UInt8]?, Int?)])
    func `a gateway reports the length of its longest request before the set-up`(
        answer: [UInt8]?, longest: Int?
    ) throws {
        let gateway = try Gateway(answer)
        defer { gateway.end() }
        let transport = DoIPTransport(host: "127.0.0.1", port: gateway.port)
        guard let session = try transport.open(within: .seconds(5), cancelledBy: nil) else {
            throw CancellationError()
        }
        #expect(session.longestMessage == longest)
    }
}
