public import OBDCore

/// A line of `candump` of can-utils: of a log (`-l`, `-L`) or of its output on a terminal.
///
/// ```
/// (1436509052.249713) can0 7E8#04410C1AF8000000
/// (1436509052.449847) can0 18DAF110#0641009839A013 R
/// (1436509052.650004) can0 7DF#R
/// (1436509052.650004) can0 7E8##100096202F18C313233343536
///  (000.100000)  can0  RX - -  7E8   [8]  03 41 0D 35 00 00 00 00   '.A.5....'
///   can0  7E8  [12]  00 09 62 F1 8C 31 32 33 34 35 36 AA
/// ```
/// Three digits are an identifier with 11 bits, eight digits one with 29 bits.
public struct CandumpLine: Hashable, Sendable {
    /// The wall clock time; nil if the line does not show it in seconds.
    public var time: UTC?
    /// The interface that received the frame.
    public var interface: String
    /// The frame; one of CAN FD may have up to 64 bytes.
    public var frame: CANFrame
    /// Whether the frame is one of CAN FD.
    public var isFD: Bool

    /// A line.
    public init(time: UTC?, interface: String, frame: CANFrame, isFD: Bool = false) {
        self.time = time
        self.interface = interface
        self.frame = frame
        self.isFD = isFD
    }

    /// The content of a line.
    public enum Reading: Hashable, Sendable {
        /// A frame.
        case line(CandumpLine)
        /// A controller error.
        case other
        /// The line has another format.
        case foreign
    }

    /// The most data bytes of a frame of CAN FD.
    private static let longestFD = 64

    /// Reads a line without its line end.
    public static func read(_ text: [UInt8]) -> Reading {
        let plain = text.contains(0x1B) ? withoutColours(text) : text
        var words = plain.split(separator: 0x20, omittingEmptySubsequences: true)[...]
        var stamp: UTC?
        if words.first?.first == UInt8(ascii: "(") {
            guard let end = words.prefix(2).firstIndex(where: { $0.last == UInt8(ascii: ")") })
            else { return .foreign }
            if end == words.startIndex {
                guard let shown = time(words[end]) else { return .foreign }
                stamp = shown
            } else if !isDate(words[words.startIndex]) {
                return .foreign
            }
            words = words[(end + 1)...]
        }
        guard words.count >= 2,
            let interface = words.popFirst().map({ String(decoding: $0, as: UTF8.self) })
        else { return .foreign }
        // `-x`: the direction and two flags.
        if words.count >= 5,
            ["RX", "TX"].contains(String(decoding: words[words.startIndex], as: UTF8.self))
        {
            words = words.dropFirst(3)
        }
        guard let first = words.popFirst() else { return .foreign }
        if let mark = first.firstIndex(of: UInt8(ascii: "#")) {
            // A direction may follow.
            guard words.count <= 1 else { return .foreign }
            return log(first[..<mark], first[(mark + 1)...], stamp, interface)
        }
        return terminal(first, words, stamp, interface)
    }

    /// The digits of an identifier; nil for anything else, or ``Reading/other`` for an error.
    private static func identifier(_ digits: ArraySlice<UInt8>) -> (id: ECUAddress?, isError: Bool)?
    {
        guard digits.count == 3 || digits.count == 8, digits.allSatisfy({ Hex.value($0) != nil })
        else { return nil }
        let value = digits.reduce(UInt32(0)) { $0 << 4 | UInt32(Hex.value($1) ?? 0) }
        // Errors have bit 29 set.
        if digits.count == 8 {
            return value > 0x1FFF_FFFF ? (nil, true) : (ECUAddress(value, .can29), false)
        }
        return value <= 0x7FF ? (ECUAddress(value, .can11), false) : nil
    }

