import OBDCore
import VehicleLink

/// Joins the segments in which an ELM327 shows a long message while headers are off.
///
/// ```
/// 014                       length, three digits
/// 0: 49 02 01 31 44 34      six bytes
/// 1: 47 50 30 30 52 35 35   seven bytes each; the number wraps from F to 0
/// 2: 42 31 32 33 34 35 36
/// ```
/// Lines do not show their sender. As soon as a second message begins before the last segment of the first
/// was seen, no line can be assigned any more: both messages are errors, and segments are ignored until the
/// exchange ends.
package struct SegmentReader: Hashable, Sendable {
    private struct Message: Hashable, Sendable {
        var total: Int
        var buffer: [UInt8]
        var next: Int?
        var segments: Int
        var line: Int

        /// The number of the last segment; nil if the numbers wrap, because it then occurs several times.
        func finalNumber(shift: Int, isJ1939: Bool) -> Int? {
            let first = isJ1939 ? 0 : 6 - shift
            let room = 7 - shift
            let further = (total - first + room - 1) / room
            return further <= 0xF ? further : nil
        }
    }

    private enum State: Hashable, Sendable {
        /// No message is open.
        ///
        /// `last` is the number of the segment that ended the last message; `late` are the missing segments
        /// that may still arrive.
        case idle(last: Int?, late: Range<Int> = 0..<0)
        /// A length was seen.
        case open(Message)
        /// An error was reported.
        ///
        /// Segments are dropped up to this number, which may be unknown.
        case broken(final: Int?)
        /// Two messages overlapped.
        case ambiguous
    }

    private var state = State.idle(last: nil)

    package init() {}

    /// Whether a message waits for segments.
    package var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// Whether no line is incomplete, so that ``finish()`` would report and change nothing.
    package var isAtRest: Bool {
        if case .idle(last: nil, late: _) = state { return true }
        return false
    }

    /// Returns the length that was seen last and has no segment after it, and forgets the length.
    package mutating func takeLength() -> (total: Int, line: Int)? {
        guard case .open(let message) = state, message.segments == 0 else { return nil }
        state = .idle(last: nil)
        return (message.total, message.line)
    }

    /// Reads a length line.
    ///
    /// - Parameter shortest: the shortest message that does not fit a single frame.
    package mutating func receive(
        length: Int, shortest: Int, line: Int, _ errors: inout [LinkError]
    ) {
        switch state {
        case .idle:
            guard length >= shortest else {
                state = .broken(final: nil)
                errors.append(
                    LinkError(.firstFrameLength(announced: length, available: 0), line: line))
                return
            }
            state = .open(
                Message(total: length, buffer: [], next: nil, segments: 0, line: line))
        case .open(let message):
            state = .ambiguous
            errors.append(
                LinkError(
                    .interrupted(expected: message.total, received: message.buffer.count),
                    line: line))
            errors.append(LinkError(.incomplete(expected: length, received: 0), line: line))
        case .broken, .ambiguous:
            state = .ambiguous
            errors.append(LinkError(.incomplete(expected: length, received: 0), line: line))
        }
    }

    /// Reads a numbered line and returns the message that it completes.
    ///
    /// - Parameters:
    ///   - shift: the bytes that extended addressing uses in each frame: 0 or 1.
    ///   - isJ1939: numbers begin at 1, and every segment has seven bytes.
    package mutating func receive(
        segment number: Int, _ bytes: InlineBytes, shift: Int, isJ1939: Bool, line: Int
    ) throws(LinkError) -> ECUMessage? {
        let shown = UInt8(truncatingIfNeeded: number)
        switch state {
        case .ambiguous: return nil
        case .broken(let final):
            if number == final { state = .idle(last: number) }
            return nil
        case .idle(_, let late) where late.contains(number): return nil
        case .idle(let last, _):
            // A repeated last segment, or a segment of a message whose length line is missing.
            if number != last { state = .broken(final: nil) }
            throw LinkError(.orphanConsecutiveFrame(number: shown), line: line)
        case .open(var message):
            let expected = message.next ?? (isJ1939 ? 1 : 0)
            let final = message.finalNumber(shift: shift, isJ1939: isJ1939)
            state = number == final ? .idle(last: number) : .broken(final: final)
            guard number == expected else {
                if number == final, number > expected {
                    state = .idle(last: number, late: expected..<number)
                }
                throw LinkError(
                    .sequence(expected: UInt8(truncatingIfNeeded: expected), received: shown),
                    line: line)
            }
            let isFirst = message.segments == 0 && !isJ1939
            let room = (isFirst ? 6 : 7) - shift
            let missing = message.total - message.buffer.count
            guard bytes.count <= room else {
                throw LinkError(.length(announced: room, received: bytes.count), line: line)
            }
            // Padded to the full segment or not at all; with any other length a byte was lost.
            guard bytes.count == room || bytes.count == missing else {
                throw LinkError(
                    .tooShort(expected: min(room, missing), received: bytes.count), line: line)
            }
            message.buffer.append(contentsOf: bytes.prefix(missing))
            message.segments += 1
            message.next = isJ1939 ? (number + 1) & 0xFF : (number + 1) & 0xF
            guard message.buffer.count >= message.total else {
                state = .open(message)
                return nil
            }
            state = .idle(last: number)
            return ECUMessage(
                ecu: nil, payload: message.buffer, line: message.line, frames: message.segments)
        }
    }

    /// Ends the exchange: an open message is incomplete.
    package mutating func finish() -> LinkError? {
        defer { state = .idle(last: nil) }
        guard case .open(let message) = state else { return nil }
        return LinkError(
            .incomplete(expected: message.total, received: message.buffer.count),
            line: message.line)
    }
}
