import OBDCore
import VehicleLink

/// The hexadecimal digits of one line and their groups between blanks.
///
/// One value is used for all lines, so that reading a line allocates nothing.
package struct HexLine: Hashable, Sendable {
    /// How blanks cut the line.
    @usableFromInline
    struct Groups: Hashable, Sendable {
        @usableFromInline var count = 0
        /// The lengths of the first groups: enough for `18 DA F1 10 8 …`.
        @usableFromInline var lengths = (0, 0, 0, 0, 0, 0)
        @usableFromInline var oddAfterTwo = 0
        @usableFromInline var oddAfterFive = 0

        @inlinable
        @inline(__always)
        mutating func end(_ length: Int) {
            switch count {
            case 0: lengths.0 = length
            case 1: lengths.1 = length
            case 2: lengths.2 = length
            case 3: lengths.3 = length
            case 4: lengths.4 = length
            case 5: lengths.5 = length
            default: break
            }
            if length & 1 != 0 {
                if count >= 2 { oddAfterTwo &+= 1 }
                if count >= 5 { oddAfterFive &+= 1 }
            }
            count &+= 1
        }

        @usableFromInline
        static func == (left: Groups, right: Groups) -> Bool {
            left.count == right.count && left.lengths == right.lengths
                && left.oddAfterTwo == right.oddAfterTwo
                && left.oddAfterFive == right.oddAfterFive
        }

        @usableFromInline
        func hash(into hasher: inout Hasher) { hasher.combine(count) }
    }

    /// A line that holds nothing yet.
    @inlinable
    package init() {}

    @usableFromInline var digits: [UInt8] = []
    @usableFromInline var cut = Groups()
    package internal(set) var count = 0
    /// The number before a colon: `0: 49 02 …`; nil without one.
    package internal(set) var segment: Int?

    /// The number of groups between blanks.
    @inlinable
    package var groups: Int { cut.count }
    /// Groups of odd length after the first two.
    @inlinable
    package var oddAfterTwo: Int { cut.oddAfterTwo }
    /// Groups of odd length after the first five.
    @inlinable
    package var oddAfterFive: Int { cut.oddAfterFive }

    /// Reads a line; false when it holds anything but digits, blanks and one colon after the
    /// first one or two digits.
    @inlinable
    package mutating func scan(_ text: Span<UInt8>) -> Bool {
        let missing = text.count - digits.count
        if missing > 0 { digits.append(contentsOf: repeatElement(0, count: missing)) }
        var cut = Groups()
        var segment: Int?
        var used = 0
        var groupStart = 0
        var isHexadecimal = true
        var target = digits.mutableSpan
        for index in text.indices {
            let byte = text[index]
            let nibble = Self.nibble(byte)
            if nibble < 16 {
                target[used] = nibble
                used &+= 1
            } else if byte == 0x20 || byte == 0x09 {
                if used > groupStart {
                    cut.end(used - groupStart)
                    groupStart = used
                }
            } else if byte == UInt8(ascii: ":"), segment == nil, cut.count == 0,
                (1...2).contains(used)
            {
                segment = used == 1 ? Int(target[0]) : Int(target[0]) << 4 | Int(target[1])
                used = 0
                groupStart = 0
            } else {
                isHexadecimal = false
                break
            }
        }
        if used > groupStart { cut.end(used - groupStart) }
        self.cut = cut
        self.segment = segment
        count = used
        return isHexadecimal && (used > 0 || segment != nil)
    }

    /// The value of a digit; 16 and more for anything else.
    ///
    /// Here, because a call for every character
    /// across modules would be a sixth of the reading time.
    @inlinable
    @inline(__always)
    static func nibble(_ byte: UInt8) -> UInt8 {
        let digit = byte &- 0x30
        if digit < 10 { return digit }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : 0xFF
    }

    /// The length of a group, from 0; 0 for a group that is missing or not stored.
    @inlinable
    package func length(_ group: Int) -> Int {
        switch group {
        case 0: cut.lengths.0
        case 1: cut.lengths.1
        case 2: cut.lengths.2
        case 3: cut.lengths.3
        case 4: cut.lengths.4
        case 5: cut.lengths.5
        default: 0
        }
    }

    /// Whether every group is made of whole bytes.
    @inlinable
    package var isWholeBytes: Bool {
        (cut.lengths.0 | cut.lengths.1) & 1 == 0 && oddAfterTwo == 0
    }

    /// The digit at `offset`; 0 after the end.
    @inlinable
    @inline(__always)
    package func digit(_ offset: Int) -> UInt8 {
        offset >= 0 && offset < count ? digits[offset] : 0
    }

    /// The byte whose first digit is at `offset`; 0 after the end.
    @inlinable
    @inline(__always)
    package func byte(_ offset: Int) -> UInt8 {
        digit(offset) << 4 | digit(offset &+ 1)
    }

    /// The number that `length` digits from `offset` make; 8 digits at most.
    @inlinable
    @inline(__always)
    package func number(_ offset: Int, _ length: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in offset..<offset + length { value = value << 4 | UInt32(digit(index)) }
        return value
    }

    /// All whole bytes from the digit at `offset` on.
    @inlinable
    package func bytes(from offset: Int) -> InlineBytes {
        var result = InlineBytes()
        var index = offset
        while index + 1 < count {
            result.append(byte(index))
            index += 2
        }
        return result
    }

    /// `length` bytes from the digit at `offset` on, or fewer where the line ends.
    @inlinable
    package func array(from offset: Int, length: Int) -> [UInt8] {
        let available = max(0, (count - offset) / 2)
        let length = min(length, available)
        // `Array(repeating:count:)` looks up its own type each time, which takes as long as reading the line.
        // Most answers have one or two bytes of data, and this code only allocates the memory for them.
        let second = offset &+ 2, third = offset &+ 4, fourth = offset &+ 6
        switch length {
        case 3: return [byte(offset), byte(second), byte(third)]
        case 4: return [byte(offset), byte(second), byte(third), byte(fourth)]
        default:
            var bytes: [UInt8] = []
            bytes.reserveCapacity(length)
            for index in 0..<length { bytes.append(byte(offset &+ index &* 2)) }
            return bytes
        }
    }

    /// Whether the digits begin with these and go on.
    @inlinable
    package func continues(_ start: [UInt8]) -> Bool {
        count > start.count && segment == nil && digits[..<start.count].elementsEqual(start)
    }

    /// Whether the digits are these.
    @inlinable
    package func equals(_ other: [UInt8]) -> Bool {
        count == other.count && digits[..<count].elementsEqual(other)
    }

    package static func == (left: HexLine, right: HexLine) -> Bool {
        left.count == right.count && left.digits[..<left.count] == right.digits[..<right.count]
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digits[..<count])
    }
}
