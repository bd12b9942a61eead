import Adapters
import OBDCore
import VehicleLink

/// Lines that are a message alone, without header.
extension ReplyReader {
    func asBare() -> LineReading? {
        guard digits.isWholeBytes, digits.count >= 2 else { return nil }
        let answer = answer(at: 0, count: digits.count / 2)
        if isLegacyHeader {
            // Where J1850 is spoken this is its header, whatever the CRC says.
            let isSpoken = knownProtocol?.family == .j1850
            if answer < .exact || isSpoken && digits.count >= 10 { return nil }
        }
        if answer < .exact, isBehindLegacyHeader { return nil }
        return hasLostDigit && answer < .exact
            ? nil : LineReading(shape: .bare, start: 0, answer: answer, proof: .none)
    }

    /// Whether a line begins with a usual CAN identifier that has lost or gained a digit: it is no
    /// answer to service 3E or A8.
    private var hasLostDigit: Bool {
        // `7E804410C…` without blanks, `7E91 05 62 …` with them.
        if (0x7E8...0x7EF).contains(digits.number(0, 3)) {
            if digits.groups == 1 { return digits.count >= 6 }
            if digits.length(0) == 4 { return true }
        }
        guard digits.count >= 6 else { return false }
        let first = digits.byte(0)
        let length = Int(digits.byte(2))
        let follows = digits.count / 2 - 2
        if (0xE8...0xEF).contains(first), length == follows { return true }
        // A padded data field after two digits of three.
        return (first == 0x7E || (0xE8...0xEF).contains(first)) && (1...7).contains(length)
            && follows == ISO15765.frameLength - 1 && ServiceShape.isAnswer(digits.byte(4))
    }

    /// Whether a line begins with the header of an answer before CAN, damaged as the rest may be,
    /// and not with a message.
    private var isLegacyHeader: Bool {
        guard digits.count >= 4, digits.byte(2) == 0x6B else { return false }
        let known = knownFamily
        switch digits.byte(0) {
        // No vehicle was ever seen to answer a test 6B of service 08.
        case 0x48: return exchange.request?.first != 0x08
        // PID 6B has five bytes of data, as a frame with three bytes of message has in this place.
        case 0x41:
            guard showsHeaders != false else { return false }
            return known == .j1850 || known == nil && digits.count != 14
        default: return false
        }
    }

    /// Whether an answer comes after three bytes that are a header, though its check byte is wrong:
    /// `6C F1 10 41 0D …` answers 01 0D and is not a message of service 2C.
    private var isBehindLegacyHeader: Bool {
        guard digits.count >= 10 else { return false }
        let behind = answer(at: 6, count: digits.count / 2 - 4)
        let target = digits.byte(2)
        let isToTester = target == 0x6B || target == settings.testerAddress
        if exchange.request == nil {
            // Nothing else is known of 68 and 6C: `62 F1 90 41 …` may be data.
            return isToTester && behind > .none && [0x68, 0x6C].contains(digits.byte(0))
        }
        let known = knownFamily
        return behind == .exact && (isToTester || known?.isLegacy ?? false)
    }
}
