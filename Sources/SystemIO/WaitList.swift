public import OBDCore

/// Waits for several descriptors at once, until the earliest of several deadlines.
public struct WaitList {
    private var descriptors = PollSet()
    private var deadline: Instant?
    private var hasWaited = false

    /// An empty list.
    public init() {}

    /// Adds a descriptor that may become readable; returns its index.
    public mutating func add(_ descriptor: Int32) -> Int { descriptors.add(descriptor) }

    /// Adds the writing end of a pipe whose reader may close it; returns its index.
    ///
    /// With `forRoom` the list is also ready when the pipe accepts bytes.
    public mutating func add(reader descriptor: Int32, forRoom: Bool) -> Int {
        descriptors.add(descriptor, reading: false, writing: forRoom)
    }

    /// Adds a deadline; the earliest one counts.
    public mutating func add(deadline instant: Instant?) {
        guard let instant else { return }
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    /// Waits until a descriptor is ready or the earliest deadline has passed.
    public mutating func wait() {
        hasWaited = (try? descriptors.wait(until: deadline)) != nil
    }

    /// Whether the descriptor at `index` is readable, closed or broken.
    public func isReady(_ index: Int) -> Bool { hasWaited && descriptors.isReadable(index) }

    /// Whether the descriptor at `index` accepts bytes.
    public func hasRoom(_ index: Int) -> Bool { hasWaited && descriptors.isWritable(index) }
}
