public import OBDCore

/// Names that topics and identifiers are made of.
public enum PublishedName {
    /// `[a-z0-9_-]+` of a text: other signs become `-`; nil where nothing is left.
    ///
    /// NATS takes no dots and blanks in topics, Home Assistant no dots in identifiers.
    public static func slug(_ text: String) -> String? {
        var result: [UInt8] = []
        for byte in text.lowercased().utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x5F, 0x2D: result.append(byte)
            default: if result.last != 0x2D, !result.isEmpty { result.append(0x2D) }
            }
        }
        while result.last == 0x2D { result.removeLast() }
        return result.isEmpty ? nil : String(decoding: result.prefix(64), as: UTF8.self)
    }

    /// Whether a text is such a name.
    public static func isSlug(_ text: String) -> Bool { slug(text) == text }

    /// Whether a text is such a name once its markers are replaced.
    public static func isTemplate(_ text: String) -> Bool {
        isSlug(NameMarker.replaced(text, host: "host", vin: "vin") ?? "")
    }
}

/// Whether a trip's times can be right.
///
/// A computer without a battery clock may begin in 1970, or go on where it was switched off.
public enum PublishedTime {
    /// No trip is older than this program: 2026-01-01T00:00:00Z.
    public static let earliest = UTC(microseconds: 1_767_225_600_000_000)

    /// Whether a trip that lasted from `start` to `end` can have been recorded by a clock that is set.
    public static func isPlausible(start: UTC, end: UTC, now: UTC) -> Bool {
        start >= earliest && end.microseconds <= now.microseconds + 60_000_000
    }
}
