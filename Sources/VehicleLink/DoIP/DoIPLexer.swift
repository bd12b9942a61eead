/// Splits the bytes of a TCP connection into DoIP messages, independent of how the bytes arrive.
///
/// TCP keeps messages complete and in order, so bytes that are not a header mean another protocol or a fault
/// of the other side. The start of the next message is then unknown, and the rest is skipped until a new
/// lexer is created.
public struct DoIPLexer: Hashable, Sendable {
    /// The result of reading bytes.
    public enum Token: Hashable, Sendable {
        /// A complete message with the version in its header.
        case message(DoIPMessage, version: UInt8)
        /// A message whose content is too short or too long for its type; later messages can still be read.
        case malformed(type: UInt16)
        /// Bytes that are not a header, or a header with a length above ``longest``; nothing after them can
        /// be read.
        case outOfStep
    }

    /// The longest content to accept, far longer than any answer of an ECU; unit: bytes.
    public static let longest = 1 << 17

    private var head: [UInt8] = []
    private var content: [UInt8] = []
    private var current: DoIPHead?
    private var isOutOfStep = false

    /// A lexer at the beginning of a message.
    public init() {}

    /// Takes received bytes.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [Token]) {
        for index in bytes.indices {
            if isOutOfStep { return }
            take(bytes[index], &out)
        }
    }

    /// Takes received bytes.
    public mutating func receive(_ bytes: [UInt8], _ out: inout [Token]) {
        receive(bytes.span, &out)
    }

    private mutating func take(_ byte: UInt8, _ out: inout [Token]) {
        if let current {
            content.append(byte)
            if content.count == current.length { finish(current, &out) }
            return
        }
        head.append(byte)
        guard head.count == DoIPMessage.headLength else { return }
        guard let read = DoIPHead(head), read.length <= Self.longest else {
            isOutOfStep = true
            head = []
            out.append(.outOfStep)
            return
        }
        if read.length == 0 { finish(read, &out) } else { current = read }
    }

    private mutating func finish(_ read: DoIPHead, _ out: inout [Token]) {
        if let message = DoIPMessage(type: read.type, content: content) {
            out.append(.message(message, version: read.version))
        } else {
            out.append(.malformed(type: read.type))
        }
        head.removeAll(keepingCapacity: true)
        content.removeAll(keepingCapacity: true)
        current = nil
    }
}
