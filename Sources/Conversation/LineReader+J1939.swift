import Adapters
import OBDCore
import VehicleLink

/// Reads lines of SAE J1939, with three forms of identifiers and an optional length code.
extension ReplyReader {
    /// The part of the line before the data.
    private struct J1939Header {
        var id: UInt32
        /// Whether priority, parameter group and source are separate: `6 0FECA 00`.
        var isFormatted: Bool
        var showsLength: Bool

        /// The digit at which the data begin.
        var end: Int { showsLength ? 9 : 8 }
        var parameterGroup: UInt32 { J1939.Identifier(id).parameterGroup }
        /// 18DAxxxx and 18DBxxxx belong to ISO 15765-4; J1939's own groups have higher numbers.
        var isJ1939Alone: Bool { parameterGroup >> 8 & 0xFF >= 0xE8 }
    }

    /// Reads the line as a SAE J1939 frame; nil if it cannot be one.
    func asJ1939() -> LineReading? {
        let isKnown = knownProtocol != nil
        if let family = knownProtocol?.family ?? inferredFamily, family != .j1939 { return nil }
        guard let header = j1939Header(), isKnown || header.isJ1939Alone,
            var reading = j1939Data(behind: header)
        else { return nil }
        let count = (digits.count - header.end) / 2
        // Another node's request on the bus: a parameter group in three bytes.
        let isRequest = header.parameterGroup == 0xEA00 && count == 3 && isKnown
        reading.answer = j1939Answer(header.parameterGroup, isRequest: isRequest)
        // Without blanks, a priority looks like any other digit.
        let isAskedFor = monitoredGroup != nil || requestedGroup != nil
        if !isKnown, header.isFormatted, digits.groups == 1, reading.answer != .exact, !isAskedFor {
            return nil
        }
        // Eight bytes may also be a frame without its identifier; twelve bytes hardly are. Without blanks, a
        // priority looks like data.
        let isWhole = digits.groups > 1 || count == ISO15765.frameLength || isRequest
        // A line without a header has eight bytes at most.
        let isTooLong = digits.count > 2 * ISO15765.frameLength
        guard
            showsHeaders == true || reading.answer == .exact
                || isTooLong && isKnown && header.isJ1939Alone
                || isWhole && (header.isFormatted || reading.answer >= .service)
                || showsHeaders == nil && count == ISO15765.frameLength
        else { return nil }
        reading.familiarity = header.isJ1939Alone ? 3 : 0
        return reading
    }

    /// The identifier in one of its forms; nil if the blanks match none of them.
    private func j1939Header() -> J1939Header? {
        guard digits.count >= 8 else { return nil }
        let isFormatted =
            digits.length(0) == 1 && digits.length(1) == 5 && digits.length(2) == 2
            || digits.groups == 1 && digits.digit(0) > 1
        let showsLength: Bool
        if digits.groups == 1 {
            showsLength = digits.count & 1 != 0 || settings.showsLength == true
        } else if isFormatted {
            showsLength = digits.length(3) == 1
            guard digits.oddAfterTwo == (showsLength ? 1 : 0) else { return nil }
        } else {
            showsLength = !digits.isWholeBytes
            let isFourBytes = (0..<4).allSatisfy { digits.length($0) == 2 }
            let isOneGroup =
                digits.length(0) == 8 && digits.length(1) == 1 && digits.oddAfterTwo == 0
            guard
                !showsLength || isOneGroup
                    || isFourBytes && digits.length(4) == 1 && digits.oddAfterFive == 0
            else { return nil }
        }
        var id = digits.number(0, 8)
        if isFormatted {
            // Priority, parameter group in five digits, source.
            guard digits.digit(0) <= 7 else { return nil }
            id = UInt32(digits.digit(0)) << 26 | digits.number(1, 5) << 8 | UInt32(digits.byte(6))
        }
        guard id < 0x2000_0000, !J1939.isReserved(id) else { return nil }
        return J1939Header(id: id, isFormatted: isFormatted, showsLength: showsLength)
    }

    /// Compares the lengths with the data after a header; nil if the length code is more likely a doubled
    /// digit.
    private func j1939Data(behind header: J1939Header) -> LineReading? {
        let count = (digits.count - header.end) / 2
        var reading = LineReading(
            shape: .j1939, id: header.id, start: header.end, answer: .none,
            proof: count <= 8 ? .length : .refuted)
        guard header.showsLength else { return reading }
        let announced = Int(digits.digit(8))
        reading.announced = announced
        if announced != count {
            // Without blanks, an extra digit is more likely a doubled one.
            if digits.groups == 1, settings.showsLength != true { return nil }
            reading.proof = .refuted
        }
        return reading
    }

    /// How well a message of `group` answers the request.
    private func j1939Answer(_ group: UInt32, isRequest: Bool) -> LineReading.Answer {
        if group == monitoredGroup || group == requestedGroup { return .exact }
        switch group {
        // The transport protocol and the acknowledgement.
        case J1939.connectionManagement, J1939.dataTransfer, 0xE800: return .service
        default: return isRequest ? .service : knownProtocol != nil ? .foreign : .none
        }
    }

    /// The parameter group in a J1939 request: `00FECA`, or `FECA` for short.
    var requestedGroup: UInt32? {
        let isSpoken = knownProtocol?.family == .j1939
        guard let request = exchange.request, request.count == 3 || request.count == 2 && isSpoken
        else { return nil }
        return request.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
