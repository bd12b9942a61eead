import CSystem
import Glibc

/// Signals as a descriptor (signalfd).
///
/// The signals must be blocked in every thread.
public final class SignalDescriptor: Sendable {
    /// Readable while a signal is pending.
    ///
    /// This object owns and closes the descriptor.
    public let descriptor: Int32

    /// Receives these signals.
    public init(_ signals: [Int32]) throws(SystemError) {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        descriptor = sys_signalfd(&mask)
        if descriptor < 0 { throw SystemError.last("signalfd") }
    }

    deinit { close(descriptor) }

    /// The next signal; nil if none is pending.
    public func next() -> Int32? {
        let number = sys_signalfd_next(descriptor)
        return number > 0 ? number : nil
    }
}
