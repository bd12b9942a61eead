/// The source of a street map: a URL with `{z}`, `{x}` and `{y}` in it.
package struct TileSource: Hashable, Sendable {
    /// The complete URL: `https://tile.example.org/{z}/{x}/{y}.png`.
    package let template: String
    /// Scheme, host and port, for the page's policy.
    package let origin: String

    /// Parses the user's URL; nil if it is not a URL of tiles.
    ///
    /// The source allows only characters without a special meaning in HTML and in a policy.
    package init?(_ text: String) {
        guard text.utf8.count <= 500, text.utf8.allSatisfy(Self.isPlain) else { return nil }
        guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else {
            return nil
        }
        let host = text.dropFirst(scheme.count).prefix { $0 != "/" }
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isOfHost) else { return nil }
        let path = text.dropFirst(scheme.count + host.count)
        guard ["{z}", "{x}", "{y}"].allSatisfy({ path.contains($0) }) else { return nil }
        template = text
        origin = scheme + host
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D: true
        default: false
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        isOfHost(byte) || "/{}_~?=%@+".utf8.contains(byte)
    }
}
