import OBDCore
import TestSupport
import VehicleLink

/// Frames of every family.
///
/// A message must consist of bytes of its own frames only, and no message may remain open at the
/// end.
func readFrames(_ input: [UInt8]) {
    var cutter = Cutter(input)
    let choice = cutter.byte()
    let family = VehicleProtocol.Family.allCases[
        Int(choice & 7) % VehicleProtocol.Family.allCases.count]
    let extended = choice & 0x10 != 0
    var assembler = MessageAssembler(
        family, extendedAddressing: extended, inFrameResponse: choice & 0x20 != 0)

    var sent: [UInt32: [UInt8]] = [:]
    var frames = 0
    var messages = 0
    var errors = 0
    while !cutter.isAtEnd {
        let head = cutter.byte()
        let header = header(family, head, &cutter)
        let bytes = cutter.bytes(Int(head & 0xF))
        frames += 1
        let frame = LinkFrame(header: header, bytes: InlineBytes(bytes), line: frames)
        let key = sender(family, header, bytes, extended)
        sent[key, default: []] += bytes
        do {
            if let message = try assembler.receive(frame) {
                messages += 1
                check(message, family, bytes, sent[key] ?? [], frames)
            }
        } catch {
            errors += 1
            require(error.line >= 1 && error.line <= frames, "an error on line \(error.line)")
            require(!error.reason.isEmpty, "an error without a reason")
        }
        errors += assembler.takeErrors().count
    }
    errors += assembler.finish().count
    require(assembler.finish().isEmpty, "something is open behind the end")
    require(messages <= frames, "\(messages) messages of \(frames) frames")
    require(errors <= frames * 2, "\(errors) errors of \(frames) frames")
}

private func header(
    _ family: VehicleProtocol.Family, _ head: UInt8, _ cutter: inout Cutter
) -> ECUAddress? {
    switch family {
    case .can:
        switch head >> 4 & 3 {
        case 0: ECUAddress(0x7E8 + UInt32(head >> 6), .can11)
        case 1: ECUAddress(0x18DA_F110 + UInt32(head >> 6), .can29)
        case 2: nil
        default: ECUAddress(UInt32(cutter.byte()), .can11)
        }
    case .j1939:
        ECUAddress(
            [0x1CEC_FF00, 0x1CEB_FF00, 0x18FE_CA00, 0x1CEC_F900, 0x1CEB_F900, 0x18E8_FF00][
                Int(head >> 4) % 6] | UInt32(cutter.byte() & 3), .can29)
    case .iso9141, .iso14230, .j1850: nil
    }
}

/// The sender of a frame: a message must not contain bytes of another sender.
private func sender(
    _ family: VehicleProtocol.Family, _ header: ECUAddress?, _ bytes: [UInt8], _ extended: Bool
) -> UInt32 {
    switch family {
    case .can:
        let address = (header?.value ?? 0xFFFF) << 8
        return extended ? address | UInt32(bytes.first ?? 0) : address
    case .j1939: return (header?.value ?? 0) & 0xFF
    case .iso9141, .iso14230, .j1850: return 0
    }
}

private func check(
    _ message: ECUMessage, _ family: VehicleProtocol.Family, _ bytes: [UInt8], _ sent: [UInt8],
    _ frames: Int
) {
    require(!message.payload.isEmpty, "an empty message")
    require(message.frames >= 1 && message.frames <= frames, "\(message.frames) frames")
    switch family {
    case .can:
        require(message.payload.count <= ISO15765.longestPayload, "a message without end")
        require(isSubsequence(message.payload, of: sent), "bytes of others in \(message)")
        require(
            message.payload.count <= message.frames * 7, "more bytes than frames can carry")
    case .j1939:
        require(isSubsequence(message.payload, of: sent), "bytes of others in \(message)")
    case .iso9141, .iso14230:
        require(isFound(message.payload, in: bytes), "bytes of others in \(message)")
        let hasSum = bytes.last == bytes.dropLast().reduce(0, &+)
        let mayLack = family == .iso14230 && bytes.suffix(message.payload.count) == message.payload
        require(hasSum || mayLack, "a message without its checksum")
    case .j1850:
        require(isFound(message.payload, in: bytes), "bytes of others in \(message)")
        let end = 3 + message.payload.count
        require(
            end < bytes.count && crc(bytes[..<end]) == bytes[end], "a message without its CRC")
    }
}

/// The CRC of SAE J1850, bit by bit and independent of the code under test.
private func crc(_ bytes: ArraySlice<UInt8>) -> UInt8 {
    var register: UInt16 = 0xFF
    for byte in bytes {
        for bit in (0..<8).reversed() {
            let top = register >> 7 ^ UInt16(byte >> UInt8(bit)) & 1
            register = register << 1 & 0xFF
            if top & 1 != 0 { register ^= 0x1D }
        }
    }
    return UInt8(register ^ 0xFF)
}
