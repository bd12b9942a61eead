import Accessory
import Foundation
import OBDCore
import Synchronization
import SystemIO

/// The other end of a session: an adapter on its own thread that behaves as the test demands.
///
/// The peer waits for bytes and answers them; it never waits for a time.
final class Peer: Sendable {
    /// The reaction to received text.
    enum Action: Sendable {
        /// Send this text.
        case say(String)
        /// Send these bytes.
        case bytes([UInt8])
        /// Send nothing.
        case nothing
        /// Send endlessly until something is received again.
        case talkOn(String)
        /// Close the connection.
        case hangUp
    }

    /// The unit of received text: each byte, or each line up to its carriage return.
    enum Unit: Sendable {
        case byte, line
    }

    private let heardSoFar = Mutex<[String]>([])
    private let connections = Mutex(0)
    private let end = Mutex<Int32>(-1)
    private let unit: Unit
    private let respond: @Sendable (_ heard: String, _ connection: Int) -> Action

    /// An adapter that answers with `respond`; connections count from 1.
    init(
        _ unit: Unit, _ respond: @escaping @Sendable (_ heard: String, _ connection: Int) -> Action
    ) {
        self.unit = unit
        self.respond = respond
    }

    /// Counts received text from 1.
    final class Counter: Sendable {
        private let count = Mutex(0)

        /// The next number.
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// All received text of all connections.
    var heard: [String] { heardSoFar.withLock { $0 } }

    /// A connector for sessions with this adapter.
    var connector: Connector {
        .descriptor(name: "peer") { [self] () throws(AccessoryError) in try connect() }
    }

    /// Sends text without a request, from any thread; it has arrived when this returns.
    func interject(_ words: String) {
        let bytes = Array(words.utf8)
        end.withLock { end in _ = write(end, bytes, bytes.count) }
    }

    /// Returns one end of a new socket pair; the adapter answers at the other end.
    func connect() throws(AccessoryError) -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw .system(call: "socketpair", address: "peer", errno: errno)
        }
        let mine = ends[1]
        end.withLock { $0 = mine }
        let number = connections.withLock { count in
            count += 1
            return count
        }
        do {
            let thread = try SystemThread { [self] in
                serve(mine, number)
                end.withLock { end in
                    if end == mine { end = -1 }
                    close(mine)
                }
            }
            thread.detach()
        } catch {
            throw .system(call: error.call, address: "peer", errno: error.errno)
        }
        return ends[0]
    }

    private func serve(_ descriptor: Int32, _ connection: Int) {
        var line: [UInt8] = []
        var endless: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            if !endless.isEmpty {
                // Send until something arrives; a write blocks if the session does not read.
                var set = PollSet()
                let place = set.add(descriptor)
                _ = try? set.wait(until: SystemClock.now())
                if !set.isReadable(place) {
                    if write(descriptor, endless, endless.count) < 0 { return }
                    continue
                }
                endless = []
            }
            if read(descriptor, &byte, 1) != 1 { return }
            line.append(byte)
            if unit == .line && byte != 0x0D { continue }
            let text = String(decoding: line, as: UTF8.self).filter { $0 != "\r" }
            line = []
            heardSoFar.withLock { $0.append(text) }
            switch respond(text, connection) {
            case .say(let answer): if !put(Array(answer.utf8), descriptor) { return }
            case .bytes(let bytes): if !put(bytes, descriptor) { return }
            case .nothing: break
            case .talkOn(let words): endless = Array(words.utf8)
            case .hangUp: return
            }
        }
    }

    private func put(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        bytes.isEmpty || write(descriptor, bytes, bytes.count) == bytes.count
    }
}
