/// A short byte string that needs no allocation up to 16 bytes; longer ones are on the heap.
///
/// Frames and the raw bytes of records are this short, and there are millions of them.
public struct InlineBytes: Hashable, Sendable {
    /// Bytes that fit without an allocation.
    public static let inlineCapacity = 16

    // Byte i is in bits 8·i… of low (i < 8) or high. All zero when `heap` is set.
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var inlineCount: UInt8 = 0
    private var heap: [UInt8]?

    /// No bytes.
    public init() {}

    /// Copies `bytes`.
    public init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { append(byte) }
    }

    /// Copies an array, without the detour over a sequence of any kind.
    public init(_ array: [UInt8]) { self.init(array, 0..<array.count) }

    /// Copies the bytes of `array` at `range`.
    public init(_ array: [UInt8], _ range: Range<Int>) {
        guard range.count <= Self.inlineCapacity else {
            heap = Array(array[range])
            return
        }
        var shift: UInt64 = 0
        for index in range.prefix(8) {
            low |= UInt64(array[index]) &<< shift
            shift &+= 8
        }
        shift = 0
        for index in range.dropFirst(8) {
            high |= UInt64(array[index]) &<< shift
            shift &+= 8
        }
        inlineCount = UInt8(range.count)
    }

    /// The lowest `count` bytes of `word`, the lowest one first; at most eight.
    package init(word: UInt64, count: Int) {
        precondition((0...8).contains(count), "a word has eight bytes")
        low = count < 8 ? word & ((1 &<< UInt64(8 &* count)) &- 1) : word
        inlineCount = UInt8(count)
    }

    /// The first eight bytes, the first one in the lowest bits, and zeros after the end.
    package var word: UInt64 {
        guard let heap else { return low }
        return heap.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The number of bytes.
    @inline(__always)
    public var count: Int {
        if let heap { return heap.count }
        return Int(inlineCount)
    }

    /// Whether there are no bytes.
    @inline(__always)
    public var isEmpty: Bool { count == 0 }

    /// The byte at `index`; traps outside `0..<count`, like an array.
    @inline(__always)
    public subscript(index: Int) -> UInt8 {
        if let heap { return heap[index] }
        precondition(index >= 0 && index < Int(inlineCount), "index out of range")
        return index < 8
            ? UInt8(truncatingIfNeeded: low &>> UInt64(index &* 8))
            : UInt8(truncatingIfNeeded: high &>> UInt64((index &- 8) &* 8))
    }

    /// Adds one byte at the end.
    @inline(__always)
    public mutating func append(_ byte: UInt8) {
        if heap != nil {
            heap?.append(byte)
            return
        }
        let index = Int(inlineCount)
        if index < 8 {
            low |= UInt64(byte) &<< UInt64(index &* 8)
        } else if index < Self.inlineCapacity {
            high |= UInt64(byte) &<< UInt64((index &- 8) &* 8)
        } else {
            var all = Array(self)
            all.append(byte)
            heap = all
            low = 0
            high = 0
            inlineCount = 0
            return
        }
        inlineCount &+= 1
    }
}

extension InlineBytes: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of bytes.
    public var endIndex: Int { count }
}

extension InlineBytes: ExpressibleByArrayLiteral {
    /// The bytes as written.
    public init(arrayLiteral elements: UInt8...) {
        self.init(elements)
    }
}

extension InlineBytes: CustomStringConvertible {
    /// Two hexadecimal digits per byte.
    public var description: String { Hex.string(self) }
}
