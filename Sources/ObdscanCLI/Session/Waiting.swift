import CAccessory
import Glibc
import OBDCore

/// Waits for several descriptors at once, until the nearest of several deadlines.
struct Waiting {
    private var descriptors: [pollfd] = []
    private var deadline: Instant?

    /// Adds a descriptor that may become readable; returns its place.
    mutating func add(_ descriptor: Int32, events: Int32 = POLLIN) -> Int {
        descriptors.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        return descriptors.count - 1
    }

    /// Adds a deadline; the nearest one counts.
    mutating func add(deadline instant: Instant?) {
        guard let instant else { return }
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    /// Waits until something is ready or the nearest deadline has passed.
    mutating func wait() {
        let until = deadline?.nanoseconds ?? -1
        if ca_ppoll_until(&descriptors, UInt32(descriptors.count), until) < 0 {
            for index in descriptors.indices { descriptors[index].revents = 0 }
        }
    }

    /// Whether the descriptor at `place` is readable, hung up or broken.
    func isReady(_ place: Int) -> Bool { descriptors[place].revents != 0 }
}
