/// Why a message cannot be put into frames.
public enum FramingError: Error, Hashable, Sendable {
    /// A payload that the protocol cannot carry; unit: bytes.
    case payloadLength(Int, allowed: ClosedRange<Int>)
}
