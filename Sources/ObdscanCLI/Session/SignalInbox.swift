import CAccessory
import Glibc

/// Signals as a descriptor that stands in a poll beside others.
///
/// Make it before any thread exists: threads inherit the mask. Only the main thread reads it.
final class SignalInbox: Sendable {
    /// Becomes readable when a signal waits.
    let descriptor: Int32

    /// What ends a command.
    static let endings: [Int32] = [SIGINT, SIGTERM, SIGHUP]
    /// What a full-screen view has to know besides.
    static let screen: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Blocks `signals` and collects them.
    init(_ signals: [Int32]) throws(Failure) {
        var mask = Self.set(signals)
        sigprocmask(SIG_BLOCK, &mask, nil)
        descriptor = ca_signalfd(&mask)
        if descriptor < 0 {
            throw Failure("signalfd: \(describe(errno: errno))", status: .bug)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The next signal that waits; nil when none does.
    func next() -> Int32? {
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

    /// Ends the process by the signal that asked for it, so that whoever started it sees the truth.
    static func die(of number: Int32) -> Never {
        letEndingsThrough()
        raise(number)
        exit(128 + number)
    }
}
