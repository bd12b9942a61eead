/// Cuts what an adapter sends into lines and prompts, whatever pieces it comes in.
///
/// Lines end with CR, LF or both; empty lines are dropped, NUL bytes too (some chips send them).
/// The prompt `>` has no line end of its own and may be glued to the text before it. A line that
/// is longer than any answer is cut off and reported once; its rest is dropped.
public struct ReplyLexer: Hashable, Sendable {
    /// What the lexer finds.
    public enum Token: Hashable, Sendable {
        /// A line without its end; not empty.
        case line([UInt8])
        /// The adapter is ready for the next command.
        case prompt
        /// A line of more than ``ReplyLexer/longestLine`` bytes.
        case overlongLine
    }

    /// Bytes that a line may have: a message of 4095 bytes with blanks, and room to spare.
    public static let longestLine = 16_384

    private var partial: [UInt8] = []
    private var isOverlong = false

    /// A lexer at the beginning of a line.
    public init() {}

    /// The line that has begun and not ended: `SEARCHING...`.
    public var partialLine: [UInt8] { partial }

    /// Whether a line has begun and not ended.
    public var hasPartialLine: Bool { !partial.isEmpty }

    /// Takes bytes as they came.
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

    /// Forgets the line that has begun.
    public mutating func reset() {
        partial = []
        isOverlong = false
    }

    private mutating func endLine(_ out: inout [Token]) {
        if !partial.isEmpty, !isOverlong { out.append(.line(partial)) }
        // The token has the bytes now.
        partial = []
        isOverlong = false
    }
}
