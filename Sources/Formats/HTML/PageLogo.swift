/// A picture in a page: PNG, JPEG or SVG.
public struct PageLogo: Hashable, Sendable {
    /// The greatest size of the file; unit: bytes.
    public static let mostBytes = 1_000_000

    let type: String
    private let bytes: [UInt8]

    /// A picture with these bytes; nil if they are not a picture of a known kind, or too many.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes else { return nil }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            type = "image/png"
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            type = "image/jpeg"
        } else if String(decoding: bytes.prefix(1_000), as: UTF8.self).contains("<svg") {
            type = "image/svg+xml"
        } else {
            return nil
        }
        self.bytes = bytes
    }

    /// The bytes as base 64 (RFC 4648).
    var base64: String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            var four: [UInt8] = []
            for place in 0..<4 {
                four.append(place < 3 - group.count ? UInt8(ascii: "=") : digits[bits & 0x3F])
                bits >>= 6
            }
            text += four.reversed()
        }
        return String(decoding: text, as: UTF8.self)
    }
}
