import CAccessory
import Glibc
import Synchronization

/// Signals as a descriptor that stands in a poll beside others.
///
/// Make it before any thread exists: threads inherit the mask. Only the main thread reads it; to
/// other threads it passes on what came, by an inbox of their own.
final class SignalInbox: Sendable {
    /// Becomes readable when a signal waits.
    let descriptor: Int32
    /// Whether another thread fills it, and not the kernel.
    private let isRelay: Bool
    private let passed = Mutex<Int32?>(nil)

    /// What ends a command.
    static let endings: [Int32] = [SIGINT, SIGTERM, SIGHUP]
    /// What a full-screen view has to know besides.
    static let screen: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Blocks `signals` and collects them.
    init(_ signals: [Int32]) throws(Failure) {
        isRelay = false
        var mask = Self.set(signals)
        sigprocmask(SIG_BLOCK, &mask, nil)
        descriptor = ca_signalfd(&mask)
        if descriptor < 0 {
            throw Failure("signalfd: \(describe(errno: errno))", status: .bug)
        }
    }

    private init(relay descriptor: Int32) {
        self.descriptor = descriptor
        isRelay = true
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// An inbox for another thread, filled by ``pass(_:)``.
    static func relay() throws(Failure) -> SignalInbox {
        let descriptor = ca_eventfd()
        if descriptor < 0 { throw Failure("eventfd: \(describe(errno: errno))", status: .bug) }
        return SignalInbox(relay: descriptor)
    }

    /// Tells the thread to which a relay belongs that `number` came.
    func pass(_ number: Int32) {
        passed.withLock { $0 = number }
        _ = ca_eventfd_signal(descriptor)
    }

    /// The next signal that waits; nil when none does.
    func next() -> Int32? {
        if isRelay {
            _ = ca_eventfd_take(descriptor)
            return passed.withLock { $0.take() }
        }
        let number = ca_signalfd_next(descriptor)
        return number > 0 ? number : nil
    }

    private static func set(_ signals: [Int32]) -> sigset_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        for number in signals { sigaddset(&mask, number) }
        return mask
    }

    /// From now on a signal of ``endings`` ends the process at once: the second Ctrl-C.
    static func letEndingsThrough() {
        for number in endings { signal(number, SIG_DFL) }
        var mask = set(endings)
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }

    /// From now on another signal ends the process at once, where this is the process's inbox; whoever
    /// passes signals on decides that for all.
    func letMoreThrough() {
        if !isRelay { Self.letEndingsThrough() }
    }

    /// Ends whatever the inbox is for by a signal that waits: the process, or what the thread does.
    ///
    /// - Throws: ``Interrupted`` when there is a process to go on with.
    func end() throws {
        guard let number = next() else { return }
        if !isRelay { Self.die(of: number) }
        throw Interrupted()
    }

    /// Ends the process by the signal that asked for it, so that whoever started it sees the truth.
    static func die(of number: Int32) -> Never {
        letEndingsThrough()
        raise(number)
        exit(128 + number)
    }
}
