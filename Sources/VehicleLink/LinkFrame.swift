public import OBDCore

/// One frame as the adapter showed it, freed of its text form.
public struct LinkFrame: Hashable, Sendable {
    /// The CAN identifier; nil where headers are off and on protocols before CAN, whose header
    /// bytes are in `bytes`.
    public var header: ECUAddress?
    /// The data field with its protocol control bytes on CAN; before CAN the whole frame, header
    /// and checksum included, or the bare message where headers are off.
    public var bytes: InlineBytes
    /// The input line it stood on, from 1; 0 on a live link.
    public var line: Int

    /// A frame.
    public init(header: ECUAddress?, bytes: InlineBytes, line: Int = 0) {
        self.header = header
        self.bytes = bytes
        self.line = line
    }
}
