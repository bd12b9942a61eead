import CSystem
import Foundation
import Synchronization

/// An adapter on a pty or on TCP that behaves as the test demands.
///
/// The adapter waits for lines and answers them; it never waits for a time.
final class ScriptedAdapter: Sendable {
    /// The kind of port.
    enum Place: Sendable {
        case pty, tcp
    }

    /// The reaction to a line.
    enum Action: Sendable {
        /// Send this text.
        case say(String)
        /// Send nothing.
        case nothing
        /// Be busy until any character is received, then report that it was stopped.
        case busy
        /// Send endlessly.
        case talkOn(String)
        /// Pull the cable.
        case hangUp
        /// End this connection and wait for another one; TCP only.
        case dropConnection
    }

    /// A received line.
    struct Line: Sendable {
        /// The text without blanks and carriage return; DEL characters are kept.
        var text: String
        /// The number of earlier lines with the same text.
        var earlier: Int
    }

    private struct State {
        var heard: [String] = []
        /// The counts of lines by text.
        var counts: [String: Int] = [:]
        /// The number of blanks that do not begin a line, with which the host asks for the prompt.
        var interruptions = 0
        var isOver = false
    }

    /// The state of the adapter's thread, which ends shortly after the adapter.
    private final class Core: Sendable {
        let state = Mutex(State())
        let over: Int32
        /// Readable when a line was received.
        let news: Int32
        let respond: @Sendable (Line) -> Action

        init(_ respond: @escaping @Sendable (Line) -> Action) {
            over = sys_eventfd()
            news = sys_eventfd()
            self.respond = respond
        }

        deinit {
            close(over)
            close(news)
        }

        func end() {
            state.withLock { $0.isOver = true }
            sys_eventfd_signal(over)
        }
    }

    /// The address for `-d`.
    let address: String
    private let core: Core