    /// `7E8#0341…`, `7E8##10009…`, `7DF#R`.
    private static func log(
        _ digits: ArraySlice<UInt8>, _ data: ArraySlice<UInt8>, _ stamp: UTC?, _ interface: String
    ) -> Reading {
        guard let (id, isError) = identifier(digits) else { return .foreign }
        guard let id, !isError else { return .other }
        var line = CandumpLine(time: stamp, interface: interface, frame: CANFrame(id, []))
        var rest = data
        if rest.first == UInt8(ascii: "#") {
            guard let flags = rest.dropFirst().first, Hex.value(flags) != nil else {
                return .foreign
            }
            line.isFD = true
            rest = rest.dropFirst(2)
        } else if rest.first == UInt8(ascii: "R") {
            line.frame.isRemote = true
            return rest.count <= 2 ? .line(line) : .foreign
        } else if let mark = rest.firstIndex(of: UInt8(ascii: "_")) {
            // A length code above 8.
            rest = rest[..<mark]
        }
        return line.append(rest) ? .line(line) : .foreign
    }

    /// `7E8   [8]  03 41 0D 35 00 00 00 00   '.A.5....'`.
    private static func terminal(
        _ digits: ArraySlice<UInt8>, _ rest: ArraySlice<ArraySlice<UInt8>>, _ stamp: UTC?,
        _ interface: String
    ) -> Reading {
        guard let (id, isError) = identifier(digits), var length = rest.first,
            length.popFirst() == UInt8(ascii: "["), length.popLast() == UInt8(ascii: "]"),
            (1...2).contains(length.count),
            let count = Int(String(decoding: length, as: UTF8.self))
        else { return .foreign }
        guard let id, !isError else { return .other }
        var line = CandumpLine(
            time: stamp, interface: interface, frame: CANFrame(id, []), isFD: length.count == 2)
        let words = rest.dropFirst()
        if words.first?.elementsEqual("remote".utf8) ?? false {
            line.frame.isRemote = true
            return .line(line)
        }
        for word in words.prefix(count) {
            guard word.count == 2, line.append(word) else { return .foreign }
        }
        guard line.frame.data.count == count else { return .foreign }
        // Only the bytes as text may follow.
        let after = words.dropFirst(count).first
        return after == nil || after?.first == UInt8(ascii: "'") ? .line(line) : .foreign
    }

    /// Adds bytes in hexadecimal, between which dots may be; false if they are none or too many.
    private mutating func append(_ digits: ArraySlice<UInt8>) -> Bool {
        var high: UInt8?
        for digit in digits {
            if digit == UInt8(ascii: "."), high == nil { continue }
            guard let value = Hex.value(digit) else { return false }
            if let upper = high {
                frame.data.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil
            && frame.data.count <= (isFD ? Self.longestFD : CANFrame.longestData)
    }

    /// The line without the escape sequences of `-c`.
    private static func withoutColours(_ text: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        var isEscape = false
        for byte in text {
            if isEscape {
                if (0x40...0x7E).contains(byte), byte != UInt8(ascii: "[") { isEscape = false }
            } else if byte == 0x1B {
                isEscape = true
            } else {
                plain.append(byte)
            }
        }
        return plain
    }

    /// `(2021-05-04`, before the time of day.
    private static func isDate(_ word: ArraySlice<UInt8>) -> Bool {
        word.count == 11
            && word.dropFirst().allSatisfy {
                (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    /// `(1436509052.249713)`, with nine digits after the point (`-N`), with fewer in logs of other programs, from 0 or as a difference (`-t z`, `-t d`).
    private static func time(_ word: ArraySlice<UInt8>) -> UTC? {
        guard word.first == UInt8(ascii: "("), word.last == UInt8(ascii: ")") else { return nil }
        let parts = word.dropFirst().dropLast().split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...9).contains(parts[1].count),
            (1...11).contains(parts[0].count),
            parts.joined().allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(String(decoding: parts[0], as: UTF8.self)),
            let fraction = Int64(
                String(
                    decoding: (parts[1] + [UInt8](repeating: 0x30, count: 5)).prefix(6),
                    as: UTF8.self))
        else { return nil }
        return UTC(microseconds: seconds * 1_000_000 + fraction)
    }

    /// The line of a log without its line end.
    public var text: String {
        var stamp = ""
        if let total = time?.microseconds {
            let fraction = String(total % 1_000_000)
            let zeros = String(repeating: "0", count: 6 - fraction.count)
            stamp = "(\(total / 1_000_000).\(zeros)\(fraction)) "
        }
        let data = frame.isRemote ? "R" : (isFD ? "#1" : "") + Hex.string(frame.data)
        return "\(stamp)\(interface) \(frame.id.digits)#\(data)"
    }
}
