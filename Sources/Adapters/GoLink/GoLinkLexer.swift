/// Splits a GoLink's bytes into frames, independent of how the bytes arrive.
///
/// The protocol has neither a start mark for frames nor a checksum. After a lost byte, only a pause shows
/// where the next frame begins. Bytes that cannot be a frame are therefore skipped until ``pause()``.
public struct GoLinkLexer: Hashable, Sendable {
    /// The result of reading bytes.
    public enum Token: Hashable, Sendable {
        /// A whole frame.
        case frame(GoLinkFrame)
        /// Bytes that are not a frame; all bytes up to the next pause are skipped.
        case damage
    }

    private var header: [UInt8] = []
    private var body: [UInt8] = []
    /// Whether bytes are skipped until the next pause.
    public private(set) var isSkipping = false

    /// A lexer at the beginning of a frame.
    public init() {}

    /// The announced and the received number of bytes of an incomplete frame; nil if there is none.
    public var partialFrame: (announced: Int, received: Int)? {
        guard !header.isEmpty else { return nil }
        return (header.count < 3 ? 1 : Int(header[2]), body.count)
    }

    /// Takes received bytes.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [Token]) {
        for index in bytes.indices {
            if isSkipping { return }
            take(bytes[index], &out)
        }
    }

    /// Reports a pause, after which the next byte begins a frame.
    public mutating func pause() {
        header.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
        isSkipping = false
    }

    private mutating func take(_ byte: UInt8, _ out: inout [Token]) {
        guard header.count == 3 else {
            header.append(byte)
            if header.count == 3, !GoLinkFrame.isHeader(id: header[0], length: byte) {
                giveUp(&out)
            }
            return
        }
        body.append(byte)
        guard body.count == Int(header[2]) else { return }
        guard let frame = GoLinkFrame(fromDevice: header[0], address: header[1], body: body) else {
            giveUp(&out)
            return
        }
        out.append(.frame(frame))
        header.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
    }

    private mutating func giveUp(_ out: inout [Token]) {
        pause()
        isSkipping = true
        out.append(.damage)
    }
}
