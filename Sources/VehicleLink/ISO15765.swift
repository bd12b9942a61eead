/// ISO 15765-2 on classic CAN: how a message is split into frames.
///
/// ```
/// 0L dd dd dd dd dd dd dd     single frame, L = 1…7 bytes
/// 1L LL dd dd dd dd dd dd     first frame, 12-bit length 8…4095
/// 2N dd dd dd dd dd dd dd     consecutive frame, N = 1…F, 0, 1, …
/// 3S BS ST                    flow control: continue, wait or overflow
/// ```
/// With extended addressing, an address byte comes first and everything else is shifted by one.
///
/// On CAN FD (ISO 15765-2:2016) frames of more than eight bytes have other lengths, and a single frame begins
/// with `00` and its length.
public enum ISO15765 {
    /// The longest message that a first frame can announce, in bytes.
    public static let longestPayload = 4095
    /// Data bytes of a classic CAN frame.
    public static let frameLength = 8
    /// The lengths of CAN FD frames with more than eight bytes.
    private static let lengthsOfFD = [12, 16, 20, 24, 32, 48, 64]

    /// Whether CAN FD has frames of `count` bytes that classic CAN does not have.
    package static func isLengthOfFD(_ count: Int) -> Bool { lengthsOfFD.contains(count) }

    /// The number of bytes that a data length code means.
    package static func length(ofCode code: Int) -> Int {
        code <= frameLength ? code : lengthsOfFD[min(code, 0xF) - frameLength - 1]
    }

    /// Whether a frame of `count` bytes holds `needed` bytes and no more padding than its length demands.
    package static func isFrameOfFD(_ count: Int, holding needed: Int) -> Bool {
        count > frameLength && needed <= count
            && (count == needed || lengthsOfFD.first { $0 >= needed } == count)
    }

    /// A tester's flow control that allows all frames without pauses.
    public static let flowControl: [UInt8] = [0x30, 0x00, 0x00]

    /// The data fields that carry `payload`.
    ///
    /// - Parameters:
    ///   - payload: the service and its data.
    /// - extendedAddress: the address byte of extended addressing; nil for normal addressing.
    /// - padding: the padding up to eight bytes, which OBD requires; nil for none.
    /// - Throws: ``FramingError`` if the payload is empty or longer than 4095 bytes.
    public static func frames(
        for payload: [UInt8], extendedAddress: UInt8? = nil, padding: UInt8? = 0x00
    ) throws(FramingError) -> [[UInt8]] {
        guard (1...longestPayload).contains(payload.count) else {
            throw .payloadLength(payload.count, allowed: 1...longestPayload)
        }
        let prefix = extendedAddress.map { [$0] } ?? []
        let room = frameLength - 1 - prefix.count
        if payload.count <= room {
            return [filled(prefix + [UInt8(payload.count)] + payload, with: padding)]
        }
        let control = [0x10 | UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        var rest = payload.dropFirst(room - 1)
        var frames = [prefix + control + Array(payload.prefix(room - 1))]
        var number: UInt8 = 1
        while !rest.isEmpty {
            frames.append(filled(prefix + [0x20 | number] + rest.prefix(room), with: padding))
            rest = rest.dropFirst(room)
            number = (number + 1) & 0x0F
        }
        return frames
    }

    private static func filled(_ frame: [UInt8], with padding: UInt8?) -> [UInt8] {
        guard let padding else { return frame }
        return frame + Array(repeating: padding, count: max(0, frameLength - frame.count))
    }
}
