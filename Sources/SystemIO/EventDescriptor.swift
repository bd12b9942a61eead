import CSystem
import Glibc

/// A flag that any thread can set and any `poll` can wait for (eventfd).
public final class EventDescriptor: Sendable {
    /// Readable while the flag is set.
    ///
    /// This object owns and closes the descriptor.
    public let descriptor: Int32

    /// Creates a flag that is not set.
    public init() throws(SystemError) {
        descriptor = sys_eventfd()
        if descriptor < 0 { throw SystemError.last("eventfd") }
    }

    deinit { close(descriptor) }

    /// Sets the flag.
    public func signal() { _ = sys_eventfd_signal(descriptor) }

    /// Clears the flag.
    public func take() { Self.take(descriptor) }

    /// Clears the flag of another owner's eventfd.
    public static func take(_ descriptor: Int32) { _ = sys_eventfd_take(descriptor) }
}
