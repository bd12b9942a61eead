import Adapters
import OBDCore
import VehicleLink

/// Reads lines that consist of a message without a header.
extension ReplyReader {
    func asBare() -> LineReading? {
        guard digits.isWholeBytes, digits.count >= 2 else { return nil }
        let answer = answer(at: 0, count: digits.count / 2)
        if isLegacyHeader {
            // If J1850 is in use, this is its header even if the CRC is wrong.
            let isSpoken = knownProtocol?.family == .j1850
            if answer < .exact || isSpoken && digits.count >= 10 { return nil }
        }
        if answer < .exact, isBehindLegacyHeader { return nil }
        return hasLostDigit && answer < .exact
            ? nil : LineReading(shape: .bare, start: 0, answer: answer, proof: .none)
    }

    /// Whether a line begins with a usual CAN identifier that has lost or gained a digit.
    ///
    /// Such a line is not an answer to service 3E or A8.
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
        // A padded data field after two of the identifier's three digits.
        return (first == 0x7E || (0xE8...0xEF).contains(first)) && (1...7).contains(length)
            && follows == ISO15765.frameLength - 1 && ServiceShape.isAnswer(digits.byte(4))
    }

    /// Whether a line begins with the header of an answer before CAN and not with a message, even if the rest
    /// is damaged.
    private var isLegacyHeader: Bool {
        guard digits.count >= 4, digits.byte(2) == 0x6B else { return false }
        let known = knownFamily
        switch digits.byte(0) {
        // No recorded vehicle answers a test 6B of service 08.
        case 0x48: return exchange.request?.first != 0x08
        // PID 6B has five bytes of data; so has a frame with three bytes of message at this position.
        case 0x41:
            guard showsHeaders != false else { return false }
            return known == .j1850 || known == nil && digits.count != 14
        default: return false
        }
    }

    /// Whether an answer follows three bytes that are a header, although its check byte is wrong.
    ///
    /// `6C F1 10 41 0D …` answers 01 0D and is not a message of service 2C.
    private var isBehindLegacyHeader: Bool {
        guard digits.count >= 10 else { return false }
        let behind = answer(at: 6, count: digits.count / 2 - 4)
        let target = digits.byte(2)
        let isToTester = target == 0x6B || target == settings.testerAddress
        if exchange.request == nil {
            // Nothing else is known about 68 and 6C: `62 F1 90 41 …` may be data.
            return isToTester && behind > .none && [0x68, 0x6C].contains(digits.byte(0))
        }
        let known = knownFamily
        return behind == .exact && (isToTester || known?.isLegacy ?? false)
    }
}
