public import OBDCore

/// A line of a log that `candump -l` of can-utils writes.
///
/// ```
/// (1436509052.249713) can0 7E8#04410C1AF8000000
/// (1436509052.449847) can0 18DAF110#0641009839A013
/// (1436509052.650004) can0 7DF#R
/// ```
/// Three digits are an identifier with 11 bits, eight digits one with 29 bits.
public struct CandumpLine: Hashable, Sendable {
    /// The wall clock time.
    public var time: UTC
    /// The interface that received it.
    public var interface: String
    /// The frame.
    public var frame: CANFrame

    /// A line.
    public init(time: UTC, interface: String, frame: CANFrame) {
        self.time = time
        self.interface = interface
        self.frame = frame
    }

    /// The content of a line in such a log.
    public enum Reading: Hashable, Sendable {
        /// A frame.
        case line(CandumpLine)
        /// A CAN FD frame or a controller error, neither of which carries diagnostics on classic CAN.
        case other
        /// The line has another format.
        case foreign
    }

    /// Reads a line without its line end.
    public static func read(_ text: [UInt8]) -> Reading {
        let words = text.split(separator: 0x20, omittingEmptySubsequences: true)
        guard words.count >= 3, words.count <= 4, let stamp = time(words[0]),
            let mark = words[2].firstIndex(of: UInt8(ascii: "#"))
        else { return .foreign }
        let digits = words[2][..<mark]
        var rest = words[2][words[2].index(after: mark)...]
        guard digits.count == 3 || digits.count == 8, digits.allSatisfy({ Hex.value($0) != nil })
        else { return .foreign }
        let value = digits.reduce(UInt32(0)) { $0 << 4 | UInt32(Hex.value($1) ?? 0) }
        if rest.first == UInt8(ascii: "#") { return .other }
        // Errors have bit 29 set.
        if digits.count == 8, value > 0x1FFF_FFFF { return .other }
        guard digits.count == 8 || value <= 0x7FF else { return .foreign }
        var frame = CANFrame(ECUAddress(value, digits.count == 3 ? .can11 : .can29), [])
        if rest.first == UInt8(ascii: "R") {
            frame.isRemote = true
            rest = []
        }
        guard rest.count.isMultiple(of: 2), rest.count <= 2 * CANFrame.longestData else {
            return .foreign
        }
        var high: UInt8?
        for digit in rest {
            guard let value = Hex.value(digit) else { return .foreign }
            if let upper = high {
                frame.data.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return .line(
            CandumpLine(
                time: stamp, interface: String(decoding: words[1], as: UTF8.self), frame: frame))
    }

    /// `(1436509052.249713)`.
    private static func time(_ word: ArraySlice<UInt8>) -> UTC? {
        guard word.first == UInt8(ascii: "("), word.last == UInt8(ascii: ")") else { return nil }
        let parts = word.dropFirst().dropLast().split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 6, (1...11).contains(parts[0].count),
            parts.joined().allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(String(decoding: parts[0], as: UTF8.self)),
            let fraction = Int64(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        return UTC(microseconds: seconds * 1_000_000 + fraction)
    }

    /// The line without its line end.
    public var text: String {
        let total = time.microseconds
        let fraction = String(total % 1_000_000)
        let stamp =
            "(\(total / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction))"
        let data = frame.isRemote ? "R" : Hex.string(frame.data)
        return "\(stamp) \(interface) \(frame.id.digits)#\(data)"
    }
}
