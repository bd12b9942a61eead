import Adapters
import OBDCore

/// Removes data that identifies a person's vehicle or device from a text, in plain text and in
/// hexadecimal.
///
/// The same text always gets the same substitute. A number is transferred in pieces, with a header
/// and control bytes between them on each line. Therefore, in hexadecimal every piece of
/// ``shortestPiece`` bytes or more is found on its own, wherever its digits begin.
package struct Redaction: Hashable, Sendable {
    /// The fewest consecutive bytes that count as a piece of a secret.
    package static let shortestPiece = 3

    /// A text to remove, and its substitute of the same length.
    private struct Secret: Hashable, Sendable {
        var bytes: [UInt8]
        var substitute: [UInt8]
        /// The digits of `bytes` in upper case.
        var digits: [UInt8]
        var substituteDigits: [UInt8]
    }

    private var secrets: [Secret] = []

    /// A redaction without secrets.
    package init() {}

    /// Adds a text to remove, such as a VIN; texts shorter than four characters are not secrets.
    package mutating func add(_ text: String) {
        let bytes = Array(text.uppercased().utf8)
        guard bytes.count >= 4, !secrets.contains(where: { $0.bytes == bytes }) else { return }
        // X is allowed in a VIN, so a reader of the report still finds a valid one.
        let substitute = [UInt8](repeating: UInt8(ascii: "X"), count: bytes.count)
        secrets.append(
            Secret(
                bytes: bytes, substitute: substitute, digits: Array(Hex.string(bytes).utf8),
                substituteDigits: Array(Hex.string(substitute).utf8)))
    }

    /// `text` without secrets.
    package func applied(to text: String) -> String {
        String(decoding: applied(to: Array(text.utf8)), as: UTF8.self)
    }

    /// `bytes` without secrets; the length stays the same.
    package func applied(to bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for secret in secrets {
            replace(secret, in: &bytes)
            replaceDigits(secret, in: &bytes)
        }
        return bytes
    }

    /// `transcript` without secrets, including pieces that were split at the end of a read.
    package func applied(to transcript: Transcript) -> Transcript {
        var result = transcript
        result.headers = transcript.headers.map { header in
            Transcript.Header(header.key, applied(to: header.value))
        }
        for direction in [Transcript.Direction.toAdapter, .fromAdapter] {
            let places = transcript.chunks.indices.filter {
                transcript.chunks[$0].direction == direction
            }
            var rest = applied(to: places.flatMap { transcript.chunks[$0].bytes })[...]
            for place in places {
                let count = transcript.chunks[place].bytes.count
                result.chunks[place].bytes = Array(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
        }
        return result
    }

    /// The positions of pieces of secrets in bytes that belong together, in any number of frames.
    func places(in bytes: [UInt8]) -> Set<Int> {
        var found: Set<Int> = []
        for secret in secrets {
            var start = 0
            while start < bytes.count {
                let count =
                    secret.bytes.indices.map { from in
                        zip(bytes[start...], secret.bytes[from...])
                            .prefix { Self.upper($0.0) == $0.1 }.count
                    }.max() ?? 0
                if count >= Self.shortestPiece { found.formUnion(start..<start + count) }
                start += count >= Self.shortestPiece ? count : 1
            }
        }
        return found
    }

    private func replace(_ secret: Secret, in bytes: inout [UInt8]) {
        let count = secret.bytes.count
        guard bytes.count >= count else { return }
        for start in 0...(bytes.count - count)
        where (0..<count).allSatisfy({ Self.upper(bytes[start + $0]) == secret.bytes[$0] }) {
            bytes.replaceSubrange(start..<(start + count), with: secret.substitute)
        }
    }

    /// Blanks may separate the digits; any other character ends a piece.
    private func replaceDigits(_ secret: Secret, in bytes: inout [UInt8]) {
        var places: [Int] = []
        for index in bytes.indices {
            if Hex.value(bytes[index]) != nil {
                places.append(index)
            } else if bytes[index] != 0x20 {
                replacePieces(secret, at: places, in: &bytes)
                places.removeAll(keepingCapacity: true)
            }
        }
        replacePieces(secret, at: places, in: &bytes)
    }

    private func replacePieces(_ secret: Secret, at places: [Int], in bytes: inout [UInt8]) {
        replaceFirstByte(secret, at: places, in: &bytes)
        var start = 0
        while start + 2 * Self.shortestPiece <= places.count {
            guard let (from, count) = longestPiece(secret, at: places[start...], bytes) else {
                start += 1
                continue
            }
            for offset in 0..<count {
                bytes[places[start + offset]] = secret.substituteDigits[from + offset]
            }
            start += count
        }
    }

    /// Before CAN, the first byte of a VIN is transferred alone after three fill bytes.
    private func replaceFirstByte(_ secret: Secret, at places: [Int], in bytes: inout [UInt8]) {
        let beginning = Array("490201000000".utf8) + secret.digits.prefix(2)
        guard places.count >= beginning.count else { return }
        for start in 0...(places.count - beginning.count)
        where beginning.indices.allSatisfy({
            Self.upper(bytes[places[start + $0]]) == beginning[$0]
        }) {
            for offset in 0..<2 {
                bytes[places[start + beginning.count - 2 + offset]] =
                    secret.substituteDigits[offset]
            }
        }
    }

    /// The longest piece of the secret that begins at the first of `places`, in digits.
    private func longestPiece(
        _ secret: Secret, at places: ArraySlice<Int>, _ bytes: [UInt8]
    ) -> (from: Int, count: Int)? {
        var best: (from: Int, count: Int)?
        for from in stride(from: 0, to: secret.digits.count, by: 2) {
            var count = 0
            for place in places {
                guard from + count < secret.digits.count,
                    Self.upper(bytes[place]) == secret.digits[from + count]
                else { break }
                count += 1
            }
            count -= count % 2
            if count >= 2 * Self.shortestPiece, count > best?.count ?? 0 { best = (from, count) }
        }
        return best
    }

    private static func upper(_ byte: UInt8) -> UInt8 {
        (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
    }
}
