import CSystem
import Glibc

/// A flag that any thread can raise and any `poll` can wait for (eventfd).
public final class EventDescriptor: Sendable {
    /// Readable while the flag is up.
    ///
    /// Belongs to this object.
    public let descriptor: Int32

    /// A flag that is down.
    public init() throws(SystemError) {
        descriptor = sys_eventfd()
        if descriptor < 0 { throw SystemError.last("eventfd") }
    }

    deinit { close(descriptor) }

    /// Raises the flag.
    public func signal() { _ = sys_eventfd_signal(descriptor) }

    /// Takes the flag down.
    public func take() { Self.take(descriptor) }

    /// Takes down the flag of someone else's eventfd.
    public static func take(_ descriptor: Int32) { _ = sys_eventfd_take(descriptor) }
}
