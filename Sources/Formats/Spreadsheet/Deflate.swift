/// Compresses files by the fixed codes of RFC 1951, in one block.
///
/// The sheet of a trip becomes five times smaller: its rows repeat. Codes of its own would save another
/// quarter, and need twice the code.
struct Deflate {
    /// The compressed bytes; complete after ``finish()``.
    private(set) var bytes: [UInt8] = []
    /// Bits that do not fill a byte yet, the first one lowest.
    private var bits: UInt64 = 0b011
    /// The block's head: the last block (1), with fixed codes (01).
    private var bitCount: UInt64 = 3

    private static let shortest = 4
    private static let longest = 258
    private static let farthest = 32_768
    private static let hashBits: UInt32 = 15

    /// Appends a piece; matches begin and end in it.
    mutating func append(_ piece: [UInt8]) {
        // The newest position of each hash of four bytes.
        var newest = [Int32](repeating: -1, count: 1 << Int(Self.hashBits))
        piece.withUnsafeBufferPointer { source in
            var place = 0
            while place < source.count {
                let hash = Self.hash(source, place)
                let candidate = hash.map { Int(newest[$0]) } ?? -1
                if let hash { newest[hash] = Int32(truncatingIfNeeded: place) }
                let length = Self.match(source, candidate, place)
                guard length >= Self.shortest else {
                    put(literal: source[place])
                    place += 1
                    continue
                }
                put(length: length, distance: place - candidate)
                for inside in place + 1..<place + length {
                    if let hash = Self.hash(source, inside) {
                        newest[hash] = Int32(truncatingIfNeeded: inside)
                    }
                }
                place += length
            }
        }
    }

    /// Ends the block.
    mutating func finish() {
        put(Self.codes[256])
        while bitCount > 0 { putByte() }
    }

    /// The hash of four bytes; nil at the end of the piece.
    private static func hash(_ source: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
        guard place + shortest <= source.count else { return nil }
        var value: UInt32 = 0
        for offset in 0..<shortest { value = value << 8 | UInt32(source[place + offset]) }
        // Fibonacci hashing: 2^32 divided by the golden ratio.
        return Int((value &* 2_654_435_769) >> (32 - hashBits))
    }

    /// The number of equal bytes at an earlier place and at this one; 0 if the earlier place is too far away.
    private static func match(
        _ source: UnsafeBufferPointer<UInt8>, _ earlier: Int, _ place: Int
    ) -> Int {
        guard earlier >= 0, place - earlier <= farthest else { return 0 }
        let most = min(longest, source.count - place)
        var length = 0
        while length < most, source[earlier + length] == source[place + length] { length += 1 }
        return length
    }

    // MARK: Codes

    /// A code with the bits in the order of the file.
    private struct Code {
        var bits: UInt64
        var count: UInt64

        /// A Huffman code, which begins with its highest bit.
        init(_ code: UInt64, count: UInt64) {
            bits = (0..<count).reduce(0) { $0 | (code >> $1 & 1) << (count - 1 - $1) }
            self.count = count
        }
    }

    /// The codes of literals, of the end and of lengths (RFC 1951, 3.2.6).
    private static let codes: [Code] =
        (0x30...0xBF).map { Code($0, count: 8) } + (0x190...0x1FF).map { Code($0, count: 9) }
        + (0x00...0x17).map { Code($0, count: 7) } + (0xC0...0xC7).map { Code($0, count: 8) }

    /// The codes of distances.
    private static let distanceCodes: [Code] = (0..<30).map { Code($0, count: 5) }

    /// The least length of each code from 257 on, and of each code of distances (3.2.5).
    private static let lengths = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131,
        163, 195, 227, 258,
    ]
    private static let distances = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
        2049, 3073, 4097, 6145, 8193, 12_289, 16_385, 24_577,
    ]

    /// The index of the last of `starts` that is not above `value`.
    private static func index(of value: Int, in starts: [Int]) -> Int {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= value { low = middle } else { high = middle }
        }
        return low
    }

    private mutating func put(literal: UInt8) { put(Self.codes[Int(literal)]) }

    private mutating func put(length: Int, distance: Int) {
        let long = Self.index(of: length, in: Self.lengths)
        put(Self.codes[257 + long])
        // Codes 265 to 284 have a bit more every four codes.
        let isPlain = long < 8 || long == Self.lengths.count - 1
        put(length - Self.lengths[long], count: isPlain ? 0 : long / 4 - 1)
        let far = Self.index(of: distance, in: Self.distances)
        put(Self.distanceCodes[far])
        put(distance - Self.distances[far], count: max(0, far / 2 - 1))
    }

    private mutating func put(_ number: Int, count: Int) {
        bits |= UInt64(number) << bitCount
        bitCount += UInt64(count)
    }

    private mutating func put(_ code: Code) {
        bits |= code.bits << bitCount
        bitCount += code.count
        while bitCount >= 32 { putByte() }
    }

    private mutating func putByte() {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        bitCount -= min(8, bitCount)
    }
}
