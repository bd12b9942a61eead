import CSystem
import Foundation
import Testing

/// Hosts that send a request to `simulate --tcp` in several segments, with Nagle's algorithm on.
@Suite(.ownThreads) struct `A host on TCP` {
    private let workplace: Workplace

    init() throws { workplace = try Workplace() }

    /// Each segment but the first waits for the acknowledgement of the one before.
    ///
    /// A delayed acknowledgement takes at least 40 ms.
    @Test(arguments: [1, 2, 3])
    func `a request in several segments is answered as fast as in one`(
        segments: Int
    ) async throws {
        let server = try workplace.start(["simulate", "--tcp", "0", "--latency", "0"])
        let address = try #require(await server.lines(with: "tcp:").first)
        let port = try #require(
            address.split(separator: ":").last.flatMap { UInt16($0.filter(\.isNumber)) })
        let median = try await onThread { try Self.median(port, segments) }
        #expect(median < 30_000_000, "\(median) ns")
        server.send(SIGTERM)
        _ = try await server.finish()
    }

    private static func median(_ port: UInt16, _ segments: Int) throws -> Int64 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try #require(sys_connect(socket, &place, UInt32(MemoryLayout<sockaddr_in>.size)) == 0)
        func ask(_ line: String, _ segments: Int) throws {
            let bytes = Array((line + "\r").utf8)
            let piece = (bytes.count + segments - 1) / segments
            for start in stride(from: 0, to: bytes.count, by: piece) {
                let part = Array(bytes[start..<min(start + piece, bytes.count)])
                try #require(send(socket, part, part.count, Int32(MSG_NOSIGNAL)) == part.count)
            }
            var answer: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while answer.last != 0x3E {
                var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                try #require(sys_ppoll_until(&waiting, 1, sys_monotonic_ns() + 10_000_000_000) > 0)
                let count = sys_read(socket, &buffer, buffer.count)
                try #require(count > 0)
                answer += buffer[..<count]
            }
        }
        for line in ["ATZ", "ATE0", "ATSP6", "0100"] { try ask(line, 1) }
        var taken: [Int64] = []
        for round in 0..<60 {
            let begin = sys_monotonic_ns()
            try ask("010C", segments)
            if round >= 20 { taken.append(sys_monotonic_ns() - begin) }
        }
        return taken.sorted()[taken.count / 2]
    }
}
