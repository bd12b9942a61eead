/// Finds out whether an adapter listens at the line's present rate: a harmless question out, its
/// verdict on what comes back.
struct LineProbe: Hashable, Sendable {
    /// Two DEL characters are not a command and no message of any adapter: the answer is `?`.
    ///
    /// A bare carriage return would repeat whatever came last, a clear of codes included.
    static let question: [UInt8] = [0x7F, 0x7F, 0x0D]
    /// At a wrong rate a few bytes may already are in the adapter's line as half a command, which
    /// the first question then completes.
    static let questions = 2
    /// How long an answer is waited for.
    static let patience = Duration.milliseconds(200)

    private var heard: [UInt8] = []

    /// Takes what came; true once it makes sense: a prompt after printable text.
    mutating func receive(_ bytes: [UInt8]) -> Bool {
        for byte in bytes {
            switch byte {
            case 0x3E:
                if !heard.isEmpty, heard.allSatisfy(Self.isPlain) { return true }
                heard.removeAll(keepingCapacity: true)
            // Adapters print NULs now and then; they mean nothing.
            case 0x00: break
            default: if heard.count < 256 { heard.append(byte) }
            }
        }
        return false
    }

    /// Text, line ends, and the question itself: adapters echo until they are told not to.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7F).contains(byte) || byte == 0x0D || byte == 0x0A
    }
}
