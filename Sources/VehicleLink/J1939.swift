import OBDCore

/// SAE J1939: the fields of a 29-bit identifier, and the splitting of long messages.
///
/// ```
/// 28…26     25–24   23…16  15…8   7…0
/// priority  page    PF     PS     source
/// ```
/// The parameter group is page, PF and PS if PF >= F0; for lower values PS is the destination.
public enum J1939 {
    /// The transport protocol's connection management, PGN EC00.
    public static let connectionManagement: UInt32 = 0xEC00
    /// The transport protocol's data transfer, PGN EB00.
    public static let dataTransfer: UInt32 = 0xEB00
    /// The claim of a source address with the NAME of its ECU (SAE J1939-81), PGN EE00.
    public static let addressClaimed: UInt32 = 0xEE00
    /// The destination that means all nodes.
    public static let everyone: UInt8 = 0xFF
    /// The longest message of the transport protocol, in bytes.
    public static let longestPayload = 1785

    /// Whether both page bits of a 29-bit identifier are set, which is reserved for ISO 15765-3 and not used
    /// by SAE J1939.
    public static func isReserved(_ identifier: UInt32) -> Bool {
        identifier >> 24 & 0x3 == 0x3
    }

    /// Whether a 29-bit identifier may be a group that SAE J1939 itself defines, from E800 on; lower groups
    /// are shared with other protocols.
    public static func mayBeIdentifier(_ identifier: UInt32) -> Bool {
        !isReserved(identifier) && identifier >> 16 & 0xFF >= 0xE8
    }

    /// The fields of a 29-bit identifier.
    public struct Identifier: Hashable, Sendable {
        /// 0 (first) to 7.
        public var priority: UInt8
        /// The parameter group number, 18 bits.
        public var parameterGroup: UInt32
        /// The destination; nil for groups without one.
        public var destination: UInt8?
        /// The sender.
        public var source: UInt8

        /// The fields of `value`.
        public init(_ value: UInt32) {
            priority = UInt8(truncatingIfNeeded: value >> 26) & 0x7
            source = UInt8(truncatingIfNeeded: value)
            let group = value >> 8 & 0x3_FFFF
            if group >> 8 & 0xFF < 0xF0 {
                parameterGroup = group & 0x3_FF00
                destination = UInt8(truncatingIfNeeded: group)
            } else {
                parameterGroup = group
                destination = nil
            }
        }

        /// An identifier from its fields; `destination` is only used if the group has one.
        public init(
            priority: UInt8, parameterGroup: UInt32, destination: UInt8? = nil, source: UInt8
        ) {
            self.priority = priority & 0x7
            self.parameterGroup = parameterGroup & 0x3_FFFF
            self.source = source
            let hasDestination = parameterGroup >> 8 & 0xFF < 0xF0
            self.destination = hasDestination ? destination ?? J1939.everyone : nil
            if hasDestination { self.parameterGroup &= 0x3_FF00 }
        }

        /// The identifier as on the wire.
        public var value: UInt32 {
            UInt32(priority) << 26 | parameterGroup << 8 | UInt32(destination ?? 0) << 8
                | UInt32(source)
        }
    }

    /// The frames that carry `payload`: a single one, or an announcement and numbered packets.
    ///
    /// Without a destination, or to all nodes, a long message is announced as a broadcast (BAM), otherwise as
    /// a request to send (RTS). The receiver's own frames are not included.
    ///
    /// - Throws: ``FramingError`` if the payload is empty or longer than 1785 bytes.
    public static func frames(
        for payload: [UInt8], parameterGroup: UInt32, source: UInt8, destination: UInt8? = nil,
        priority: UInt8 = 6
    ) throws(FramingError) -> [LinkFrame] {
        guard (1...longestPayload).contains(payload.count) else {
            throw .payloadLength(payload.count, allowed: 1...longestPayload)
        }
        func frame(_ group: UInt32, priority: UInt8, to destination: UInt8?, _ bytes: [UInt8])
            -> LinkFrame
        {
            let id = Identifier(
                priority: priority, parameterGroup: group, destination: destination,
                source: source)
            return LinkFrame(header: ECUAddress(id.value, .can29), bytes: InlineBytes(bytes))
        }
        if payload.count <= 8 {
            return [frame(parameterGroup, priority: priority, to: destination, payload)]
        }
        let receiver = destination ?? everyone
        let packets = (payload.count + 6) / 7
        let announcement: [UInt8] = [
            receiver == everyone ? 0x20 : 0x10, UInt8(payload.count & 0xFF),
            UInt8(payload.count >> 8), UInt8(packets), 0xFF,
            UInt8(truncatingIfNeeded: parameterGroup),
            UInt8(truncatingIfNeeded: parameterGroup >> 8),
            UInt8(truncatingIfNeeded: parameterGroup >> 16),
        ]
        var frames = [frame(connectionManagement, priority: 7, to: receiver, announcement)]
        for packet in 0..<packets {
            let data = payload.dropFirst(packet * 7).prefix(7)
            let filler = Array(repeating: UInt8(0xFF), count: 7 - data.count)
            frames.append(
                frame(
                    dataTransfer, priority: 7, to: receiver, [UInt8(packet + 1)] + data + filler))
        }
        return frames
    }
}
