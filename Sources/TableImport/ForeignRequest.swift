import OBDCore

/// Parses requests and addresses of other programs.
enum ForeignRequest {
    /// Services that only read, and whose records a table can contain.
    private static let services: Set<UInt8> = [0x01, 0x09, 0x1A, 0x21, 0x22]

    /// The identifier of a reading service.
    static func dataID(service: String, id: String) throws(RowFault) -> DataID {
        guard let bytes = Hex.bytes(service), bytes.count == 1, let service = bytes.first,
            let value = UInt32(id, radix: 16)
        else { throw .request(service + id) }
        guard services.contains(service) else { throw .service(service) }
        guard id.utf8.count == (service == 0x22 ? 4 : 2) else {
            throw .request(Hex.string([service]) + id)
        }
        return DataID(Service(service), value)
    }

    /// Parses `22b002`, `0x2101`, or `2201019` with the number of lines to expect.
    static func dataID(_ text: String) throws(RowFault) -> (DataID, frames: Int?) {
        var digits = text.filter { !$0.isWhitespace }[...]
        if digits.lowercased().hasPrefix("0x") { digits = digits.dropFirst(2) }
        guard !digits.isEmpty else { throw .noRequest }
        guard digits.utf8.allSatisfy({ Hex.value($0) != nil }), digits.count >= 2,
            let service = UInt8(digits.prefix(2), radix: 16)
        else { throw .request(String(text.prefix(24))) }
        guard services.contains(service) else { throw .service(service) }
        let wanted = service == 0x22 ? 6 : 4
        var frames: Int?
        if digits.count == wanted + 1, let last = digits.last {
            frames = last.hexDigitValue
            digits = digits.dropLast()
        }
        guard digits.count == wanted, let id = UInt32(digits.dropFirst(2), radix: 16) else {
            throw .request(String(text.prefix(24)))
        }
        return (DataID(Service(service), id), frames)
    }

    /// The address of the request and, if the text contains it, the address of the answer; nil for all ECUs.
    static func address(
        _ text: String
    ) throws(RowFault) -> (target: ECUAddress?, responder: ECUAddress?) {
        let trimmed = Text.line(text)
        var parts = trimmed.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        for place in parts.indices where parts[place].lowercased().hasPrefix("0x") {
            parts[place] = String(parts[place].dropFirst(2))
        }
        guard let first = parts.first, parts.count <= 2 else { throw .address(trimmed) }
        // `Auto`, `TCM`, or nothing.
        let isHex = !first.isEmpty && first.utf8.allSatisfy { Hex.value($0) != nil }
        if !isHex {
            guard first.allSatisfy({ $0.isLetter || $0 == " " }), parts.count == 1 else {
                throw .address(trimmed)
            }
            return (nil, nil)
        }
        guard let value = UInt32(first, radix: 16) else { throw .address(trimmed) }
        let target = try address(value, digits: first.count, trimmed)
        guard parts.count == 2 else { return (target, target.flatMap(answers)) }
        guard let reply = UInt32(parts[1], radix: 16),
            let responder = try address(reply, digits: parts[1].count, trimmed)
        else { throw .address(trimmed) }
        return (target, responder)
    }

    /// The ECU that answers, if the standards define it.
    static func answers(_ target: ECUAddress) -> ECUAddress? {
        guard target.extended == nil else { return nil }
        switch target.form {
        case .byte, .logical: return target
        case .can11: return (0x7E0...0x7E7).contains(target.value) ? target.usualResponder : nil
        case .can29: return target.isUsualRequest ? target.usualResponder : nil
        }
    }

    /// The address byte before the data of an answer to a request with an address byte.
    ///
    /// An answer to BMW's tester at 6F1 has the tester's address, F1, and an answer to Toyota's at 750 that of
    /// the ECU. A source may name the tester's address.
    static func answerByte(_ target: ECUAddress, tester: UInt8?) -> UInt8? {
        guard let extended = target.extended else { return nil }
        return tester ?? (target.form == .can11 && target.value == 0x6F1 ? 0xF1 : extended)
    }

    private static func address(
        _ value: UInt32, digits: Int, _ text: String
    ) throws(RowFault) -> ECUAddress? {
        switch digits {
        case 2: return ECUAddress(value, .byte)
        case 3, 4:
            guard value < 0x800 else { throw .address(text) }
            return value == 0x7DF ? nil : ECUAddress(value, .can11)
        case 6 where value < 0x800: return try address(value, digits: 3, text)
        case 6:
            let (format, target, source) = (value >> 16, value >> 8 & 0xFF, value & 0xFF)
            if format == 0xDA { return ECUAddress(0x1800_0000 | value, .can29) }
            if format == 0xDB { return nil }
            // Format, target, tester; C0 and 68 address all ECUs.
            guard source >= 0xF0 else { throw .address(text) }
            if format & 0xC0 == 0x80 || format == 0x6C || format & 0xF0 == 0x20 {
                return ECUAddress(target, .byte)
            }
            if format & 0xC0 == 0xC0 || format == 0x68 || format == 0x61 || format == 0x48 {
                return nil
            }
            throw .address(text)
        case 8:
            guard value < 0x2000_0000 else { throw .address(text) }
            return value >> 16 & 0xFF == 0xDB ? nil : ECUAddress(value, .can29)
        default: throw .address(text)
        }
    }
}
