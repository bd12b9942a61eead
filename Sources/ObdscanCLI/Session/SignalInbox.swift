import Accessory
import Glibc
import Synchronization
import SystemIO

/// Signals as a descriptor that stands in a poll beside others.
///
/// Make it before any thread exists: threads inherit the mask. Only the main thread reads it; to
/// other threads it passes on what came, by an inbox of their own.
final class SignalInbox: Sendable {
    private enum Source {
        /// The kernel.
        case process(SignalDescriptor)
        /// Another thread.
        case relay(EventDescriptor)
    }

    private let source: Source
    private let passed = Mutex<Int32?>(nil)

    /// What ends a command.
    static let endings: [Int32] = [SIGINT, SIGTERM, SIGHUP]
    /// What a full-screen view has to know besides.
    static let screen: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Blocks `signals` and collects them.
    init(_ signals: [Int32]) throws(Failure) {
        var mask = Self.set(signals)
        sigprocmask(SIG_BLOCK, &mask, nil)
        do throws(SystemError) {
            source = .process(try SignalDescriptor(signals))
        } catch {
            throw Failure(error)
        }
    }

    private init(relay: EventDescriptor) { source = .relay(relay) }

    /// An inbox for another thread, filled by ``pass(_:)``.
    static func relay() throws(Failure) -> SignalInbox {
        SignalInbox(relay: try EventDescriptor.made())
    }

    /// Becomes readable when a signal waits.
    var descriptor: Int32 {
        switch source {
        case .process(let signals): signals.descriptor
        case .relay(let flag): flag.descriptor
        }
    }

    /// Tells the thread to which a relay belongs that `number` came.
    func pass(_ number: Int32) {
        guard case .relay(let flag) = source else { return }
        passed.withLock { $0 = number }
        flag.signal()
    }

    /// The next signal that waits; nil when none does.
    func next() -> Int32? {
        switch source {
        case .process(let signals): return signals.next()
        case .relay(let flag):
            flag.take()
            return passed.withLock { $0.take() }
        }
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
        if case .process = source { Self.letEndingsThrough() }
    }

    /// Ends whatever the inbox is for by a signal that waits: the process, or what the thread does.
    ///
    /// - Throws: ``Interrupted`` when there is a process to go on with.
    func end() throws {
        guard let number = next() else { return }
        if case .process = source { Self.die(of: number) }
        throw Interrupted()
    }

    /// Ends the process by the signal that asked for it, so that whoever started it sees the truth.
    static func die(of number: Int32) -> Never {
        letEndingsThrough()
        raise(number)
        exit(128 + number)
    }
}
