/// A ZIP archive (PKWARE APPNOTE 6.3.9); large files are compressed (method 8), small ones are not (method 0).
struct ZipArchive {
    private var archive: [[UInt8]] = []
    private var size = 0
    private var directory = LittleEndianBytes()
    private var count: UInt16 = 0

    /// The date of the files: 1980-01-01, the first one that the format supports.
    private static let noDay: UInt16 = 1 << 5 | 1
    /// The smallest file that is compressed, so that the beginning of an archive is always the same; unit:
    /// bytes.
    private static let leastCompressed = 4096
    /// The version that a reader must support: 2.0.
    private static let version: UInt16 = 20

    /// Adds a file in pieces; its name is ASCII.
    mutating func add(_ name: String, _ pieces: [[UInt8]]) {
        let offset = UInt32(truncatingIfNeeded: size)
        let length = pieces.reduce(0) { $0 + $1.count }
        var packed = pieces
        if length >= Self.leastCompressed {
            var file = Deflate()
            for piece in pieces { file.append(piece) }
            file.finish()
            packed = [file.bytes]
        }
        let packedLength = packed.reduce(0) { $0 + $1.count }
        var facts = LittleEndianBytes()
        facts.append(Self.version)
        // No flags; the method; no time.
        let method: UInt16 = length >= Self.leastCompressed ? 8 : 0
        for value in [0, method, 0, Self.noDay] { facts.append(value) }
        facts.append(Self.checksum(pieces))
        for value in [packedLength, length] { facts.append(UInt32(truncatingIfNeeded: value)) }
        facts.append(UInt16(truncatingIfNeeded: name.utf8.count))
        // No extra field.
        facts.append(UInt16(0))
        var head = LittleEndianBytes()
        head.append(UInt32(0x0403_4B50))
        archive += [head.bytes + facts.bytes + Array(name.utf8)] + packed
        size = archive.reduce(0) { $0 + $1.count }
        directory.append(UInt32(0x0201_4B50))
        directory.append(Self.version)
        directory.bytes += facts.bytes
        // No comment, first disk, no attributes.
        for value: UInt16 in [0, 0, 0, 0, 0] { directory.append(value) }
        directory.append(offset)
        directory.bytes += Array(name.utf8)
        count += 1
    }

    /// The whole archive.
    var pieces: [[UInt8]] {
        var end = LittleEndianBytes()
        end.append(UInt32(0x0605_4B50))
        for value in [0, 0, count, count] { end.append(value) }
        end.append(UInt32(truncatingIfNeeded: directory.bytes.count))
        end.append(UInt32(truncatingIfNeeded: size))
        end.append(UInt16(0))
        return archive + [directory.bytes, end.bytes]
    }

    /// CRC-32 of ISO 3309: polynomial EDB88320 with the least significant bit first.
    static func checksum(_ pieces: [[UInt8]]) -> UInt32 {
        let table = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        var sum = UInt32.max
        for piece in pieces {
            for byte in piece { sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
        }
        return ~sum
    }
}

/// Serializes numbers with the least significant byte first.
private struct LittleEndianBytes {
    var bytes: [UInt8] = []

    mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
}
