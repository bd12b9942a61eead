import OBDCore
import VehicleLink

/// A frame that an ECU sent on the bus.
struct BusFrame: Hashable, Sendable {
    /// The time at which the adapter has received it.
    var at: Instant
    /// The order of frames with the same time.
    var order: Duration
    /// The CAN identifier; nil before CAN.
    var identifier: ECUAddress?
    /// The data field on CAN; the whole frame before CAN.
    var bytes: [UInt8]
    /// The position of the message in `bytes`, before CAN and for joined frames.
    var message: Range<Int>
    /// Whether the frame is a whole message without protocol control bytes (STCSEGR).
    var joined = false
    /// Whether the frame is one of several frames of a message.
    var isPart = false
    /// Whether the frame completes its message.
    var completes = true
    /// Whether the frame is "response pending".
    var pending = false
}

struct FrameText: Hashable, Sendable {
    var settings: AdapterSettings
    /// ATH, unless the adapter ignores it.
    var headers: Bool
    /// ATS, unless the adapter ignores it.
    var spaces: Bool
    /// Whether identifiers are those of SAE J1939.
    var isJ1939 = false

    /// Two digits per byte, each followed by a blank if blanks are on.
    static func hex(_ bytes: some Sequence<UInt8>, spaces: Bool) -> [UInt8] {
        var text: [UInt8] = []
        for byte in bytes {
            Hex.append(byte, to: &text)
            if spaces { text.append(0x20) }
        }
        return text
    }

    /// The lines for one frame; a first frame without headers has two.
    func lines(_ frame: BusFrame) -> [[UInt8]] {
        guard let identifier = frame.identifier else {
            return [
                Self.hex(headers ? frame.bytes[...] : frame.bytes[frame.message], spaces: spaces)
            ]
        }
        if headers { return [head(identifier, frame) + Self.hex(frame.bytes, spaces: spaces)] }
        if isJ1939, settings.formatting, let line = segmentOnJ1939(identifier, frame.bytes) {
            return [line]
        }
        if frame.joined || !settings.formatting || isJ1939 {
            return [Self.hex(frame.bytes, spaces: spaces)]
        }
        let bytes = identifier.extended == nil ? frame.bytes : Array(frame.bytes.dropFirst())
        guard let control = bytes.first else { return [] }
        switch control >> 4 {
        case 0:
            let count = min(Int(control & 0x0F), bytes.count - 1)
            return [Self.hex(bytes[1..<(1 + count)], spaces: spaces)]
        case 1 where bytes.count > 2:
            let length = [Hex.digit(control), Hex.digit(bytes[1] >> 4), Hex.digit(bytes[1])]
            return [length, numbered(0, bytes[2...])]
        case 2:
            return [numbered(control & 0x0F, bytes[1...])]
        default: return [Self.hex(bytes, spaces: spaces)]
        }
    }

    /// SAE J1939 without headers: the length for an announcement, number and colon for a packet.
    private func segmentOnJ1939(_ identifier: ECUAddress, _ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == 8 else { return nil }
        switch J1939.Identifier(identifier.value).parameterGroup {
        case J1939.connectionManagement where bytes[0] == 0x20 || bytes[0] == 0x10:
            let length = UInt32(bytes[2]) << 8 | UInt32(bytes[1])
            return Array(Hex.string(length, digits: 3).utf8)
        case J1939.dataTransfer:
            return Array((Hex.string([bytes[0]]) + ":" + (spaces ? " " : "")).utf8)
                + Self.hex(bytes[1...], spaces: spaces)
        default: return nil
        }
    }

    private func numbered(_ number: UInt8, _ bytes: ArraySlice<UInt8>) -> [UInt8] {
        [Hex.digit(number), 0x3A] + (spaces ? [0x20] : []) + Self.hex(bytes, spaces: spaces)
    }

    private func head(_ identifier: ECUAddress, _ frame: BusFrame) -> [UInt8] {
        let space: [UInt8] = spaces ? [0x20] : []
        var text: [UInt8]
        switch identifier.form {
        case .can29 where isJ1939 && settings.formatsGroups:
            // Priority, parameter group (with its destination) in five digits, source.
            let priority = [Hex.digit(UInt8(truncatingIfNeeded: identifier.value >> 26) & 0x7)]
            let group = Array(Hex.string(identifier.value >> 8 & 0x3_FFFF, digits: 5).utf8)
            let source = Self.hex(
                [UInt8(truncatingIfNeeded: identifier.value)], spaces: spaces)
            text = priority + space + group + space + source
        case .can29:
            text = Self.hex(
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: identifier.value >> $0) },
                spaces: spaces)
        case .can11, .byte, .logical:
            text = Array(Hex.string(identifier.value, digits: 3).utf8) + space
        }
        if settings.dlcDigit && !frame.joined && !isJ1939 {
            text += [Hex.digit(UInt8(truncatingIfNeeded: frame.bytes.count))] + space
        }
        return text
    }
}
