import Adapters
import OBDCore
import VehicleLink

/// Distinguishes requests from answers: which lines of digits are echoes, and which cannot be.
extension ReplyReader {
    /// Whether the scanned digits can only be an answer, although a request is possible at this position.
    ///
    /// Testers use services below 40; an answer has bit 6 set and the data that belong to the service. A
    /// header has to be one that answers use, or the data after the header have to prove it: digits that
    /// match a length by chance are not a frame.
    var canOnlyBeAnswer: Bool {
        if digits.segment != nil { return true }
        if isWakeUp || looksLikeGroupRequest { return false }
        guard let reading = bestReading() else { return false }
        switch reading.shape {
        case .bare, .fieldAlone:
            return reading.shape == .bare && ServiceShape.isAnswer(digits.byte(0))
                && digits.count >= 2 * Self.shortest(digits.byte(0))
        case .can11, .can29:
            guard reading.proof >= .length else { return false }
            return reading.usualAddress >= 3
                || reading.answer > .none && !looksLikeRequest
                    && (!reading.lengthCodeFits || settings.showsLength == true)
        case .iso9141, .j1850, .iso14230:
            return reading.proof == .checksum && !isLengthAndSum
                || reading.usualAddress >= 3 && !looksLikeRequest
        case .j1939: return reading.proof >= .length && digits.count > 16 && !looksLikeRequest
        case .joined11, .joined29: return false
        }
    }

    /// The length of the shortest meaningful answer; unit: bytes.
    private static func shortest(_ first: UInt8) -> Int {
        first == Service.negativeResponse.rawValue
            ? 3 : ServiceShape.answering(with: first)?.shortestAnswer ?? 1
    }

    /// Whether a possible echo is more likely an echo than a frame.
    ///
    /// A line is a request if its digits are a request and no header of an answer comes before them.
    func isRatherRequest(_ reading: LineReading) -> Bool {
        guard looksLikeRequest else { return false }
        if isWakeUp || reading.answer == .none && reading.usualAddress == 0 { return true }
        switch reading.shape {
        case .bare: return looksLikeGroupRequest
        // `0144`: an adapter would pad the field. `024200`: an answer of 42 is never two bytes long.
        // `024800`: an adapter shows such fields only after `AT CAF0`, and then on each line.
        case .fieldAlone:
            return looksLikeGroupRequest || digits.count <= 4
                || Int(digits.byte(0)) < Self.shortest(digits.byte(2))
                || beginsLikeRequestOfData && lastShape != .fieldAlone
                    && settings.automaticFormatting != false
        case .can11, .can29, .joined11, .joined29, .j1939:
            // A length code that was not turned on is valid by chance in one of sixteen requests.
            let isAsCounted = reading.lengthCodeFits && settings.showsLength != true
            return reading.usualAddress == 0 && (reading.answer < .exact || isAsCounted)
        // `0146`, `025400`, `224134`: a frame with such a header would end in its sum or CRC.
        case .iso9141, .j1850, .iso14230:
            let isNoFrame =
                reading.proof == .refuted && reading.usualAddress < 2 && hasLengthOfRequest
            return (isLengthAndSum || isNoFrame) && reading.answer < .exact
        }
    }

    /// Whether the first byte is service 01 or 02, which may also be the length of a message.
    private var beginsLikeRequestOfData: Bool { (0x01...0x02).contains(digits.byte(0)) }

    /// Whether a request of the service in the first byte may have as many bytes.
    private var hasLengthOfRequest: Bool {
        ServiceShape.of(digits.byte(0))?.request?.contains(digits.count / 2) ?? false
    }

    /// Whether the scanned digits are the next frame of a message that has begun.
    ///
    /// Such a frame is not a request, whatever its digits: 18 and 14 are services, too.
    var continuesMessage: Bool {
        guard can.isBusy, let lastShape, let reading = reading(as: lastShape) else { return false }
        return lastShape.hasHeader && reading.answer == .exact && reading.proof >= .length
    }

    /// Whether the digits request two PIDs, the second of which equals the sum of the bytes before it.
    ///
    /// `014546` could also be a frame of ISO 14230-4 without addresses, but that is unlikely.
    private var isLengthAndSum: Bool {
        digits.segment == nil && digits.count == 6 && digits.byte(0) == 0x01
            && digits.byte(4) == digits.byte(2) &+ 1
    }

    /// Whether the digits are `7F7F`, which wakes the receiver of an adapter during line rate detection.
    ///
    /// The adapter answers with `?`.
    var isWakeUp: Bool {
        digits.segment == nil && digits.count == 4 && digits.number(0, 4) == 0x7F7F
    }

    /// Whether the digits request a parameter group on SAE J1939: two or three bytes and an optional count.
    var looksLikeGroupRequest: Bool {
        knownProtocol?.family == .j1939 && digits.segment == nil
            && (4...7).contains(digits.count)
    }

    /// Whether the digits may be an echoed request: a service that testers use, and not too long.
    var looksLikeRequest: Bool {
        if isWakeUp || looksLikeGroupRequest { return true }
        // `110 03 41 05 7B`: the first byte of a request never has three digits.
        if digits.groups > 1, digits.length(0) == 3 { return false }
        let isRaw = settings.automaticFormatting == false
        // Seven bytes and a count digit; eight bytes with the protocol control byte.
        let isRawField = isRaw && (1...7).contains(digits.byte(0))
        guard digits.segment == nil, digits.count >= 2, digits.count <= (isRawField ? 17 : 15)
        else { return false }
        let service = isRawField ? digits.byte(2) : digits.byte(0)
        guard let shape = ServiceShape.of(service), let length = shape.request else { return false }
        // A raw field includes its length.
        if length == 1...1 {
            return isRawField || digits.count <= 3
                || Int(digits.byte(0)) == digits.count / 2 - 1
        }
        // 18 DA F1 begins an identifier; ISO 14230-3 service 18 has a status of 00 to 03.
        return digits.count < 4 || isRawField || shape.selectors.contains(digits.byte(2))
    }
}
