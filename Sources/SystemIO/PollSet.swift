import CSystem
import Glibc
public import OBDCore

/// A set of descriptors to wait for; entries are reused, so that waiting allocates no memory.
public struct PollSet: Sendable {
    private var entries: [pollfd] = []

    /// An empty set.
    public init() {}

    /// Empties the set and keeps its memory.
    public mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    /// Adds a descriptor and returns its index; a negative descriptor is never ready.
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

    /// Waits until a descriptor is ready or `deadline` has passed (nil: no limit); returns how many are
    /// ready.
    @discardableResult
    public mutating func wait(until deadline: Instant?) throws(SystemError) -> Int {
        let limit = deadline.map { max(0, $0.nanoseconds) } ?? -1
        let ready = entries.withUnsafeMutableBufferPointer { entries in
            sys_ppoll_until(entries.baseAddress, UInt32(entries.count), limit)
        }
        if ready < 0 { throw SystemError.last("ppoll") }
        return Int(ready)
    }

    /// Whether the descriptor can be read, including an end of file or an error.
    public func isReadable(_ place: Int) -> Bool {
        Int32(entries[place].revents) & (POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// Whether the descriptor can be written.
    public func isWritable(_ place: Int) -> Bool {
        Int32(entries[place].revents) & POLLOUT != 0
    }
}