    /// An adapter that answers with `respond`.
    init(_ place: Place, _ respond: @escaping @Sendable (Line) -> Action) throws {
        let core = Core(respond)
        self.core = core
        switch place {
        case .pty:
            var name = [CChar](repeating: 0, count: 64)
            let master = sys_open_pty(&name, name.count)
            guard master >= 0 else { throw POSIXError(.ENXIO) }
            let path = String(
                decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            address = path
            let slave = Self.openSlave(path)
            Thread.detachNewThread {
                Self.blockBrokenPipes()
                Self.serve(core, master: master, slave: slave, path: path)
            }
        case .tcp:
            let (listener, port) = try LoopbackPort.listen()
            address = "tcp:127.0.0.1:\(port)"
            Thread.detachNewThread {
                Self.blockBrokenPipes()
                Self.serve(core, listener: listener)
            }
        }
    }

    deinit { core.end() }

    /// All received lines, in order.
    var heard: [String] { core.state.withLock { $0.heard } }

    /// Waits until a line with this beginning is received.
    func hears(_ text: String, within seconds: Int = 20) async throws {
        try await wait(text, within: seconds) { $0.heard.contains { $0.hasPrefix(text) } }
    }

    /// Waits until the same line with this beginning is received this many times.
    func hears(_ text: String, times: Int) async throws {
        try await wait("\(text) \(times) times", within: 20) {
            $0.counts.contains { $0.key.hasPrefix(text) && $0.value >= times }
        }
    }

    /// Waits until the host asks for the prompt.
    func isInterrupted(within seconds: Int = 20) async throws {
        try await wait("an interruption", within: seconds) { $0.interruptions > 0 }
    }

    private func wait(
        _ what: String, within seconds: Int, until isSo: @escaping @Sendable (State) -> Bool
    ) async throws {
        try await onThread { [core] in
            let deadline = sys_monotonic_ns() + Int64(seconds) * 1_000_000_000
            while !core.state.withLock({ isSo($0) }) {
                var waiting = pollfd(fd: core.news, events: Int16(POLLIN), revents: 0)
                guard sys_ppoll_until(&waiting, 1, deadline) > 0, sys_monotonic_ns() < deadline
                else {
                    throw RunningProgram.Overdue(description: "never heard \(what)")
                }
                sys_eventfd_take(core.news)
            }
        }
    }

    /// Pulls the cable: removes the terminal, or the connection and its listener.
    func pullTheCable() { core.end() }

    /// A host that closed its end must not end the tests.
    private static func blockBrokenPipes() {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
    }

    private static func openSlave(_ path: String) -> Int32 {
        let slave = sys_open_tty(path)
        if slave >= 0 { _ = sys_tty_make_raw(slave) }
        return slave
    }

    private static func serve(_ core: Core, master: Int32, slave first: Int32, path: String) {
        // Keep the slave open while no other process has it open, because the master would hang up.
        var slave = first
        defer {
            if slave >= 0 { close(slave) }
            close(master)
        }
        var conversation = Conversation(core: core, descriptor: master)
        while true {
            switch conversation.step() {
            case .heard:
                if slave >= 0 { close(slave) }
                slave = -1
            case .quiet: continue
            case .peerGone:
                if slave >= 0 { return }
                slave = openSlave(path)
                if slave < 0 { return }
                conversation = Conversation(core: core, descriptor: master)
            case .over: return
            }
        }
    }

    private static func serve(_ core: Core, listener: Int32) {
        defer { close(listener) }
        while true {
            var waiting = [
                pollfd(fd: core.over, events: Int16(POLLIN), revents: 0),
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
            ]
            guard sys_ppoll_until(&waiting, 2, -1) > 0, waiting[0].revents == 0 else { return }
            let peer = sys_accept(listener)
            guard peer >= 0 else { continue }
            defer { close(peer) }
            var conversation = Conversation(core: core, descriptor: peer)
            talk: while true {
                switch conversation.step() {
                case .heard, .quiet: continue
                case .peerGone: break talk
                case .over: return
                }
            }
        }
    }

    /// The conversation with one host.
    private struct Conversation {
        enum Step {
            case heard, quiet, peerGone, over
        }

        let core: Core
        let descriptor: Int32
        var line: [UInt8] = []
        /// The text to send endlessly.
        var endless: [UInt8] = []
        var isBusy = false

        /// Waits for the next event and handles it.
        mutating func step() -> Step {
            let wanted = endless.isEmpty ? POLLIN : POLLIN | POLLOUT
            var waiting = [
                pollfd(fd: core.over, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(wanted), revents: 0),
            ]
            guard sys_ppoll_until(&waiting, 2, -1) > 0, waiting[0].revents == 0 else {
                return .over
            }
            let events = Int32(waiting[1].revents)
            if events & POLLOUT != 0, events & POLLHUP == 0 { put(endless) }
            guard events & (POLLIN | POLLHUP | POLLERR) != 0 else { return .quiet }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = sys_read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EAGAIN { return .quiet }
            guard count > 0 else { return .peerGone }
            for byte in bytes.prefix(count) {
                if isBusy {
                    isBusy = false
                    put(Array("STOPPED\r\r>".utf8))
                } else if byte == 0x0D {
                    if let end = answer() { return end }
                } else {
                    if byte == 0x20, line.isEmpty {
                        core.state.withLock { $0.interruptions += 1 }
                        sys_eventfd_signal(core.news)
                    }
                    line.append(byte)
                }
            }
            return .heard
        }

        /// Answers a line; returns a step if the conversation ends.
        private mutating func answer() -> Step? {
            let text = String(decoding: line.filter { $0 > 0x20 && $0 <= 0x7F }, as: UTF8.self)
                .uppercased()
            line = []
            let earlier = core.state.withLock { state in
                state.heard.append(text)
                defer { state.counts[text, default: 0] += 1 }
                return state.counts[text, default: 0]
            }
            sys_eventfd_signal(core.news)
            switch core.respond(Line(text: text, earlier: earlier)) {
            case .say(let answer): put(Array(answer.utf8))
            case .nothing: break
            case .busy: isBusy = true
            case .talkOn(let words): endless = Array(words.utf8)
            case .hangUp:
                core.end()
                return .over
            case .dropConnection: return .peerGone
            }
            return nil
        }

        /// A full line loses bytes, like a real one; a read detects that the host is gone.
        private func put(_ bytes: [UInt8]) {
            if !bytes.isEmpty { _ = sys_write(descriptor, bytes, bytes.count) }
        }
    }
}
