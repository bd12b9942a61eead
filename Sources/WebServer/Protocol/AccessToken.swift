/// A secret that a client must know.
///
/// The description hides the token's text, so that the text does not get into logs.
package struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The least length: 16 hexadecimal digits are 64 bits.
    package static let shortest = 16
    package static let longest = 256

    package let word: String

    /// A token of letters, digits and `-._~`, which need no escaping in a URL or a cookie.
    ///
    /// The token is nil for other characters, and if the text is too short or too long.
    package init?(_ word: String) {
        guard (Self.shortest...Self.longest).contains(word.utf8.count),
            word.utf8.allSatisfy(Self.isUnreserved)
        else { return nil }
        self.word = word
    }

    /// A token of these bytes in hexadecimal; at least eight bytes.
    package init(random bytes: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        word = String(decoding: text, as: UTF8.self)
    }

    /// Whether `other` is the token; the time for the comparison does not depend on where they
    /// differ.
    package func matches(_ other: String) -> Bool {
        let mine = Array(word.utf8)
        let theirs = Array(other.utf8)
        guard !mine.isEmpty else { return false }
        var difference = mine.count ^ theirs.count
        for (place, byte) in theirs.enumerated() {
            difference |= Int(byte ^ mine[place % mine.count])
        }
        return difference == 0
    }

    /// A text without the token.
    package var description: String { "(a token)" }

    /// A mirror without the token.
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
