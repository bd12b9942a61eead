/// Finds out whether an adapter listens at the current line rate.
///
/// The probe sends a harmless command and checks the answer.
struct LineProbe: Hashable, Sendable {
    /// Two DEL characters, which are neither a command nor a message for any adapter, so the answer is `?`.
    ///
    /// A single carriage return would repeat the last command, even one that clears codes.
    static let question: [UInt8] = [0x7F, 0x7F, 0x0D]
    /// The number of attempts.
    ///
    /// Bytes sent at a wrong rate may already be in the adapter's input as a partial command, which the first
    /// attempt then completes.
    static let questions = 2
    /// The time to wait for an answer.
    static let patience = Duration.milliseconds(200)

    private var heard: [UInt8] = []

    /// Takes received bytes; true once they are a valid answer: a prompt after printable text.
    mutating func receive(_ bytes: [UInt8]) -> Bool {
        for byte in bytes {
            switch byte {
            case 0x3E:
                if !heard.isEmpty, heard.allSatisfy(Self.isPlain) { return true }
                heard.removeAll(keepingCapacity: true)
            // Adapters sometimes send NULs, which have no meaning.
            case 0x00: break
            default: if heard.count < 256 { heard.append(byte) }
            }
        }
        return false
    }

    /// Whether a byte is text, a line end, or part of the command, which adapters echo by default.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7F).contains(byte) || byte == 0x0D || byte == 0x0A
    }
}
