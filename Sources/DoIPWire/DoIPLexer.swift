/// Cuts the bytes of a TCP connection into DoIP messages; any split of the bytes gives the same tokens.
///
/// TCP keeps messages in order and whole, so that bytes which are not a header mean another protocol or a
/// fault of the other end. Nothing says where the next message would begin: the rest is skipped until the
/// lexer is made anew.
public struct DoIPLexer: Hashable, Sendable {
    /// What was found.
    public enum Token: Hashable, Sendable {
        /// A whole message, and the version in its header.
        case message(DoIPMessage, version: UInt8)
        /// A message whose content is too short or too long for its type; the ones after it can be read.
        case malformed(type: UInt16)
        /// Bytes that are not a header, or one that announces more than ``longest``: nothing after it can be
        /// read.
        case outOfStep
    }

    /// The longest content that is taken, which no answer of an ECU comes near; unit: bytes.
    public static let longest = 1 << 17

    private var head: [UInt8] = []
    private var content: [UInt8] = []
    private var current: DoIPHead?
    private var isOutOfStep = false

    /// A lexer at the beginning of a message.
    public init() {}

    /// Whether a message has begun and is not whole.
    public var isInMessage: Bool { !head.isEmpty }

    /// Takes bytes as they came.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [Token]) {
        for index in bytes.indices {
            if isOutOfStep { return }
            take(bytes[index], &out)
        }
    }

    /// Takes bytes as they came.
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
