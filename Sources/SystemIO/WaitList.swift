public import OBDCore

/// Waits for several descriptors at once, until the nearest of several deadlines.
public struct WaitList {
    private var descriptors = PollSet()
    private var deadline: Instant?
    private var hasWaited = false

    /// Nothing to wait for.
    public init() {}

    /// Adds a descriptor that may become readable; returns its index.
    public mutating func add(_ descriptor: Int32) -> Int { descriptors.add(descriptor) }

    /// Adds the writing end of a pipe whose reader may close it; returns its index.
    ///
    /// With `forRoom` it is also ready when the pipe takes bytes.
    public mutating func add(reader descriptor: Int32, forRoom: Bool) -> Int {
        descriptors.add(descriptor, reading: false, writing: forRoom)
    }

    /// Adds a deadline; the nearest one counts.
    public mutating func add(deadline instant: Instant?) {
        guard let instant else { return }
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    /// Waits until something is ready or the nearest deadline has passed.
    public mutating func wait() {
        hasWaited = (try? descriptors.wait(until: deadline)) != nil
    }

    /// Whether the descriptor at `index` is readable, hung up or broken.
    public func isReady(_ index: Int) -> Bool { hasWaited && descriptors.isReadable(index) }

    /// Whether the descriptor at `index` takes bytes.
    public func hasRoom(_ index: Int) -> Bool { hasWaited && descriptors.isWritable(index) }
}
