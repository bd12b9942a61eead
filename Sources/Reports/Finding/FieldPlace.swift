/// The bits of an unknown signal in the frames of one identifier.
///
/// Bits are counted from the lowest one of the order: for `little`, from bit 0 of the first byte; otherwise from
/// bit 0 of the last byte, towards the first byte.
package struct FieldPlace: Hashable, Sendable {
    /// Whether the first byte holds the lowest bits.
    package var isLittle: Bool
    /// The place of the lowest bit in the order.
    package var low: Int
    package var length: Int
    package var isSigned: Bool
    /// The bytes of the frame.
    package let width: Int

    /// The longest field that is searched; a longer one cannot be told from two fields.
    static let longest = 32

    package init(isLittle: Bool, low: Int, length: Int, isSigned: Bool, width: Int) {
        self.isLittle = isLittle
        self.low = low
        self.length = length
        self.isSigned = isSigned
        self.width = width
    }

    /// The number of a bit of the field, counted from bit 0 of the first byte.
    func bit(_ index: Int) -> Int { Self.bit(low + index, isLittle, width) }

    /// The number of the bit at a place of an order, counted from bit 0 of the first byte; its own inverse.
    static func bit(_ place: Int, _ isLittle: Bool, _ width: Int) -> Int {
        isLittle ? place : (width - 1 - place / 8) * 8 + place % 8
    }

    /// Whether the field is inside one byte, so that both orders are the same.
    package var isInOneByte: Bool { low / 8 == (low + length - 1) / 8 }

    /// The bits of the field as a mask of the frame.
    var bits: BitMask {
        var mask = BitMask(bytes: width)
        for index in 0..<length { mask.insert(bit(index)) }
        return mask
    }

    /// The first and last byte of the field in the frame.
    package var bytes: ClosedRange<Int> {
        let ends = [bit(0) / 8, bit(length - 1) / 8]
        return min(ends[0], ends[1])...max(ends[0], ends[1])
    }

    /// The value of the field in a frame.
    package func raw(_ data: [UInt8]) -> Int64 {
        raw { data[$0] }
    }

    /// The value of the field in a frame whose bytes `byte` gives.
    func raw(_ byte: (Int) -> UInt8) -> Int64 {
        var value: UInt64 = 0
        let first = low / 8
        let last = (low + length - 1) / 8
        for place in stride(from: last, through: first, by: -1) {
            value = value << 8 | UInt64(byte(isLittle ? place : width - 1 - place))
        }
        value = value >> UInt64(low % 8) & (1 << UInt64(length) - 1)
        if isSigned, value >> UInt64(length - 1) == 1 {
            return Int64(value) - Int64(1) << Int64(length)
        }
        return Int64(value)
    }
}

/// A set of bits of a frame.
package struct BitMask: Hashable, Sendable {
    private(set) var bytes: [UInt8]

    package init(bytes: Int) { self.bytes = [UInt8](repeating: 0, count: bytes) }

    package mutating func insert(_ bit: Int) {
        if bit >= 0, bit / 8 < bytes.count { bytes[bit / 8] |= 1 << UInt8(bit % 8) }
    }

    package func contains(_ bit: Int) -> Bool {
        bit / 8 < bytes.count && bytes[bit / 8] >> UInt8(bit % 8) & 1 == 1
    }

    package mutating func formUnion(_ other: BitMask) {
        for index in 0..<min(bytes.count, other.bytes.count) { bytes[index] |= other.bytes[index] }
    }

    package func meets(_ other: BitMask) -> Bool {
        zip(bytes, other.bytes).contains { $0 & $1 != 0 }
    }
}
