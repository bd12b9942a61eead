public import OBDCore

/// A frame from the adapter, independent of its text form.
public struct LinkFrame: Hashable, Sendable {
    /// The CAN identifier.
    ///
    /// Nil if headers are off, and on protocols before CAN, whose header bytes are in `bytes`.
    public var header: ECUAddress?
    /// The data field with its protocol control bytes on CAN.
    ///
    /// Before CAN the whole frame including header and checksum, or only the message if headers are off.
    public var bytes: InlineBytes
    /// The number of the frame's input line, from 1; 0 on a live link.
    public var line: Int

    /// A frame.
    public init(header: ECUAddress?, bytes: InlineBytes, line: Int = 0) {
        self.header = header
        self.bytes = bytes
        self.line = line
    }
}
