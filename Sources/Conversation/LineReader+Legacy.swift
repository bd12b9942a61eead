import Adapters
import OBDCore
import VehicleLink

/// Reads lines of the protocols before CAN, which are distinguished by a check byte.
extension ReplyReader {
    func asISO9141() -> LineReading? {
        guard digits.isWholeBytes, digits.count > 0 else { return nil }
        let bytes = digits.bytes(from: 0)
        let isKnown = isExpected(.iso9141)
        let isUsual = bytes.count > 1 && bytes[0] == 0x48 && bytes[1] == 0x6B
        var reading = threeByteHeader(.iso9141, bytes)
        if bytes.count >= 5, Checksum.sum(bytes.dropLast()) == bytes[bytes.count - 1] {
            reading.proof = .checksum
            if isTesters(bytes) { reading.answer = .service }
        }
        reading.familiarity = isUsual ? 3 : 0
        // A first byte of 80 or more is the format byte of ISO 14230.
        guard bytes[0] < 0x80 || settings.vehicleProtocol == .iso9141 else { return nil }
        // 41 6B is the header of PWM, whose in-frame response may equal the sum by chance.
        let isPWM = bytes.count > 1 && bytes[0] == 0x41 && bytes[1] == 0x6B
        guard !isPWM || settings.vehicleProtocol == .iso9141 else { return nil }
        return isKnown || isUsual || provesItself(reading, bytes) ? reading : nil
    }

    func asJ1850() -> LineReading? {
        guard digits.isWholeBytes else { return nil }
        let bytes = digits.bytes(from: 0)
        let isKnown = isExpected(.j1850)
        let isVPW = bytes.count > 1 && bytes[0] == 0x48 && bytes[1] == 0x6B
        let isPWM = bytes.count > 1 && bytes[0] == 0x41 && bytes[1] == 0x6B
        var reading = threeByteHeader(.j1850, bytes)
        if let index = J1850.crcIndex(in: bytes, inFrameResponse: mayHaveInFrameResponse(isPWM)) {
            // A CRC before the last byte may be valid by chance.
            reading.proof = index == bytes.count - 1 ? .checksum : .length
            reading.answer = answer(at: 6, count: index - 3)
            if isTesters(bytes) { reading.answer = .service }
        }
        reading.familiarity = isPWM ? 3 : isVPW ? 2 : 0
        return isKnown || isPWM || isVPW && reading.proof == .checksum
            || provesItself(reading, bytes) ? reading : nil
    }

    /// Whether the line is the tester's own request, which sniffers and some clones show.
    private func isTesters(_ bytes: InlineBytes) -> Bool {
        bytes.count > 4 && (bytes[0] == 0x61 || bytes[0] == 0x68) && bytes[1] == 0x6A
            && bytes[2] == settings.testerAddress
    }

    /// Whether a frame proves itself: a valid check byte, an answer, and an address for answers,
    /// functional or the tester's.
    ///
    /// Any answer is enough if the protocol is known or the request is unknown. `62 F1 …` may be data.
    private func provesItself(_ reading: LineReading, _ bytes: InlineBytes) -> Bool {
        if reading.proof == .checksum, isTesters(bytes) { return true }
        // On PWM, the addresses of the nodes that acknowledged the frame follow the CRC.
        let isAcknowledged =
            reading.shape == .j1850 && reading.proof == .length && reading.answer == .exact
            && knownProtocol == .j1850PWM
        guard reading.proof == .checksum || isAcknowledged, reading.answer > .none,
            bytes[1] == 0x6B || bytes[1] == settings.testerAddress
        else { return false }
        if reading.answer >= .service { return true }
        if let known = knownProtocol {
            return known.family == reading.shape.family
        }
        return exchange.request == nil && bytes[0] != 0x62
    }

    /// Whether bytes may follow the CRC, which happens on PWM, known from the protocol or from the header.
    func mayHaveInFrameResponse(_ looksLikePWM: Bool) -> Bool {
        switch knownProtocol {
        case .j1850PWM: true
        case .j1850VPW: false
        case .iso9141, .iso14230Slow, .iso14230Fast, .can11At500, .can29At500, .can11At250,
            .can29At250, .j1939, .userCAN1, .userCAN2, .doip, nil:
            looksLikePWM
        }
    }

    private func threeByteHeader(
        _ shape: LineReading.Shape, _ bytes: InlineBytes
    ) -> LineReading {
        LineReading(
            shape: shape, start: 0, answer: answer(at: 6, count: max(0, bytes.count - 4)),
            proof: .refuted)
    }

    func asISO14230() -> LineReading? {
        guard digits.isWholeBytes else { return nil }
        let bytes = digits.bytes(from: 0)
        let isKnown = isExpected(.iso14230)
        var reading = LineReading(shape: .iso14230, start: 0, answer: .none, proof: .refuted)
        guard let layout = ISO14230.Layout(bytes) else { return isKnown ? reading : nil }
        let header = layout.headerLength
        let length = layout.dataLength ?? bytes.count - header - 1
        reading.answer = answer(at: header * 2, count: min(length, bytes.count - header))
        let isAddressed = layout.source != nil && layout.dataLength != nil
        switch bytes.count - header - length {
        case 1 where length > 0:
            if Checksum.sum(bytes.dropLast()) == bytes[bytes.count - 1] {
                reading.proof = .checksum
            }
        case 0 where !kwp.checksumsSeen && ISO14230.mayLackChecksum(bytes, layout):
            reading.proof = .length
        default: break
        }
        let isToUs = isAddressed && bytes[1] == settings.testerAddress
        if isToUs, bytes[0] >> 6 == 2 { reading.familiarity = 3 }
        if isKnown { return reading }
        if reading.proof == .length, !isToUs || bytes[0] >> 6 != 2 { reading.proof = .refuted }
        // Without addresses, or with those of ISO 9141-2, only a checksum supports this reading.
        if isAddressed {
            let speaksForItself = reading.proof == .checksum || reading.answer >= .service
            return isToUs || speaksForItself ? reading : nil
        }
        guard layout.dataLength != nil else { return nil }
        return reading.proof == .checksum && reading.answer >= .foreign ? reading : nil
    }

    /// Whether the settings match this form of line.
    private func isExpected(_ family: VehicleProtocol.Family) -> Bool {
        guard showsHeaders == true || showsHeaders == nil && lastShape?.hasHeader == true
        else { return false }
        let known = knownFamily
        return known == family
    }
}
