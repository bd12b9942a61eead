/// Splits bytes into text lines that end with CR, LF or CR LF.
///
/// A chunk may end anywhere, even between CR and LF.
public struct TextLines {
    /// A line longer than this is split; adapters do not send such lines.
    ///
    /// Unit: bytes.
    public static let longestLine = 64 * 1024

    private var rest: [UInt8] = []
    private var lastWasCR = false
    /// The number of the current line, from 1.
    public private(set) var number = 1

    /// Begins with line 1.
    public init() {}

    /// Passes every complete line to `body`.
    public mutating func receive(
        _ chunk: some Sequence<UInt8>, _ body: (_ line: [UInt8], _ number: Int) -> Void
    ) {
        for byte in chunk {
            switch byte {
            case 0x0A where lastWasCR: lastWasCR = false
            case 0x0A, 0x0D:
                body(rest, number)
                rest.removeAll(keepingCapacity: true)
                number += 1
                lastWasCR = byte == 0x0D
            default:
                lastWasCR = false
                rest.append(byte)
                if rest.count >= Self.longestLine {
                    body(rest, number)
                    rest.removeAll(keepingCapacity: true)
                }
            }
        }
    }

    /// Passes on the text after the last line end.
    public mutating func finish(_ body: (_ line: [UInt8], _ number: Int) -> Void) {
        guard !rest.isEmpty else { return }
        body(rest, number)
        rest = []
    }
}
