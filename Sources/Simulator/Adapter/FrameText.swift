import OBDCore
import VehicleLink

/// One frame that an ECU put onto the bus.
struct BusFrame: Hashable, Sendable {
    /// When the adapter has it.
    var at: Instant
    /// Orders frames of the same instant.
    var order: Duration
    /// CAN: its identifier; nil before CAN.
    var identifier: ECUAddress?
    /// The data field on CAN, the whole frame before it.
    var bytes: [UInt8]
    /// Where the message stands in `bytes`, before CAN and for joined frames.
    var message: Range<Int>
    /// Whether it is a whole message without protocol control bytes (STCSEGR).
    var joined = false
    /// Whether it is one of several that make a message.
    var isPart = false
    /// Whether its message is complete with it.
    var completes = true
    /// Whether it says "response pending".
    var pending = false
}

/// How frames are written as lines.
struct FrameText: Hashable, Sendable {
    /// What AT commands have set.
    var settings: AdapterSettings
    /// ATH, unless the adapter ignores it.
    var headers: Bool
    /// ATS, unless the adapter ignores it.
    var spaces: Bool

    /// Two digits a byte, each followed by a space where there are spaces.
    static func hex(_ bytes: some Sequence<UInt8>, spaces: Bool) -> [UInt8] {
        var text: [UInt8] = []
        for byte in bytes {
            Hex.append(byte, to: &text)
            if spaces { text.append(0x20) }
        }
        return text
    }

    /// The lines for one frame; a first frame without headers takes two.
    func lines(_ frame: BusFrame) -> [[UInt8]] {
        guard let identifier = frame.identifier else {
            return [
                Self.hex(headers ? frame.bytes[...] : frame.bytes[frame.message], spaces: spaces)
            ]
        }
        if headers { return [head(identifier, frame) + Self.hex(frame.bytes, spaces: spaces)] }
        if frame.joined || !settings.formatting { return [Self.hex(frame.bytes, spaces: spaces)] }
        guard let control = frame.bytes.first else { return [] }
        switch control >> 4 {
        case 0:
            let count = min(Int(control & 0x0F), frame.bytes.count - 1)
            return [Self.hex(frame.bytes[1..<(1 + count)], spaces: spaces)]
        case 1 where frame.bytes.count > 2:
            let length = [
                Hex.digit(control), Hex.digit(frame.bytes[1] >> 4), Hex.digit(frame.bytes[1]),
            ]
            return [length, numbered(0, frame.bytes[2...])]
        case 2:
            return [numbered(control & 0x0F, frame.bytes[1...])]
        default: return [Self.hex(frame.bytes, spaces: spaces)]
        }
    }

    private func numbered(_ number: UInt8, _ bytes: ArraySlice<UInt8>) -> [UInt8] {
        [Hex.digit(number), 0x3A] + (spaces ? [0x20] : []) + Self.hex(bytes, spaces: spaces)
    }

    private func head(_ identifier: ECUAddress, _ frame: BusFrame) -> [UInt8] {
        let space: [UInt8] = spaces ? [0x20] : []
        var text: [UInt8]
        switch identifier.form {
        case .can29:
            text = Self.hex(
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: identifier.value >> $0) },
                spaces: spaces)
        case .can11, .byte:
            text = Array(Hex.string(identifier.value, digits: 3).utf8) + space
        }
        if settings.dlcDigit && !frame.joined {
            text += [Hex.digit(UInt8(truncatingIfNeeded: frame.bytes.count))] + space
        }
        return text
    }
}
