/// A ZIP archive with uncompressed files (PKWARE APPNOTE 6.3.9, method 0).
struct StoredZip {
    private var archive = LittleEndianBytes()
    private var directory = LittleEndianBytes()
    private var count: UInt16 = 0

    /// The date of the files: 1980-01-01, the first one that the format supports.
    private static let noDay: UInt16 = 1 << 5 | 1
    /// The version that a reader must support: 2.0.
    private static let version: UInt16 = 20

    /// Adds a file; its name is ASCII.
    mutating func add(_ name: String, _ bytes: [UInt8]) {
        let offset = UInt32(truncatingIfNeeded: archive.bytes.count)
        var facts = LittleEndianBytes()
        facts.append(Self.version)
        // No flags; no compression; no time.
        for value: UInt16 in [0, 0, 0, Self.noDay] { facts.append(value) }
        let size = UInt32(truncatingIfNeeded: bytes.count)
        for value in [Self.checksum(bytes), size, size] { facts.append(value) }
        facts.append(UInt16(truncatingIfNeeded: name.utf8.count))
        // No extra field.
        facts.append(UInt16(0))
        archive.append(UInt32(0x0403_4B50))
        archive.bytes += facts.bytes + Array(name.utf8) + bytes
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
    var bytes: [UInt8] {
        var end = LittleEndianBytes()
        end.append(UInt32(0x0605_4B50))
        for value in [0, 0, count, count] { end.append(value) }
        end.append(UInt32(truncatingIfNeeded: directory.bytes.count))
        end.append(UInt32(truncatingIfNeeded: archive.bytes.count))
        end.append(UInt16(0))
        return archive.bytes + directory.bytes + end.bytes
    }

    /// CRC-32 of ISO 3309: polynomial EDB88320 with the least significant bit first.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
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
