public import OBDCore

/// A frame of classic CAN, independent of the format of the link.
public struct CANFrame: Hashable, Sendable {
    /// The identifier: `ECUAddress.Form.can11` or `.can29`.
    public var id: ECUAddress
    /// Up to eight bytes.
    public var data: InlineBytes
    /// Whether the frame requests a frame with this identifier and has no data itself.
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

/// A report of a CAN controller about the bus or itself (linux/can/error.h).
public enum CANFault: Hashable, Sendable {
    /// No node acknowledges the sent frames: there is no other node, or it uses another bit rate.
    case noAcknowledge
    /// The controller counted too many errors and left the bus.
    case busOff
    /// The controller counted many errors and no longer marks them on the bus.
    case passive
    /// The transceiver reports a broken or shorted wire.
    case wires
    /// Any kind of error on the bus.
    case disturbed
    /// The controller works without errors again, or was restarted.
    case recovered
    /// The controller's buffer overran and frames are missing.
    case overrun
}

/// An event on a link to a CAN bus.
public enum CANEvent: Hashable, Sendable {
    /// A frame from another node.
    case frame(CANFrame)
    /// A fault of the controller.
    case fault(CANFault)
    /// An slcan adapter confirms a command: an empty line.
    case confirmed
    /// An slcan adapter refuses a command: BEL.
    case refused
    /// An slcan adapter took a frame to send (`z`, `Z`).
    case queued
    /// A line of an slcan adapter that is not a frame, such as its version.
    case text(String)
    /// Data that cannot be a frame.
    case damage
}

/// The format in which a link carries CAN frames.
public enum CANWire: Hashable, Sendable {
    /// Lines of text (slcan).
    case slcan(SLCANLexer)
    /// Records of 16 bytes (SocketCAN).
    case records(CANRecordLexer)

    /// Takes received bytes; the events do not depend on how the bytes are split.
    public mutating func receive(_ bytes: Span<UInt8>, _ out: inout [CANEvent]) {
        // Moved out of the enum, so that the arrays have a single owner and are appended to without a copy.
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
