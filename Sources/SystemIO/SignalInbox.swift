import Glibc
import Synchronization

/// Signals as a descriptor for use in a poll with others.
///
/// Create an inbox before any thread, because threads inherit the signal mask. Only the main thread reads it;
/// the main thread forwards signals to other threads through their own inboxes.
public final class SignalInbox: Sendable {
    private enum Source {
        /// Signals from the kernel.
        case process(SignalDescriptor)
        /// Signals from another thread.
        case relay(EventDescriptor)
    }

    private let source: Source
    private let passed = Mutex<Int32?>(nil)

    /// The signals that end a command.
    public static let endings: [Int32] = [SIGINT, SIGTERM, SIGHUP]
    /// The additional signals for a full-screen view.
    public static let screen: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Blocks `signals` and collects them.
    public init(_ signals: [Int32]) throws(SystemError) {
        var mask = Self.set(signals)
        sigprocmask(SIG_BLOCK, &mask, nil)
        source = .process(try SignalDescriptor(signals))
    }

    private init(relay: EventDescriptor) { source = .relay(relay) }

    /// An inbox for another thread; ``pass(_:)`` fills it.
    public static func relay() throws(SystemError) -> SignalInbox {
        SignalInbox(relay: try EventDescriptor())
    }

    /// Whether the inbox collects the signals of the process and not those from another thread.
    public var isOfProcess: Bool {
        if case .process = source { true } else { false }
    }

    /// Becomes readable when a signal is pending.
    public var descriptor: Int32 {
        switch source {
        case .process(let signals): signals.descriptor
        case .relay(let flag): flag.descriptor
        }
    }

    /// Forwards signal `number` to the thread of this relay.
    public func pass(_ number: Int32) {
        guard case .relay(let flag) = source else { return }
        passed.withLock { $0 = number }
        flag.signal()
    }

    /// The next pending signal; nil if there is none.
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

    /// Lets each of the ``endings`` end the process at once from now on, for a second Ctrl-C.
    public static func letEndingsThrough() {
        for number in endings { signal(number, SIG_DFL) }
        var mask = set(endings)
        sigprocmask(SIG_UNBLOCK, &mask, nil)
    }

    /// Lets another signal end the process at once from now on, if this is the inbox of the process.
    ///
    /// A thread that forwards signals decides this for all others.
    public func letMoreThrough() {
        if isOfProcess { Self.letEndingsThrough() }
    }
}
