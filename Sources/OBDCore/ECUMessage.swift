/// A complete message from one ECU, without header, protocol control bytes and checksum.
public struct ECUMessage: Hashable, Sendable {
    /// The ECU; nil if headers were off or the protocol has no addresses.
    public var ecu: ECUAddress?
    /// Response ID and data: `41 0C 1A F8`.
    public var payload: [UInt8]
    /// The input line on which the message began, from 1; 0 on a live link.
    public var line: Int
    /// The number of frames of the message.
    public var frames: Int
    /// The parameter group number of SAE J1939, whose payload only has data; nil for other protocols.
    public var parameterGroup: UInt32?

    /// A message of `ecu`.
    public init(
        ecu: ECUAddress?, payload: [UInt8], line: Int = 0, frames: Int = 1,
        parameterGroup: UInt32? = nil
    ) {
        self.ecu = ecu
        self.payload = payload
        self.line = line
        self.frames = frames
        self.parameterGroup = parameterGroup
    }
}
