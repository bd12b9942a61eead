import OBDCore

/// Names in topics and identifiers.
package enum PublishedName {
    /// Converts a text to `[a-z0-9_-]+`: other characters become `-`; nil if nothing is left.
    ///
    /// NATS allows no dots and blanks in topics, Home Assistant no dots in identifiers.
    package static func slug(_ text: String) -> String? {
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
    package static func isSlug(_ text: String) -> Bool { slug(text) == text }

    /// Whether a text is such a name once its markers are replaced.
    package static func isTemplate(_ text: String) -> Bool {
        isSlug(NameMarker.replaced(text, host: "host", vin: "vin") ?? "")
    }
}

/// Checks whether a trip's times are plausible.
///
/// The clock of a computer without a battery may start in 1970, or continue from when it was
/// switched off.
package enum PublishedTime {
    /// The earliest plausible time, because the program did not exist before: 2026-01-01T00:00:00Z.
    package static let earliest = UTC(microseconds: 1_767_225_600_000_000)

    /// Whether a trip from `start` to `end` was recorded with a clock that was set.
    package static func isPlausible(start: UTC, end: UTC, now: UTC) -> Bool {
        start >= earliest && end.microseconds <= now.microseconds + 60_000_000
    }
}
