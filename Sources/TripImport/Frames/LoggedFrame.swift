import OBDCore
import VehicleLink

/// A data frame of a CAN bus in a log.
package struct LoggedFrame: Hashable, Sendable {
    /// Microseconds since 1970 or since the log began, depending on the format.
    package var time: Int64
    package var id: UInt32
    package var isExtended: Bool
    package var data: InlineBytes
    /// The bus with its name in the log.
    package var channel: ArraySlice<UInt8>
    /// Whether the log shows the time.
    package var isTimed = true

    /// The most data bytes of a frame of CAN FD.
    static let longestFD = 64

    package init(
        time: Int64, id: UInt32, isExtended: Bool, data: InlineBytes, channel: ArraySlice<UInt8>
    ) {
        self.time = time
        self.id = id
        self.isExtended = isExtended
        self.data = data
        self.channel = channel
    }

    /// Whether diagnostics is likely at an identifier: 11-bit identifiers from 600 on, 29-bit ones with
    /// normal fixed addressing, and the diagnostic messages of SAE J1939.
    static func isLikelyDiagnostic(_ id: UInt32, _ isExtended: Bool) -> Bool {
        guard isExtended else { return id >= 0x600 }
        return (0xDA...0xDB).contains(id >> 16 & 0xFF) && id >> 24 >= 0x10
            || J1939.mayCarryDiagnostics(id)
    }

    /// Whether frames with these hexadecimal digits may begin a request or an answer at any identifier,
    /// with or without an address byte before the data.
    static func mayBegin(_ text: ArraySlice<UInt8>) -> Bool {
        mayBegin(text, text.startIndex) || mayBegin(text, text.startIndex + 2)
    }

    private static func mayBegin(_ text: ArraySlice<UInt8>, _ start: Int) -> Bool {
        func isService(_ place: Int) -> Bool {
            let place = start + place
            return place + 1 < text.endIndex && Self.isService(text[place], text[place + 1])
        }
        guard start + 3 < text.endIndex else { return false }
        switch (text[start], text[start + 1]) {
        case (0x30, 0x31...0x37): return isService(2)
        // CAN FD: a length of its own.
        case (0x30, 0x30): return text.count > 2 * ISO15765.frameLength && isService(4)
        case (0x31, 0x30): return isService(4) || isService(12)
        case (0x31, _): return isService(4)
        default: return false
        }
    }

    private static func isService(_ high: UInt8, _ low: UInt8) -> Bool {
        guard let high = Hex.value(high), let low = Hex.value(low) else { return false }
        return services[Int(high << 4 | low)]
    }

    /// Services of requests and answers, and refusals.
    private static let services: [Bool] = (0..<256).map { byte in
        let byte = UInt8(byte)
        return byte == 0x7F || DiagnosticTraffic.services.contains(byte)
            || DiagnosticTraffic.services.contains(byte &- 0x40)
    }

    package var address: ECUAddress { ECUAddress(id, isExtended ? .can29 : .can11) }
}

/// Splits a line of a log into words without copying it.
struct LineWords {
    private let bytes: ArraySlice<UInt8>
    private(set) var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    /// The next word; nil at the end of the line.
    mutating func next() -> ArraySlice<UInt8>? {
        while place < bytes.endIndex, bytes[place] == 0x20 || bytes[place] == 0x09 { place += 1 }
        let start = place
        while place < bytes.endIndex, bytes[place] != 0x20, bytes[place] != 0x09 { place += 1 }
        return start == place ? nil : bytes[start..<place]
    }

    /// The remaining words.
    var rest: [ArraySlice<UInt8>] {
        var copy = self
        var words: [ArraySlice<UInt8>] = []
        while let word = copy.next() { words.append(word) }
        return words
    }
}

extension ArraySlice<UInt8> {
    /// The value of a hexadecimal number with at most eight digits; nil for anything else.
    var hexadecimal: UInt32? {
        guard (1...8).contains(count) else { return nil }
        var value: UInt32 = 0
        for byte in self {
            guard let digit = Hex.value(byte) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// The value of an unsigned number; nil for anything else, and for more than 18 digits.
    var decimal: Int64? {
        guard (1...18).contains(count) else { return nil }
        var value: Int64 = 0
        for byte in self {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        return value
    }

    /// The value of a number in millionths; nil for anything else.
    var millionths: Int64? {
        guard let point = firstIndex(of: 0x2E) else {
            guard let whole = decimal, whole < 1 << 43 else { return nil }
            return whole * 1_000_000
        }
        let whole = point == startIndex ? 0 : self[..<point].decimal
        let digits = self[(point + 1)...]
        guard let whole, whole < 1 << 43, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        var fraction: Int64 = 0
        var scale: Int64 = 100_000
        for byte in digits.prefix(6) {
            fraction += Int64(byte - 0x30) * scale
            scale /= 10
        }
        return whole * 1_000_000 + fraction
    }

    /// The bytes without blanks and a carriage return at the end.
    var trimmedAtEnd: ArraySlice<UInt8> {
        var rest = self
        while let last = rest.last, last == 0x0D || last == 0x20 || last == 0x09 {
            rest.removeLast()
        }
        return rest
    }

    /// The bytes without leading and trailing `byte`.
    func trimmed(_ byte: UInt8) -> ArraySlice<UInt8> {
        var rest = self
        while rest.first == byte { rest.removeFirst() }
        while rest.last == byte { rest.removeLast() }
        return rest
    }

    var string: String { String(decoding: self, as: UTF8.self) }
}

/// The bytes for words of two digits; nil for anything else, and for more than a frame can hold.
func frameBytes(_ words: some Sequence<ArraySlice<UInt8>>, isHex: Bool = true) -> InlineBytes? {
    var result = InlineBytes()
    for word in words {
        let value = isHex ? word.hexadecimal : word.decimal.flatMap { UInt32(exactly: $0) }
        guard let value, value < 0x100, result.count < 64 else { return nil }
        result.append(UInt8(value))
    }
    return result
}
