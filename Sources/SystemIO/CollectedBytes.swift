/// Output that is kept.
public final class CollectedBytes {
    /// What was written.
    public private(set) var bytes: [UInt8] = []

    /// Nothing yet.
    public init() {}

    /// Takes a buffer.
    public func take(_ new: [UInt8]) { bytes += new }
}
