/// Splits an adapter's bytes into lines and prompts, independent of how the bytes arrive.
///
/// Lines end with CR, LF or both. Empty lines and NUL bytes, which some chips send, are dropped. The prompt
/// `>` has no line end and may directly follow text. A line that is longer than any answer is cut off and
/// reported once, and its rest is dropped.
public struct ReplyLexer: Hashable, Sendable {
    /// The tokens that the lexer finds.
    public enum Token: Hashable, Sendable {
        /// A non-empty line without its line end.
        case line([UInt8])
        /// The adapter is ready for the next command.
        case prompt
        /// A line longer than ``ReplyLexer/longestLine`` bytes.
        case overlongLine
    }

    /// The longest line: a message of 4095 bytes with blanks, and a margin.
    ///
    /// Unit: bytes.
    public static let longestLine = 16_384

    private var partial: [UInt8] = []
    private var isOverlong = false

    /// A lexer at the beginning of a line.
    public init() {}

    /// The partial line so far: `SEARCHING...`.
    public var partialLine: [UInt8] { partial }

    /// Whether there is a partial line.
    public var hasPartialLine: Bool { !partial.isEmpty }

    /// Takes received bytes.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [Token]) {
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, Self.isText(bytes[end]) { end += 1 }
            if end > start { keep(bytes.extracting(start..<end), &out) }
            guard end < bytes.count else { return }
            if bytes[end] != 0x00 { endLine(&out) }
            if bytes[end] == UInt8(ascii: ">") { out.append(.prompt) }
            start = end + 1
        }
    }

    @inline(__always)
    private static func isText(_ byte: UInt8) -> Bool {
        byte != 0x0D && byte != 0x0A && byte != UInt8(ascii: ">") && byte != 0x00
    }

    private mutating func keep(_ text: Span<UInt8>, _ out: inout [Token]) {
        let room = Self.longestLine - partial.count
        text.extracting(first: min(text.count, room)).withUnsafeBufferPointer {
            partial.append(contentsOf: $0)
        }
        if text.count > room, !isOverlong {
            isOverlong = true
            out.append(.overlongLine)
        }
    }

    private mutating func endLine(_ out: inout [Token]) {
        if !partial.isEmpty, !isOverlong { out.append(.line(partial)) }
        // The token now owns the bytes.
        partial = []
        isOverlong = false
    }
}
