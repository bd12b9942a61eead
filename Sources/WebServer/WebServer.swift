import CSystem
import Glibc
import OBDCore
import Synchronization
import SystemIO

package struct WebRequest: Sendable {
    package var head: RequestHead
    /// The local user who sent the request; nil if it came from another machine, or the user is unknown.
    package var user: UInt32?
}

/// Answers requests, each on its own thread.
package protocol WebHandler: Sendable {
    /// Answers a request.
    ///
    /// If the handler throws before data was sent, the client gets an "internal error"; later errors cut the
    /// answer off.
    func answer(_ request: WebRequest, _ response: WebResponse) throws

    /// Whether to accept connections of a local user; nil = another machine, or unknown.
    func admits(_ user: UInt32?) -> Bool

    /// The answer to an invalid request, or to one that cannot be accepted now.
    func refuse(_ status: ResponseHead.Status) -> (head: ResponseHead, body: [UInt8])
}

/// An HTTP/1.1 server for a few browsers, with one thread and one request per connection.
///
/// All resources have limits.
package final class WebServer: Sendable {
    package struct Limits: Hashable, Sendable {
        /// The greatest number of connections; further ones are refused for the moment.
        package var connections = 64
        /// The greatest number of connections of others, so that connections stay free for the user who runs
        /// the server.
        package var othersConnections = 48
        /// The greatest number of connections of one other local user, or of one other address.
        package var sameConnections = 32
        /// The time limit for the arrival of a request.
        package var requestTime = Duration.seconds(10)
        /// The time limit for accepting a piece of the answer.
        package var patience = Duration.seconds(10)
        /// How long stopping waits for unfinished answers.
        package var stopTime = Duration.seconds(5)

        /// The default limits.
        package init() {}
    }

    /// The client of a connection.
    private enum Peer: Hashable {
        case owner
        case user(UInt32)
        case address([UInt32])
    }

    private struct Open {
        var all = 0
        /// The connections of clients other than the owner.
        var others: [Peer: Int] = [:]

        mutating func take(_ peer: Peer, _ limits: Limits) -> Bool {
            guard all < limits.connections else { return false }
            if peer != .owner {
                guard others.values.reduce(0, +) < limits.othersConnections,
                    others[peer, default: 0] < limits.sameConnections
                else { return false }
                others[peer, default: 0] += 1
            }
            all += 1
            return true
        }

        mutating func release(_ peer: Peer) {
            all -= 1
            guard let count = others[peer] else { return }
            others[peer] = count > 1 ? count - 1 : nil
        }
    }

    private let listener: WebListener
    private let handler: any WebHandler
    private let limits: Limits
    private let stopFlag: EventDescriptor
    private let ended: EventDescriptor
    private let open = Mutex(Open())
    private let thread = Mutex<SystemThread?>(nil)

    package init(
        _ listener: WebListener, limits: Limits = Limits(), handler: any WebHandler
    ) throws(SystemError) {
        self.listener = listener
        self.handler = handler
        self.limits = limits
        stopFlag = try EventDescriptor()
        ended = try EventDescriptor()
        let accepting = try SystemThread { [self] in accept() }
        thread.withLock { $0 = accepting }
    }

    /// Ends all unfinished answers and returns when that is done.
    package func stop() {
        stopFlag.signal()
        let accepting = thread.withLock { $0.take() }
        accepting?.join()
        let deadline = SystemClock.now() + limits.stopTime
        var set = PollSet()
        while open.withLock({ $0.all }) > 0 {
            set.removeAll()
            set.add(ended.descriptor)
            guard let ready = try? set.wait(until: deadline), ready > 0 else { return }
            ended.take()
        }
    }

    private func accept() {
        var set = PollSet()
        // Without a free descriptor no client can be accepted until a connection ends.
        var isFull = false
        while true {
            set.removeAll()
            let flag = set.add(stopFlag.descriptor)
            let end = set.add(ended.descriptor)
            let socket = set.add(isFull ? -1 : listener.descriptor)
            let pause = isFull ? SystemClock.now() + .seconds(1) : nil
            guard (try? set.wait(until: pause)) != nil else { return }
            if set.isReadable(flag) { return }
            if set.isReadable(end) { ended.take() }
            isFull = false
            guard set.isReadable(socket) else { continue }
            let connection = sys_accept(listener.descriptor)
            if connection >= 0 {
                take(connection)
            } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
                isFull = true
            }
        }
    }

    private func take(_ connection: Int32) {
        // The kernel knows the user before any data arrives, so refused clients occupy no
        // connection.
        let user = listener.address.isLoopback ? LocalPeer.user(of: connection) : nil
        guard handler.admits(user) else {
            turnAway(connection, .forbidden)
            return
        }
        let peer: Peer =
            if let user {
                user == geteuid() ? .owner : .user(user)
            } else {
                .address(SocketPlace(of: connection, getpeername)?.words ?? [])
            }
        guard open.withLock({ $0.take(peer, limits) }) else {
            turnAway(connection, .unavailable)
            return
        }
        do {
            try SystemThread { [self] in
                serve(connection, user)
                close(connection)
                open.withLock { $0.release(peer) }
                ended.signal()
            }.detach()
        } catch {
            close(connection)
            open.withLock { $0.release(peer) }
        }
    }

    /// Sends the refusal without waiting.
    private func turnAway(_ connection: Int32, _ status: ResponseHead.Status) {
        let (head, body) = handler.refuse(status)
        let bytes = head.bytes(.length(body.count), date: .now) + body
        // A few hundred bytes always fit into the socket's buffer.
        _ = bytes.withUnsafeBytes {
            Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        // Closing the socket with unread data would discard the answer.
        var buffer = [UInt8](repeating: 0, count: 4096)
        _ = buffer.withUnsafeMutableBytes { sys_read(connection, $0.baseAddress, $0.count) }
        close(connection)
    }

    // MARK: One connection

    private func serve(_ connection: Int32, _ user: UInt32?) {
        _ = sys_tcp_tune(connection)
        do {
            let head = try read(connection)
            let response = WebResponse(
                socket: connection, stop: stopFlag.descriptor, patience: limits.patience,
                isOld: head.isOld, isHeadOnly: head.isHeadOnly)
            do {
                try handler.answer(WebRequest(head: head, user: user), response)
            } catch {
                if !response.hasBegun {
                    refuse(.internalError, connection, isHeadOnly: head.isHeadOnly)
                }
            }
            // An unfinished chunked answer, or a short one, shows the browser that it is
            // incomplete.
            if response.isComplete { linger(connection) }
        } catch let refusal as RequestRefusal {
            switch refusal {
            case .malformed: refuse(.badRequest, connection)
            case .tooLong: refuse(.fieldsTooLarge, connection)
            case .version: refuse(.versionNotSupported, connection)
            }
        } catch Waited.tooLong {
            refuse(.requestTimeout, connection)
        } catch {
            return
        }
    }

    private enum Waited: Error { case tooLong, inVain }

    private func read(_ connection: Int32) throws -> RequestHead {
        let deadline = SystemClock.now() + limits.requestTime
        var reader = RequestReader()
        var set = PollSet()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            set.removeAll()
            let flag = set.add(stopFlag.descriptor)
            set.add(connection)
            let ready = try set.wait(until: deadline)
            if set.isReadable(flag) { throw Waited.inVain }
            // Browsers open unused connections; close them without an answer.
            if ready == 0 { throw reader.isEmpty ? Waited.inVain : Waited.tooLong }
            let count = buffer.withUnsafeMutableBytes {
                sys_read(connection, $0.baseAddress, $0.count)
            }
            if count < 0 && errno == EAGAIN { continue }
            guard count > 0 else { throw Waited.inVain }
            if let head = try reader.take(buffer[..<count]) { return head }
        }
    }

    private func refuse(
        _ status: ResponseHead.Status, _ connection: Int32, isHeadOnly: Bool = false
    ) {
        let response = WebResponse(
            socket: connection, stop: stopFlag.descriptor, patience: limits.patience, isOld: false,
            isHeadOnly: isHeadOnly)
        let (head, body) = handler.refuse(status)
        do {
            try response.send(head, body)
            linger(connection)
        } catch {
            return
        }
    }

    /// Waits until the answer has arrived, because closing a socket with unread data discards sent
    /// data.
    private func linger(_ connection: Int32) {
        shutdown(connection, Int32(SHUT_WR))
        let deadline = SystemClock.now() + .seconds(1)
        var set = PollSet()
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        for _ in 0..<16 {
            set.removeAll()
            let flag = set.add(stopFlag.descriptor)
            set.add(connection)
            guard let ready = try? set.wait(until: deadline), ready > 0, !set.isReadable(flag)
            else {
                return
            }
            let count = buffer.withUnsafeMutableBytes {
                sys_read(connection, $0.baseAddress, $0.count)
            }
            if count == 0 || count < 0 && errno != EAGAIN { return }
        }
    }
}
