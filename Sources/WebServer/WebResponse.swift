import CSystem
import Glibc
import OBDCore
import SystemIO

/// Why an answer must stop.
package enum WebFault: Error, Hashable, Sendable {
    /// The client closed the connection.
    case peerGone
    /// The client does not read the data.
    case tooSlow
    /// The server stops.
    case stopped
}

extension UTC {
    /// The UTC time for heads of answers.
    static var now: UTC { SystemClock.utc }
}

/// The answer to one request, written on the thread of its connection.
package final class WebResponse {
    private enum Phase { case nothing, pieces(isChunked: Bool), done }

    private let socket: Int32
    private let stop: Int32
    private let patience: Duration
    private let isOld: Bool
    /// Whether only the head is requested; further data is discarded.
    package let isHeadOnly: Bool
    private var phase = Phase.nothing

    /// An answer to a request of HTTP/1.0 or 1.1.
    init(
        socket: Int32, stop: Int32, patience: Duration, isOld: Bool, isHeadOnly: Bool = false
    ) {
        self.isHeadOnly = isHeadOnly
        self.socket = socket
        self.stop = stop
        self.patience = patience
        self.isOld = isOld
    }

    /// Whether anything was sent.
    package var hasBegun: Bool { if case .nothing = phase { false } else { true } }

    /// Whether the answer ended normally; the connection of an incomplete answer is closed.
    package var isComplete: Bool { if case .done = phase { true } else { false } }

    /// Sends a whole answer.
    package func send(_ head: ResponseHead, _ body: [UInt8]) throws(WebFault) {
        try write(head.bytes(.length(body.count), date: .now) + (isHeadOnly ? [] : body))
        phase = .done
    }

    /// Begins an answer in pieces.
    package func begin(_ head: ResponseHead) throws(WebFault) {
        phase = .pieces(isChunked: !isOld)
        try write(head.bytes(isOld ? .untilClose : .chunked, date: .now))
        if isHeadOnly { phase = .done }
    }

    /// Sends a piece; the client must accept it within the server's time limit.
    package func append(_ bytes: [UInt8]) throws(WebFault) {
        guard case .pieces(let isChunked) = phase, !bytes.isEmpty else { return }
        try write(isChunked ? Chunk.bytes(bytes) : bytes)
    }

    /// Ends an answer in pieces.
    package func end() throws(WebFault) {
        guard case .pieces(let isChunked) = phase else { return }
        if isChunked { try write(Chunk.end) }
        phase = .done
    }

    /// Waits until `descriptor` is readable or `deadline` has passed; returns whether it is
    /// readable.
    package func wait(for descriptor: Int32?, until deadline: Instant?) throws(WebFault) -> Bool {
        var set = PollSet()
        while true {
            set.removeAll()
            let flag = set.add(stop)
            let peer = set.add(socket)
            let news = set.add(descriptor ?? -1)
            guard let ready = try? set.wait(until: deadline) else { throw .peerGone }
            if set.isReadable(flag) { throw .stopped }
            if set.isReadable(peer) { try takeRest() }
            if descriptor != nil, set.isReadable(news) { return true }
            if ready == 0 { return false }
        }
    }

    /// Discards data after the request, but detects the end of the connection.
    private func takeRest() throws(WebFault) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { sys_read(socket, $0.baseAddress, $0.count) }
        if count == 0 || count < 0 && errno != EAGAIN { throw .peerGone }
    }

    private func write(_ bytes: [UInt8]) throws(WebFault) {
        let deadline = SystemClock.now() + patience
        var done = 0
        var set = PollSet()
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                done += count
                continue
            }
            if errno == EINTR { continue }
            guard errno == EAGAIN else { throw .peerGone }
            set.removeAll()
            let flag = set.add(stop)
            let peer = set.add(socket, reading: false, writing: true)
            guard let ready = try? set.wait(until: deadline) else { throw .peerGone }
            if set.isReadable(flag) { throw .stopped }
            if ready == 0 { throw .tooSlow }
            // A write will detect a broken connection.
            _ = peer
        }
    }
}
