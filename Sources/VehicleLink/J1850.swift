public import OBDCore

/// SAE J1850 frames (PWM and VPW): three header bytes, up to seven bytes of data, and a CRC.
///
/// On PWM, receivers add bytes to acknowledge the frame (in-frame response, IFR).
///
/// ```
/// 41 6B 10 41 05 7B xx F1
/// └header┘ └─data─┘ CRC IFR
/// ```
public enum J1850 {
    /// The header of an answer of the ECU at `source` on PWM.
    public static func responseHeaderPWM(from source: UInt8) -> [UInt8] { [0x41, 0x6B, source] }

    /// The header of an answer of the ECU at `source` on VPW.
    public static func responseHeaderVPW(from source: UInt8) -> [UInt8] { [0x48, 0x6B, source] }

    /// One frame with its CRC, followed by the in-frame response bytes.
    ///
    /// - Throws: ``FramingError`` unless the payload has 1 to 7 bytes.
    public static func frame(
        for payload: [UInt8], header: [UInt8], inFrameResponse: [UInt8] = []
    ) throws(FramingError) -> [UInt8] {
        guard (1...7).contains(payload.count) else {
            throw .payloadLength(payload.count, allowed: 1...7)
        }
        let body = header + payload
        return body + [Checksum.crc8(body)] + inFrameResponse
    }

    /// The most receivers that may acknowledge one frame.
    static let mostAcknowledgements = 4

    /// The position of the CRC; nil if none is valid.
    ///
    /// If several are valid, the last one is used, so that as few bytes as possible count as in-frame
    /// response. An answer (to 6B) is only acknowledged by the tester. Other frames are acknowledged by
    /// several receivers with their addresses in ascending order, because the lowest wins the arbitration.
    ///
    /// - Parameters:
    ///   - bytes: a frame from its header on.
    ///   - inFrameResponse: whether bytes may follow the CRC (PWM).
    public static func crcIndex(
        in bytes: some RandomAccessCollection<UInt8>, inFrameResponse: Bool
    ) -> Int? {
        let last = bytes.count - 1
        let isAnswer = bytes.dropFirst().first == 0x6B
        let most = isAnswer ? 1 : mostAcknowledgements
        var crc: UInt8 = 0xFF
        var before: UInt8?
        var found: Int?
        for (offset, byte) in bytes.enumerated() {
            // A byte that does not ascend cannot be a second acknowledgement.
            if let index = found, offset > index + 1, let before, byte <= before { found = nil }
            let mayStandHere =
                offset == last || inFrameResponse && last - offset <= most
            if offset >= 4, mayStandHere, ~crc == byte { found = offset }
            crc = Checksum.next(crc, byte)
            before = byte
        }
        return found
    }

    /// The message in a frame with its header and CRC.
    ///
    /// - Throws: ``LinkError`` for a frame that is too short or has a wrong CRC.
    public static func message(
        from frame: LinkFrame, inFrameResponse: Bool
    ) throws(LinkError) -> ECUMessage {
        let count = frame.bytes.count
        guard count >= 5 else {
            throw LinkError(.tooShort(expected: 5, received: count), line: frame.line)
        }
        let source = ECUAddress(UInt32(frame.bytes[2]), .byte)
        guard let end = crcIndex(in: frame.bytes, inFrameResponse: inFrameResponse) else {
            throw LinkError(
                .checksum(
                    expected: Checksum.crc8(frame.bytes.dropLast()),
                    received: frame.bytes[count - 1]),
                ecu: source, line: frame.line)
        }
        return ECUMessage(ecu: source, payload: Array(frame.bytes[3..<end]), line: frame.line)
    }
}
