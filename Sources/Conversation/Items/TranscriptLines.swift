import Adapters

/// The text lines of a recording as they would appear on a screen.
///
/// Sent and received bytes are both split at their line ends. Line numbers are those of the recording.
public struct TranscriptLines {
    /// Passes each line to `body`, with the number of the recording's line on which it began.
    public static func forEach(
        in transcript: Transcript, numbers: [Int],
        _ body: (_ line: [UInt8], _ direction: Transcript.Direction, _ number: Int) -> Void
    ) {
        var partial: [UInt8] = []
        var began = 0
        for (chunk, number) in zip(transcript.chunks, numbers) {
            switch chunk.direction {
            case .toAdapter:
                if !partial.isEmpty { body(partial, .fromAdapter, began) }
                partial.removeAll(keepingCapacity: true)
                for command in chunk.bytes.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
                    body(Array(command), .toAdapter, number)
                }
            case .fromAdapter:
                for byte in chunk.bytes {
                    switch byte {
                    case 0x0D, 0x0A:
                        if !partial.isEmpty { body(partial, .fromAdapter, began) }
                        partial.removeAll(keepingCapacity: true)
                    case 0x3E:
                        // A prompt ends the answer; it does not begin a request here.
                        if !partial.isEmpty { body(partial, .fromAdapter, began) }
                        partial.removeAll(keepingCapacity: true)
                        body([0x3E], .fromAdapter, number)
                    case 0x00: break
                    default:
                        if partial.isEmpty { began = number }
                        partial.append(byte)
                    }
                }
            }
        }
        if !partial.isEmpty { body(partial, .fromAdapter, began) }
    }
}
