import Accessory
import OBDCore

/// Waits for several descriptors at once, until the nearest of several deadlines.
struct Waiting {
    private var descriptors = PollSet()
    private var deadline: Instant?
    private var hasWaited = false

    /// Adds a descriptor that may become readable; returns its place.
    mutating func add(_ descriptor: Int32) -> Int { descriptors.add(descriptor) }

    /// Adds the writing end of a pipe whose reader may go, `forRoom` also make room; returns its place.
    mutating func add(reader descriptor: Int32, forRoom: Bool) -> Int {
        descriptors.add(descriptor, reading: false, writing: forRoom)
    }

    /// Adds a deadline; the nearest one counts.
    mutating func add(deadline instant: Instant?) {
        guard let instant else { return }
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    /// Waits until something is ready or the nearest deadline has passed.
    mutating func wait() {
        hasWaited = (try? descriptors.wait(until: deadline)) != nil
    }

    /// Whether the descriptor at `place` is readable, hung up or broken.
    func isReady(_ place: Int) -> Bool { hasWaited && descriptors.isReadable(place) }

    /// Whether the descriptor at `place` takes something.
    func hasRoom(_ place: Int) -> Bool { hasWaited && descriptors.isWritable(place) }
}
