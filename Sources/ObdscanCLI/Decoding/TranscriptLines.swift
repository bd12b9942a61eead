import Adapters

/// The text lines of a recording, as they would have stood on a screen.
///
/// What was sent becomes a request line, what came is cut at its line ends. Line numbers are those
/// of the recording.
struct TranscriptLines {
    /// Hands each line to `body`, with the number of the recording's line on which it began.
    static func forEach(
        in transcript: Transcript, numbers: [Int], _ body: (_ line: [UInt8], _ number: Int) -> Void
    ) {
        var partial: [UInt8] = []
        var began = 0
        for (chunk, number) in zip(transcript.chunks, numbers) {
            switch chunk.direction {
            case .toAdapter:
                if !partial.isEmpty { body(partial, began) }
                partial.removeAll(keepingCapacity: true)
                for command in chunk.bytes.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
                    body([0x3E] + command, number)
                }
            case .fromAdapter:
                for byte in chunk.bytes {
                    switch byte {
                    case 0x0D, 0x0A:
                        if !partial.isEmpty { body(partial, began) }
                        partial.removeAll(keepingCapacity: true)
                    case 0x3E:
                        // A bare prompt ends the answer; it does not begin a request here.
                        if !partial.isEmpty { body(partial, began) }
                        partial.removeAll(keepingCapacity: true)
                        body([0x3E], number)
                    case 0x00: break
                    default:
                        if partial.isEmpty { began = number }
                        partial.append(byte)
                    }
                }
            }
        }
        if !partial.isEmpty { body(partial, began) }
    }
}
