/// Collects output in memory.
public final class CollectedBytes {
    /// The collected bytes.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty collection.
    public init() {}

    /// Appends a buffer.
    public func take(_ new: [UInt8]) { bytes += new }
}
