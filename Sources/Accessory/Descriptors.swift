import CAccessory
import Glibc
public import OBDCore

/// The clocks.
public enum SystemClock {
    /// Now, on the monotonic clock.
    @inline(__always)
    public static func now() -> Instant { Instant(nanoseconds: ca_monotonic_ns()) }

    /// Now; unit: nanoseconds since 1970-01-01T00:00:00Z.
    public static func utcNanoseconds() -> Int64 { ca_realtime_ns() }
}

/// A failed system call.
public struct SystemError: Error, Hashable, Sendable {
    /// The call.
    public var call: String
    /// Its error number.
    public var errno: Int32

    /// A failed call.
    public init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    static func last(_ call: String) -> SystemError { SystemError(call: call, errno: Glibc.errno) }
}

/// A flag that any thread can raise and any `poll` can wait for (eventfd).
public final class EventDescriptor: Sendable {
    /// Readable while the flag is up.
    ///
    /// Belongs to this object.
    public let descriptor: Int32

    /// A flag that is down.
    public init() throws(SystemError) {
        descriptor = ca_eventfd()
        if descriptor < 0 { throw SystemError.last("eventfd") }
    }

    deinit { close(descriptor) }

    /// Raises the flag.
    public func signal() { _ = ca_eventfd_signal(descriptor) }

    /// Takes the flag down.
    public func take() { Self.take(descriptor) }

    /// Takes down the flag of someone else's eventfd.
    public static func take(_ descriptor: Int32) { _ = ca_eventfd_take(descriptor) }
}

/// Signals as a descriptor (signalfd).
///
/// They must be blocked in every thread.
public final class SignalDescriptor: Sendable {
    /// Readable while a signal waits.
    ///
    /// Belongs to this object.
    public let descriptor: Int32

    /// Takes these signals.
    public init(_ signals: [Int32]) throws(SystemError) {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        descriptor = ca_signalfd(&mask)
        if descriptor < 0 { throw SystemError.last("signalfd") }
    }

    deinit { close(descriptor) }

    /// The next signal; nil = none waits.
    public func next() -> Int32? {
        let number = ca_signalfd_next(descriptor)
        return number > 0 ? number : nil
    }
}

/// Descriptors that are waited for together; places are reused, so that waiting allocates nothing.
public struct PollSet: Sendable {
    private var entries: [pollfd] = []

    /// Nothing to wait for.
    public init() {}

    /// Empties the set, keeping its room.
    public mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    /// Adds a descriptor and returns its place; a negative one is never ready.
    @discardableResult
    public mutating func add(_ descriptor: Int32, reading: Bool = true, writing: Bool = false)
        -> Int
    {
        var events: Int32 = 0
        if reading { events |= POLLIN }
        if writing { events |= POLLOUT }
        entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        return entries.count - 1
    }

    /// Waits until one is ready or `deadline` has passed (nil = without end); returns how many are.
    @discardableResult
    public mutating func wait(until deadline: Instant?) throws(SystemError) -> Int {
        let limit = deadline.map { max(0, $0.nanoseconds) } ?? -1
        let ready = entries.withUnsafeMutableBufferPointer { entries in
            ca_ppoll_until(entries.baseAddress, UInt32(entries.count), limit)
        }
        if ready < 0 { throw SystemError.last("ppoll") }
        return Int(ready)
    }

    /// Whether something can be read there, the end or an error included.
    public func isReadable(_ place: Int) -> Bool {
        Int32(entries[place].revents) & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// Whether something can be written there.
    public func isWritable(_ place: Int) -> Bool {
        Int32(entries[place].revents) & POLLOUT != 0
    }
}
