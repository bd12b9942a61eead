/// Removes secrets from a server's text, because a server may repeat the request.
package struct KnownSecrets: Hashable, Sendable {
    /// The secrets in all forms in which a request has them, the longest first.
    private let forms: [String]
    private static let substitute = "***"
    /// Shorter texts are in too many words.
    private static let shortest = 4

    /// Texts such as a token, or a user with a password.
    package init(_ secrets: [String]) {
        var forms: Set<String> = []
        for secret in secrets {
            forms.insert(secret)
            forms.insert(Self.base64(Array(secret.utf8)))
            forms.insert(Self.percentEncoded(secret, false))
            forms.insert(Self.percentEncoded(secret, true))
        }
        self.forms = forms.filter { $0.utf8.count >= Self.shortest }
            .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    /// `text` without the secrets.
    package func removed(from text: String) -> String {
        forms.reduce(text) { $0.replacing($1, with: Self.substitute) }
    }

    /// Whether a parameter of an address holds a secret, by its name as it is written: `%74oken` is `token`.
    static func isName(_ name: some StringProtocol) -> Bool {
        let plain = decoded(name).lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." }
        return [
            "p", "pw", "pass", "password", "passwd", "token", "authtoken", "accesstoken",
            "apitoken",
            "apikey", "accesskey", "secret", "clientsecret", "authorization", "auth",
        ].contains(plain)
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        // A name may be encoded twice.
        let plain = String(decoding: bytes, as: UTF8.self)
        return plain == String(text) ? plain : decoded(plain)
    }

    package static func percentEncoded(_ text: String, _ isUpper: Bool) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: isUpper)
                result += "%" + (byte < 16 ? "0" : "") + digits
            }
        }
        return result
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let word = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            for place in 0..<4 {
                result.append(
                    place <= part.count ? letters[word >> (18 - 6 * place) & 63] : 0x3D)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
