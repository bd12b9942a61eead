/// One frame of the demonstration protocol, four bytes: a paddle with a position, buttons and lights.
///
/// The frame is an example of a private wire protocol. A receiver finds the next frame after any loss, and a
/// checksum shows which frames are damaged.
///
///     1 c c c c c p p   command (5 bits), payload bits 15–14
///     0 p p p p p p p   payload bits 13–7
///     0 p p p p p p p   payload bits 6–0
///     0 x x x x x x x   CRC-7 over the 21 bits above
public struct PaddleFrame: Hashable, Sendable {
    /// The kind of content.
    public enum Command: Hashable, Sendable {
        /// The absolute position of the paddle; sent by the device.
        case position
        /// The pressed buttons, one bit each; sent by the device.
        case buttons
        /// The lights to switch on, one bit each; sent to the device.
        case lights
        /// Reserved, 3 to 31: valid, but without a meaning.
        case reserved(UInt8)

        /// The command for a code of five bits.
        public init(_ code: UInt8) {
            switch code & 0x1F {
            case 0: self = .position
            case 1: self = .buttons
            case 2: self = .lights
            default: self = .reserved(code & 0x1F)
            }
        }

        /// The five bits; 0 to 31.
        public var code: UInt8 {
            switch self {
            case .position: 0
            case .buttons: 1
            case .lights: 2
            case .reserved(let code): code & 0x1F
            }
        }
    }

    /// The protocol string of devices with this protocol.
    public static let protocolString = "org.obdscan.demo.paddle"

    /// The kind of content.
    public var command: Command
    /// A position or a bit mask, depending on ``command``.
    public var payload: UInt16

    /// A frame.
    public init(_ command: Command, _ payload: UInt16) {
        self.command = command
        self.payload = payload
    }

    /// The four bytes on the wire.
    public var bytes: [UInt8] {
        let bits = UInt32(command.code) << 16 | UInt32(payload)
        return [
            0x80 | UInt8(bits >> 14), UInt8(bits >> 7 & 0x7F), UInt8(bits & 0x7F),
            Self.checksum(UInt64(bits), count: 21),
        ]
    }

    /// Parses a frame; nil if a start bit or the checksum is wrong.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 4, bytes[0] >= 0x80, bytes[1...].allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        let bits =
            UInt32(bytes[0] & 0x7F) << 14 | UInt32(bytes[1]) << 7 | UInt32(bytes[2])
        guard bytes[3] == Self.checksum(UInt64(bits), count: 21) else { return nil }
        command = Command(UInt8(bits >> 16))
        payload = UInt16(truncatingIfNeeded: bits)
    }

    /// CRC-7 over the low `count` bits, from the highest down.
    ///
    /// Polynomial x⁷ + x³ + 1, initial value 0.
    static func checksum(_ bits: UInt64, count: Int) -> UInt8 {
        var register: UInt8 = 0
        for index in (0..<count).reversed() {
            let bit = UInt8(bits >> UInt64(index) & 1)
            let carries = register >> 6 & 1 != bit
            register = register << 1 & 0x7F
            if carries { register ^= 0x09 }
        }
        return register
    }
}
