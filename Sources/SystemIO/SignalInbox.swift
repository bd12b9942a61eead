import Glibc
import Synchronization

/// Signals as a descriptor that is in a poll beside others.
///
/// Make it before any thread exists: threads inherit the mask. Only the main thread reads it; to
/// other threads it passes on what came, by an inbox of their own.
public final class SignalInbox: Sendable {
    private enum Source {
        /// The kernel.
        case process(SignalDescriptor)
        /// Another thread.
        case relay(EventDescriptor)
    }

    private let source: Source
    private let passed = Mutex<Int32?>(nil)

    /// What ends a command.
    public static let endings: [Int32] = [SIGINT, SIGTERM, SIGHUP]
    /// What a full-screen view has to know besides.
    public static let screen: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Blocks `signals` and collects them.
    public init(_ signals: [Int32]) throws(SystemError) {
        var mask = Self.set(signals)
        sigprocmask(SIG_BLOCK, &mask, nil)
        source = .process(try SignalDescriptor(signals))
    }

    private init(relay: EventDescriptor) { source = .relay(relay) }

    /// An inbox for another thread, filled by ``pass(_:)``.
    public static func relay() throws(SystemError) -> SignalInbox {
        SignalInbox(relay: try EventDescriptor())
    }

    /// Whether it collects the process's signals, rather than what another thread passes on.
    public var isOfProcess: Bool {
        if case .process = source { true } else { false }
    }

    /// Becomes readable when a signal waits.
    public var descriptor: Int32 {
        switch source {
        case .process(let signals): signals.descriptor
        case .relay(let flag): flag.descriptor
        }
    }

    /// Tells the thread to which a relay belongs that `number` came.
    public func pass(_ number: Int32) {
        guard case .relay(let flag) = source else { return }
        passed.withLock { $0 = number }
        flag.signal()
    }

    /// The next signal that waits; nil when none does.
    public func next() -> Int32? {
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
    public static func letEndingsThrough() {
        for number in endings { signal(number, SIG_DFL) }
        var mask = set(endings)
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }

    /// From now on another signal ends the process at once, where this is the process's inbox; whoever
    /// passes signals on decides that for all.
    public func letMoreThrough() {
        if isOfProcess { Self.letEndingsThrough() }
    }
}
