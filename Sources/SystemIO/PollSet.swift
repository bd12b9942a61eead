import CSystem
import Glibc
public import OBDCore

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
            sys_ppoll_until(entries.baseAddress, UInt32(entries.count), limit)
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
