public import OBDCore

/// ISO 14230-2 (KWP 2000) frames.
///
/// ```
/// 86 F1 10 41 00 BE 1F B8 10 6D     format byte with length, target, source, data, sum
/// 80 F1 10 06 41 00 …               length 0 in the format byte: a length byte follows
/// 06 41 00 BE 1F B8 10 …            bits 7–6 = 00: no addresses
/// 48 6B 10 41 05 7B 84              bits 7–6 = 01: the header of ISO 9141-2
/// ```
public enum ISO14230 {
    /// The addressing of a message in bits 7–6 of the format byte.
    public enum Addressing: Hashable, Sendable {
        /// No address bytes.
        case absent
        /// A single ECU.
        case physical(target: UInt8, source: UInt8)
        /// A group of ECUs.
        case functional(target: UInt8, source: UInt8)
    }

    /// One frame with its checksum.
    ///
    /// - Parameters:
    ///   - payload: the service and its data.
    /// - addressing: the form of receiver and sender in the header.
    /// - lengthByte: whether to write the length after the addresses instead of into the format byte; always
    ///   the case for payloads of 64 bytes or more.
    /// - Throws: ``FramingError`` unless the payload has 1 to 255 bytes.
    public static func frame(
        for payload: [UInt8], addressing: Addressing, lengthByte: Bool = false
    ) throws(FramingError) -> [UInt8] {
        guard (1...255).contains(payload.count) else {
            throw .payloadLength(payload.count, allowed: 1...255)
        }
        let separate = lengthByte || payload.count > 0x3F
        let length = separate ? 0 : UInt8(payload.count)
        var body: [UInt8]
        switch addressing {
        case .absent: body = [length]
        case .physical(let target, let source): body = [0x80 | length, target, source]
        case .functional(let target, let source): body = [0xC0 | length, target, source]
        }
        if separate { body.append(UInt8(payload.count)) }
        body += payload
        return body + [Checksum.sum(body)]
    }

    /// Whether the checksum of a frame that ends with its data may have been left out.
    public static func mayLackChecksum(_ bytes: InlineBytes, _ layout: Layout) -> Bool {
        guard let length = layout.dataLength, let last = bytes.last,
            bytes.count == layout.headerLength + length
        else { return false }
        return Checksum.sum(bytes.dropLast()) != last
    }

    /// The positions in a frame, as defined by its format byte.
    public struct Layout: Hashable, Sendable {
        /// Bytes before the data.
        public var headerLength: Int
        /// The number of data bytes; nil if the header does not contain it (that of ISO 9141-2).
        public var dataLength: Int?
        /// The source byte; nil without addresses.
        public var source: UInt8?

        /// The layout of the frame that begins with `bytes`; nil if the header is incomplete.
        public init?(_ bytes: some RandomAccessCollection<UInt8>) {
            func byte(_ offset: Int) -> UInt8? {
                guard offset < bytes.count else { return nil }
                return bytes[bytes.index(bytes.startIndex, offsetBy: offset)]
            }
            guard let format = byte(0) else { return nil }
            let addressed = format >> 6 != 0
            headerLength = addressed ? 3 : 1
            if addressed {
                guard let third = byte(2) else { return nil }
                source = third
            }
            if format >> 6 == 1 {
                dataLength = nil
            } else if format & 0x3F != 0 {
                dataLength = Int(format & 0x3F)
            } else {
                guard let length = byte(headerLength), length > 0 else { return nil }
                headerLength += 1
                dataLength = Int(length)
            }
        }
    }
}

/// Checks ISO 14230 frames and extracts their messages.
///
/// Some adapters leave out the checksum. A frame without a checksum is only accepted until a frame with a
/// valid checksum was seen; after that, such a frame has lost a byte. Such a frame is also rejected if its
/// last byte is the sum of the bytes before it, because the last byte then is the checksum and the length is
/// wrong.
public struct ISO14230Assembler: Hashable, Sendable {
    /// Whether a frame with a valid checksum was seen.
    public private(set) var checksumsSeen = false

    /// An assembler that has read nothing.
    public init() {}

    /// The message in a frame with its header.
    ///
    /// - Parameters:
    ///   - frame: one frame as received.
    ///   - needsChecksum: whether a frame without a checksum is always an error.
    /// - Throws: ``LinkError`` for a wrong length or checksum.
    public mutating func message(
        from frame: LinkFrame, needsChecksum: Bool = false
    ) throws(LinkError) -> ECUMessage {
        let count = frame.bytes.count
        guard let layout = ISO14230.Layout(frame.bytes) else {
            throw LinkError(.header, line: frame.line)
        }
        let ecu = layout.source.map { ECUAddress(UInt32($0), .byte) }
        let header = layout.headerLength
        let length = layout.dataLength ?? count - header - 1
        guard length > 0 else {
            throw LinkError(
                .tooShort(expected: header + 2, received: count), ecu: ecu, line: frame.line)
        }
        switch count - header - length {
        case 1:
            let expected = Checksum.sum(frame.bytes.dropLast())
            let received = frame.bytes[count - 1]
            guard expected == received else {
                throw LinkError(
                    .checksum(expected: expected, received: received), ecu: ecu, line: frame.line)
            }
            checksumsSeen = true
        case 0
        where !needsChecksum && !checksumsSeen && ISO14230.mayLackChecksum(frame.bytes, layout):
            break
        default:
            throw LinkError(
                .length(announced: length, received: max(0, count - header - 1)), ecu: ecu,
                line: frame.line)
        }
        return ECUMessage(
            ecu: ecu, payload: Array(frame.bytes[header..<header + length]), line: frame.line)
    }
}
