import CSystem
import Foundation
import OBDCore
import SystemIO
import Testing

@testable import Accessory

/// A TCP peer that answers each line in several writes, with Nagle's algorithm on.
private final class SegmentingPeer: Sendable {
    let port: UInt16

    init(answer: String, segments: Int) throws {
        let listener: Int32
        (listener, port) = try ListeningSockets.tcp()
        let text = Array(answer.utf8)
        let piece = (text.count + segments - 1) / segments
        let pieces = stride(from: 0, to: text.count, by: piece).map {
            Array(text[$0..<min($0 + piece, text.count)])
        }
        try #require(pieces.count == segments)
        Thread.detachNewThread { Self.serve(listener, pieces) }
    }

    private static func serve(_ listener: Int32, _ pieces: [[UInt8]]) {
        defer { close(listener) }
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        guard wait(listener) else { return }
        let host = sys_accept(listener)
        guard host >= 0 else { return }
        defer { close(host) }
        var bytes = [UInt8](repeating: 0, count: 256)
        while wait(host) {
            let count = sys_read(host, &bytes, bytes.count)
            if count <= 0 { return }
            for _ in 0..<bytes.prefix(count).count(where: { $0 == 0x0D }) {
                for piece in pieces where sys_write(host, piece, piece.count) != piece.count {
                    return
                }
            }
        }
    }

    private static func wait(_ descriptor: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return sys_ppoll_until(&waiting, 1, sys_monotonic_ns() + 30_000_000_000) > 0
    }
}

@Suite struct `An adapter on TCP` {
    /// An answer of one line, and the three lines of a VIN.
    private static let short = "7E804410C1AF8\r\r>"
    private static let long =
        "7E810144902015758\r7E8214441303032333435\r7E82236373839303132\r\r>"

    /// A delayed acknowledgement takes at least 40 ms (TCP_DELACK_MIN), even on an idle machine.
    @Test(arguments: [short, long], [1, 2, 3])
    func `an answer in several segments is as fast as in one`(
        answer: String, segments: Int
    ) throws {
        let peer = try SegmentingPeer(answer: answer, segments: segments)
        let connector = Connector.tcp(host: "127.0.0.1", port: peer.port)
        guard var session = try connector.open() else {
            Issue.record("not connected")
            return
        }
        var taken: [Duration] = []
        var set = PollSet()
        // The kernel always acknowledges the first segments of a connection at once.
        for round in 0..<60 {
            let begin = SystemClock.now()
            try session.write(Array("010C\r".utf8))
            var received: [UInt8] = []
            while received.last != 0x3E {
                set.removeAll()
                set.add(session.descriptor)
                try #require(try set.wait(until: begin + .seconds(10)) > 0)
                received += try session.receive()
            }
            #expect(received == Array(answer.utf8))
            if round >= 20 { taken.append(SystemClock.now() - begin) }
        }
        #expect(taken.sorted()[taken.count / 2] < .milliseconds(30), "\(taken)")
    }
}
