/// The decoded path and query of a request (RFC 3986).
struct RequestTarget: Hashable, Sendable {
    var path: [String]
    var query: [RequestHead.QueryItem]

    /// Parses a target that begins with a slash.
    init(_ bytes: some Collection<UInt8>) throws(RequestRefusal) {
        guard bytes.first == 0x2F, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed
        }
        let parts = bytes.dropFirst().split(
            separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
        path = []
        let whole = parts.first.map { Array($0) } ?? []
        if !whole.isEmpty {
            for segment in whole.split(separator: 0x2F, omittingEmptySubsequences: false) {
                let text = try Self.decoded(segment, plusIsBlank: false)
                // Paths never name files, so refuse attempts to climb directories.
                guard text != ".", text != "..", !text.contains("/"), !text.contains("\\") else {
                    throw .malformed
                }
                path.append(text)
            }
        }
        query = []
        for item in parts.dropFirst().first?.split(separator: 0x26) ?? [] {
            let pair = item.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            query.append(
                .init(
                    name: try Self.decoded(pair[0], plusIsBlank: true),
                    value: pair.count > 1 ? try Self.decoded(pair[1], plusIsBlank: true) : ""))
        }
    }

    /// Decodes percent escapes such as `%41`; the result is UTF-8 without control characters.
    private static func decoded(
        _ bytes: some Collection<UInt8>, plusIsBlank: Bool
    ) throws(RequestRefusal) -> String {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case 0x25:
                guard let high = rest.popFirst().flatMap(digit),
                    let low = rest.popFirst().flatMap(digit)
                else { throw .malformed }
                result.append(high << 4 | low)
            case 0x2B where plusIsBlank: result.append(0x20)
            default: result.append(byte)
            }
        }
        guard let text = String(validating: result, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
            )
        else { throw .malformed }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
