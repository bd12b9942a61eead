public import OBDCore

/// One frame of classic CAN, freed of the form in which a link carries it.
public struct CANFrame: Hashable, Sendable {
    /// The identifier: ``ECUAddress/Form/can11`` or ``ECUAddress/Form/can29``.
    public var id: ECUAddress
    /// Up to eight bytes.
    public var data: InlineBytes
    /// Whether it asks for a frame of this identifier and has no data of its own.
    public var isRemote: Bool

    /// A frame.
    public init(_ id: ECUAddress, _ data: InlineBytes, isRemote: Bool = false) {
        self.id = id
        self.data = data
        self.isRemote = isRemote
    }

    /// The most data bytes of a frame.
    public static let longestData = 8
}

/// What a CAN controller reports about the bus or itself (linux/can/error.h).
public enum CANFault: Hashable, Sendable {
    /// Nobody acknowledges what is sent: nothing else is on the bus, or its rate is another one.
    case noAcknowledge
    /// The controller counted so many errors that it left the bus.
    case busOff
    /// The controller counted many errors and no longer marks them on the bus.
    case passive
    /// An error on the bus, of whatever kind.
    case disturbed
    /// The controller works without errors again, or was started again.
    case recovered
    /// The controller's buffer overran: frames are missing.
    case overrun
}

/// What a link to a CAN bus brings.
public enum CANEvent: Hashable, Sendable {
    /// A frame that somebody else sent.
    case frame(CANFrame)
    /// The controller's news.
    case fault(CANFault)
    /// An slcan adapter confirms a command: an empty line.
    case confirmed
    /// An slcan adapter refuses a command: BEL.
    case refused
    /// An slcan adapter took a frame to send (`z`, `Z`).
    case queued
    /// A line of an slcan adapter that is no frame: its version, for instance.
    case text(String)
    /// What cannot be a frame.
    case damage
}

/// How a link carries frames of CAN.
public enum CANWire: Hashable, Sendable {
    /// Lines of text (slcan).
    case slcan(SLCANLexer)
    /// Records of 16 bytes (SocketCAN).
    case records(CANRecordLexer)

    /// Takes bytes as they came; any split gives the same events.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [CANEvent]) {
        // Taken out, not copied: whoever holds arrays alone appends without copying them.
        switch self {
        case .slcan(var lexer):
            self = .records(CANRecordLexer())
            lexer.receive(bytes, &out)
            self = .slcan(lexer)
        case .records(var lexer):
            self = .slcan(SLCANLexer())
            lexer.receive(bytes, &out)
            self = .records(lexer)
        }
    }

    /// The bytes that send `frame`.
    public func bytes(of frame: CANFrame) -> [UInt8] {
        switch self {
        case .slcan: SLCAN.line(of: frame)
        case .records: CANRecord.bytes(of: frame)
        }
    }
}
