import CSystem
import Foundation
import Synchronization

/// An adapter on a pty or on TCP that does as a test tells it.
///
/// It waits for lines and answers them; it never waits for time.
final class ScriptedAdapter: Sendable {
    /// Where it listens.
    enum Place: Sendable {
        case pty, tcp
    }

    /// What to do about a line.
    enum Action: Sendable {
        /// Say this.
        case say(String)
        /// Say nothing.
        case nothing
        /// Be busy until anything is heard, then say that it was stopped.
        case busy
        /// Talk without end.
        case talkOn(String)
        /// Pull the cable.
        case hangUp
        /// End this connection and wait for another one; TCP only.
        case dropConnection
    }

    /// A line that was heard.
    struct Line: Sendable {
        /// Without blanks and carriage return; DEL characters stand for themselves.
        var text: String
        /// How many lines of the same text came before it.
        var earlier: Int
    }

    private struct State {
        var heard: [String] = []
        /// How often each line came.
        var counts: [String: Int] = [:]
        /// How often a blank came that begins no line: the host wants its prompt back.
        var interruptions = 0
        var isOver = false
    }

    /// What the adapter's thread owns; it outlives the adapter by a moment.
    private final class Core: Sendable {
        let state = Mutex(State())
        let over: Int32
        /// Readable when a line was heard.
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

    /// What `-d` takes.
    let address: String
    private let core: Core

    /// An adapter that answers by `respond`.
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

    /// Every line that was heard, in order.
    var heard: [String] { core.state.withLock { $0.heard } }

    /// Waits until a line that begins so was heard.
    func hears(_ text: String, within seconds: Int = 20) async throws {
        try await wait(text, within: seconds) { $0.heard.contains { $0.hasPrefix(text) } }
    }

    /// Waits until one and the same line that begins so was heard so often.
    func hears(_ text: String, times: Int) async throws {
        try await wait("\(text) \(times) times", within: 20) {
            $0.counts.contains { $0.key.hasPrefix(text) && $0.value >= times }
        }
    }

    /// Waits until the host wanted its prompt back.
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

    /// Pulls the cable: the terminal is gone, or the connection and who listens for it.
    func pullTheCable() { core.end() }

    /// A host that has gone is no reason to end the tests.
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
        // Held as long as nobody else has the terminal open: without any the master hangs up.
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

    /// The talk with one host.
    private struct Conversation {
        enum Step {
            case heard, quiet, peerGone, over
        }

        let core: Core
        let descriptor: Int32
        var line: [UInt8] = []
        /// What is said without end.
        var endless: [UInt8] = []
        var isBusy = false

        /// Waits for the next thing to do and does it.
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

        /// Answers a line; returns what ends the talk.
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

        /// A full line loses bytes, as a real one does; that the host has gone is read later.
        private func put(_ bytes: [UInt8]) {
            if !bytes.isEmpty { _ = sys_write(descriptor, bytes, bytes.count) }
        }
    }
}
