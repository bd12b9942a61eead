import OBDCore
import VehicleLink

/// Recognises the form of lines once, from the first answer of a link.
///
/// The settings show whether lines have headers, but only the answer shows the kind of header. A line proves
/// its form if its length or check byte is valid and it either answers the request or matches the known
/// protocol.
extension FrameReader {
    /// The form of the scanned line; nil if the line does not prove one.
    func recognise() -> LineFormat? {
        let candidates = formats.filter { $0.start(in: digits) != nil }
        let agreeing = candidates.filter(agrees)
        let known = settings.vehicleProtocol
        return agreeing.first { isProven($0) && answers($0) }
            ?? agreeing.first {
                isProven($0) && ($0.header.fits(known) && known != nil || isUsual($0))
            }
            // A confirmed setting may have arrived garbled, but the answer is certain.
            ?? candidates.first {
                isProven($0) && answers($0) && ($0.header == .absent || isUsual($0))
            }
            // The reader of this form reports the fault.
            ?? agreeing.first { $0.header != .absent && (isUsual($0) || known != nil) }
    }

    /// All possible forms of lines, the more distinctive first.
    private var formats: [LineFormat] {
        let lengths = settings.showsLength.map { [$0] } ?? [false, true]
        let hasSpaces = digits.groups > 1
        let isFormattedJ1939 = hasSpaces ? digits.length(0) == 1 : digits.digit(0) > 1
        return LineFormat.Header.allCases.flatMap { header in
            (header.identifierDigits > 0 ? lengths : [false]).map {
                LineFormat(
                    header: header, hasSpaces: hasSpaces, showsLength: $0,
                    formatsJ1939: header == .j1939 && isFormattedJ1939)
            }
        }
    }

    /// Whether a form matches the settings.
    private func agrees(_ format: LineFormat) -> Bool {
        if let headers = settings.headers, headers != (format.header != .absent) { return false }
        return format.header.fits(settings.vehicleProtocol)
    }

    /// Whether the sender of a line is a standard address for OBD answers.
    private func isUsual(_ format: LineFormat) -> Bool {
        switch format.header {
        case .can11: return digits.number(0, 3) & 0x7F8 == 0x7E8
        case .can29:
            return digits.number(0, 8) & 0x1FFF_FF00
                == 0x18DA_0000 | UInt32(settings.testerAddress) << 8
        case .j1939: return settings.vehicleProtocol == .j1939
        case .iso9141: return digits.byte(0) == 0x48 && digits.byte(2) == 0x6B
        case .j1850: return [0x48, 0x41].contains(digits.byte(0)) && digits.byte(2) == 0x6B
        case .iso14230: return digits.byte(0) >> 6 == 2 && digits.byte(2) == settings.testerAddress
        case .absent: return false
        }
    }

    /// Whether the line's length or check byte is valid.
    private func isProven(_ format: LineFormat) -> Bool {
        guard let start = format.start(in: digits) else { return false }
        let bytes = digits.bytes(from: start)
        switch format.header {
        case .can11, .can29:
            guard format.identifier(in: digits) != nil,
                !format.showsLength || Int(digits.digit(start - 1)) == bytes.count
            else { return false }
            return isField(bytes) || isJoinedMessage(bytes)
        case .j1939:
            return format.identifier(in: digits) != nil && bytes.count <= ISO15765.frameLength
                && settings.vehicleProtocol?.family ?? .j1939 == .j1939
        case .iso9141:
            return bytes.count >= 5 && bytes[0] < 0x80
                && Checksum.sum(bytes.dropLast()) == bytes[bytes.count - 1]
        case .j1850:
            return J1850.crcIndex(in: bytes, inFrameResponse: mayHaveInFrameResponse(bytes)) != nil
        case .iso14230:
            guard let layout = ISO14230.Layout(bytes), let length = layout.dataLength else {
                return false
            }
            if bytes.count == layout.headerLength + length + 1 {
                return Checksum.sum(bytes.dropLast()) == bytes[bytes.count - 1]
            }
            return layout.source != nil && ISO14230.mayLackChecksum(bytes, layout)
        case .absent: return settings.automaticFormatting != false || isField(bytes)
        }
    }

    /// Whether the length of a data field matches its protocol control byte.
    private func isField(_ bytes: InlineBytes) -> Bool {
        let shift = settings.extendedAddressing ? 1 : 0
        guard bytes.count > shift + 1, bytes.count <= ISO15765.frameLength else { return false }
        let control = bytes[shift]
        let available = bytes.count - shift - 1
        switch control >> 4 {
        case 0:
            let length = Int(control)
            return length > 0
                && (length == available
                    || length < available && bytes.count == ISO15765.frameLength)
        case 1: return bytes.count == ISO15765.frameLength
        case 2, 3: return true
        default: return false
        }
    }

    private func isJoinedMessage(_ bytes: InlineBytes) -> Bool {
        (settings.joinsFrames || asked == .vehicle(mayBeJoined: true))
            && ServiceShape.isAnswer(bytes.first ?? 0)
    }

    /// Whether the data after the header answer the request.
    private func answers(_ format: LineFormat) -> Bool {
        guard let start = format.start(in: digits) else { return false }
        let bytes = digits.bytes(from: start)
        let payload: ArraySlice<UInt8>
        switch format.header {
        case .j1939:
            guard let id = format.identifier(in: digits) else { return false }
            let group = J1939.Identifier(id).parameterGroup
            return group == askedGroup
                || [J1939.connectionManagement, J1939.dataTransfer, 0xE800].contains(group)
                    && askedGroup != nil
        case .can11, .can29: payload = payloadOfField(bytes)
        case .iso9141, .j1850: payload = Array(bytes).dropFirst(3)
        case .iso14230:
            payload = Array(bytes).dropFirst(ISO14230.Layout(bytes)?.headerLength ?? 0)
        case .absent:
            if askedGroup != nil { return true }
            payload =
                settings.automaticFormatting == false ? payloadOfField(bytes) : Array(bytes)[...]
        }
        guard let request, let service = request.first, let first = payload.first else {
            return false
        }
        if first == Service.negativeResponse.rawValue {
            return payload.dropFirst().first == service
        }
        return first == Service(service).positiveResponse
            && ECUMessage(ecu: nil, payload: Array(payload)).answers(request)
    }

    private func payloadOfField(_ bytes: InlineBytes) -> ArraySlice<UInt8> {
        let shift = settings.extendedAddressing ? 1 : 0
        guard bytes.count > shift else { return [] }
        let all = Array(bytes)
        switch bytes[shift] >> 4 {
        case 0: return all.dropFirst(shift + 1).prefix(Int(bytes[shift]))
        case 1: return all.dropFirst(shift + 2)
        case 4...: return all.dropFirst(shift)
        default: return []
        }
    }
}
