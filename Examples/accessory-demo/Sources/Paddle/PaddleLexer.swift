/// Splits the bytes of the demonstration protocol into frames.
///
/// Lost, duplicate or flipped bytes damage only their own frames.
public struct PaddleLexer: Hashable, Sendable {
    private var pending: [UInt8] = []
    /// Number of frames with a wrong checksum, or interrupted by another frame.
    public private(set) var damaged = 0
    /// Number of bytes outside any frame.
    public private(set) var stray = 0

    /// A lexer at the beginning of a stream.
    public init() {}

    /// Takes received bytes; returns the complete and undamaged frames.
    public mutating func receive(_ bytes: some Sequence<UInt8>) -> [PaddleFrame] {
        var frames: [PaddleFrame] = []
        for byte in bytes {
            // Only the first byte of a frame has bit 7 set.
            if byte >= 0x80 {
                if !pending.isEmpty { damaged += 1 }
                pending = [byte]
                continue
            }
            guard !pending.isEmpty else {
                stray += 1
                continue
            }
            pending.append(byte)
            guard pending.count == 4 else { continue }
            if let frame = PaddleFrame(pending) { frames.append(frame) } else { damaged += 1 }
            pending.removeAll(keepingCapacity: true)
        }
        return frames
    }
}
