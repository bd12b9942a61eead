public import OBDCore

/// ISO 9141-2 frames: three header bytes, up to seven bytes of data, and the sum of all of them.
///
/// ```
/// 48 6B 10 41 05 7B 84
/// └header┘ └─data─┘ checksum
/// ```
public enum ISO9141 {
    /// The header of an answer of the ECU at `source`.
    public static func responseHeader(from source: UInt8) -> [UInt8] { [0x48, 0x6B, source] }

    /// One frame with its checksum.
    ///
    /// - Throws: ``FramingError`` unless the payload has 1 to 7 bytes.
    public static func frame(
        for payload: [UInt8], header: [UInt8]
    ) throws(FramingError) -> [UInt8] {
        guard (1...7).contains(payload.count) else {
            throw .payloadLength(payload.count, allowed: 1...7)
        }
        let body = header + payload
        return body + [Checksum.sum(body)]
    }

    /// The message in a frame with its header and checksum.
    ///
    /// - Throws: ``LinkError`` for a frame that is too short, has a wrong checksum, or is sent to the address
    ///   of answers (6B) without being one (48; 41, as on PWM, is accepted).
    public static func message(from frame: LinkFrame) throws(LinkError) -> ECUMessage {
        let count = frame.bytes.count
        guard count >= 5 else {
            throw LinkError(.tooShort(expected: 5, received: count), line: frame.line)
        }
        let source = ECUAddress(UInt32(frame.bytes[2]), .byte)
        let expected = Checksum.sum(frame.bytes.dropLast())
        let received = frame.bytes[count - 1]
        guard expected == received else {
            throw LinkError(
                .checksum(expected: expected, received: received), ecu: source, line: frame.line)
        }
        // The sum does not detect two bytes that changed by the same amount in opposite directions.
        guard frame.bytes[1] != 0x6B || frame.bytes[0] == 0x48 || frame.bytes[0] == 0x41 else {
            throw LinkError(.header, ecu: source, line: frame.line)
        }
        return ECUMessage(
            ecu: source, payload: Array(frame.bytes[3..<count - 1]), line: frame.line)
    }
}
