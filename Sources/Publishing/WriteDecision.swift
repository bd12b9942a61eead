import OBDCore

/// The result of a request that writes lines.
package enum WriteAnswer: Hashable, Sendable {
    /// The server answered: its status, the beginning of its text, and the value of Retry-After.
    case status(Int, text: String, retryAfter: String?)
    /// There was no answer; with the reason in words.
    case none(String)
}

/// The decision after an answer.
package enum WriteDecision: Hashable, Sendable {
    case accepted
    /// The server accepted the valid lines and refused this many, with the reason.
    case acceptedInPart(refused: Int, String)
    /// Some lines are invalid, or the request is too large: send the lines in halves.
    case halve(String, isTooLarge: Bool)
    /// The user must first change the server or the settings.
    case stop(StopReason, String)
    /// Try again, after this time if the server demands one.
    case again(String, after: Duration?)

    /// Why a sink stops.
    package enum StopReason: Hashable, Sendable {
        /// The user name, password or token is wrong or missing.
        case notAuthorized
        /// The server knows the user and forbids the request.
        case forbidden
        /// The server does not have the database or path.
        case notFound
        /// The server refuses every line.
        case everyLine
        /// The server's certificate is not trusted, or is of another name.
        case certificate
        /// The server answers with a redirection to another address.
        case moved
    }

    /// The decision about an answer of a sink of this kind.
    ///
    /// A Better Route Planner may say in the text of an answer that it refuses the point.
    package init(_ answer: WriteAnswer, of kind: SinkAddress.Kind) {
        self.init(answer)
        guard kind.isABRP, self == .accepted, case .status(let status, let text, _) = answer,
            text.filter({ !$0.isWhitespace }).contains("\"status\":\"error\"")
        else { return }
        self = .halve(Self.words(text, status), isTooLarge: false)
    }

    /// The decision about an answer, by InfluxDB's rules, which the other servers follow.
    ///
    /// A server of the first generation stores the valid lines of a request and reports how many it
    /// refused.
    package init(_ answer: WriteAnswer) {
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

    /// The server's message in one line; from JSON only `error` or `message`.
    private static func words(_ text: String, _ status: Int) -> String {
        var text = text[...]
        for key in ["\"message\":\"", "\"message\": \"", "\"error\":\"", "\"error\": \""] {
            guard let mark = text.firstRange(of: key) else { continue }
            text = text[mark.upperBound...]
            text = text.firstIndex(of: "\"").map { text[..<$0] } ?? text
            break
        }
        let line = text.prefix(300).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty ? "HTTP \(status)" : "HTTP \(status): \(line)"
    }

    /// Retry-After in seconds; a date is ignored.
    private static func delay(_ text: String?) -> Duration? {
        guard let text, let seconds = Int(text.filter { !$0.isWhitespace }),
            (0...86_400).contains(seconds)
        else { return nil }
        return .seconds(seconds)
    }
}

/// When to try again: after 1, 2, 4 … 60 s, plus or minus a fifth.
///
/// The random part keeps many clients of one server from returning at the same time.
package struct RetryPacer: Hashable, Sendable {
    package static let longest = Duration.seconds(60)
    package private(set) var failures = 0

    /// A pacer without failures.
    package init() {}

    /// Records a success.
    package mutating func succeed() { failures = 0 }

    /// Records a failure and returns how long to wait.
    ///
    /// `random` is from 0 to 1; `least` is the time that the server demands.
    package mutating func fail(random: Double, least: Duration?) -> Duration {
        let step = min(failures, 6)
        failures += 1
        let base = min(Duration.seconds(1 << step), Self.longest)
        let jittered = base * (0.8 + 0.4 * min(max(random, 0), 1))
        return max(jittered, least ?? .zero)
    }
}

/// Lines that are sent in parts if a server refuses them together.
package struct LineBatch: Hashable, Sendable {
    /// Line protocol; each line has a line end.
    package let bytes: [UInt8]
    /// The parts that are not sent yet, the next one last.
    private var parts: [Range<Int>]
    /// Whether the server accepted any line.
    package private(set) var isTaken = false
    package private(set) var refused: [Refused] = []

    /// A line that the server refuses.
    package struct Refused: Hashable, Sendable {
        /// The line without its end.
        package var line: [UInt8]
        package var reason: String
    }

    /// Lines to send, at most `limit` bytes at once unless a line is longer.
    package init(_ bytes: [UInt8], limit: Int) {
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

    /// The next part to send; nil = all is sent.
    package var next: ArraySlice<UInt8>? { parts.last.map { bytes[$0] } }

    /// Records that the server accepted the part.
    package mutating func accept() {
        if parts.popLast() != nil { isTaken = true }
    }

    /// Whether the server seems to refuse every line for a reason that it does not report.
    ///
    /// The first lines were refused one by one, and no line was accepted.
    package var isHopeless: Bool { !isTaken && refused.count >= 8 && !parts.isEmpty }

    /// The number of lines in the next part.
    package var count: Int { next.map { $0.count { $0 == 0x0A } } ?? 0 }

    /// Records that the server refuses the whole part.
    package mutating func refuseAll(_ reason: String) {
        guard let part = parts.popLast() else { return }
        for line in bytes[part].split(separator: 0x0A) {
            refused.append(Refused(line: Array(line), reason: reason))
        }
    }

    /// Records that the server refuses the part: its halves are sent next, or a single line is
    /// given up.
    package mutating func halve(_ reason: String) {
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
