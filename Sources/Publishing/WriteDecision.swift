import OBDCore

/// What came of a request that writes lines.
public enum WriteAnswer: Hashable, Sendable {
    /// The server answered: its status, the beginning of what it says, and the value of Retry-After.
    case status(Int, text: String, retryAfter: String?)
    /// There was no answer; why, in words.
    case none(String)
}

/// What to do after an answer.
public enum WriteDecision: Hashable, Sendable {
    /// The server has all lines.
    case accepted
    /// The server has the good lines and left this many out, for this reason.
    case acceptedInPart(refused: Int, String)
    /// Some of the lines are wrong, or there are too many at once: send them in halves.
    case halve(String, isTooLarge: Bool)
    /// Nothing helps until its user changes something.
    case stop(StopReason, String)
    /// Try again, not before this time where the server says one.
    case again(String, after: Duration?)

    /// Why a sink stops.
    public enum StopReason: Hashable, Sendable {
        /// The user name, password or token is wrong or missing.
        case notAuthorized
        /// The server knows who it is and forbids it.
        case forbidden
        /// The server has no such database or path.
        case notFound
        /// The server takes no line at all.
        case everyLine
        /// The server's certificate is not trusted, or is of another name.
        case certificate
        /// The server answers with a redirection: the address is another one.
        case moved
    }

    /// What an answer means, by InfluxDB's rules, which the other servers follow.
    ///
    /// A server of the first generation stores the good lines of a request and says how many it left out.
    public init(_ answer: WriteAnswer) {
        switch answer {
        case .none(let why): self = .again(why, after: nil)
        case .status(let status, let text, let retryAfter):
            let words = Self.words(text, status)
            switch status {
            case 200..<300: self = .accepted
            case 300..<400: self = .stop(.moved, words)
            case 400, 422:
                if let dropped = Self.dropped(text) {
                    self = .acceptedInPart(refused: dropped, words)
                } else {
                    self = .halve(words, isTooLarge: false)
                }
            case 413: self = .halve(words, isTooLarge: true)
            case 401: self = .stop(.notAuthorized, words)
            case 403: self = .stop(.forbidden, words)
            case 404, 405: self = .stop(.notFound, words)
            default: self = .again(words, after: Self.delay(retryAfter))
            }
        }
    }

    /// `partial write: … dropped=3` of InfluxDB 1.
    private static func dropped(_ text: String) -> Int? {
        guard text.contains("partial write"), let mark = text.firstRange(of: "dropped=") else {
            return nil
        }
        return Int(text[mark.upperBound...].prefix { $0.isASCII && $0.isNumber }.prefix(9))
    }

    /// The server's words on one line; JSON's `error` or `message` alone.
    private static func words(_ text: String, _ status: Int) -> String {
        var text = text[...]
        for key in ["\"message\":\"", "\"error\":\""] {
            guard let mark = text.firstRange(of: key) else { continue }
            text = text[mark.upperBound...]
            text = text.firstIndex(of: "\"").map { text[..<$0] } ?? text
            break
        }
        let line = text.prefix(300).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? "HTTP \(status)" : "HTTP \(status): \(line)"
    }

    /// Retry-After in seconds; a date is not taken.
    private static func delay(_ text: String?) -> Duration? {
        guard let text, let seconds = Int(text.filter { !$0.isWhitespace }),
            (0...86_400).contains(seconds)
        else { return nil }
        return .seconds(seconds)
    }
}

/// When to try again: after 1, 2, 4 … 60 s, a fifth more or less, so that many who lost the same server do
/// not come back together.
public struct RetryPacer: Hashable, Sendable {
    /// The longest pause.
    public static let longest = Duration.seconds(60)
    /// How many attempts failed in a row.
    public private(set) var failures = 0

    /// Nothing failed yet.
    public init() {}

    /// Something worked.
    public mutating func succeed() { failures = 0 }

    /// Something failed: how long to wait.
    ///
    /// `random` is from 0 to 1; `least` is what the server asks for.
    public mutating func fail(random: Double, least: Duration?) -> Duration {
        let step = min(failures, 6)
        failures += 1
        let base = min(Duration.seconds(1 << step), Self.longest)
        let jittered = base * (0.8 + 0.4 * min(max(random, 0), 1))
        return max(jittered, least ?? .zero)
    }
}

/// Lines, and how they are sent in parts when a server refuses them together.
public struct LineBatch: Hashable, Sendable {
    /// Line protocol, each line with its line end.
    public let bytes: [UInt8]
    /// The parts that are not yet sent, the next one last.
    private var parts: [Range<Int>]
    /// Whether the server took any of it.
    public private(set) var isTaken = false
    /// What was refused.
    public private(set) var refused: [Refused] = []

    /// A line that a server does not take.
    public struct Refused: Hashable, Sendable {
        /// The line without its end.
        public var line: [UInt8]
        /// Why.
        public var reason: String
    }

    /// Lines to send, at most `limit` bytes at once unless one line is longer.
    public init(_ bytes: [UInt8], limit: Int) {
        self.bytes = bytes
        parts = []
        var start = 0
        var found: [Range<Int>] = []
        while start < bytes.count {
            var end = min(bytes.count, start + max(1, limit))
            if end < bytes.count {
                let last = bytes[start..<end].lastIndex(of: 0x0A)
                end = (last ?? bytes[end...].firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
            }
            found.append(start..<end)
            start = end
        }
        parts = found.reversed()
    }

    /// What to send next; nil = all is sent.
    public var next: ArraySlice<UInt8>? { parts.last.map { bytes[$0] } }

    /// The server has what was sent.
    public mutating func accept() {
        if parts.popLast() != nil { isTaken = true }
    }

    /// Whether it looks as if the server took no line, whatever it says: the first ones were refused one by
    /// one, and none was taken.
    public var isHopeless: Bool { !isTaken && refused.count >= 8 && !parts.isEmpty }

    /// How many lines were sent.
    public var count: Int { next.map { $0.count { $0 == 0x0A } } ?? 0 }

    /// The server takes none of what was sent.
    public mutating func refuseAll(_ reason: String) {
        guard let part = parts.popLast() else { return }
        for line in bytes[part].split(separator: 0x0A) {
            refused.append(Refused(line: Array(line), reason: reason))
        }
    }

    /// The server does not take what was sent: halves are tried, and a single line is given up.
    public mutating func halve(_ reason: String) {
        guard let part = parts.popLast() else { return }
        let middle = part.lowerBound + part.count / 2
        let end = part.upperBound - 1
        let cut =
            bytes[middle..<end].firstIndex(of: 0x0A)
            ?? bytes[part.lowerBound..<middle].lastIndex(of: 0x0A)
        guard let cut else {
            refused.append(Refused(line: Array(bytes[part].dropLast()), reason: reason))
            return
        }
        parts.append(cut + 1..<part.upperBound)
        parts.append(part.lowerBound..<cut + 1)
    }
}
