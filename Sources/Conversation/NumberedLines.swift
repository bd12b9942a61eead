import OBDCore

/// The lengths and numbered lines of an exchange that cannot be read one after the other: lines of two ECUs are
/// mixed, lengths are missing, or extended addressing was not set.
///
/// All ways to join the lines are tried. A way counts only if it uses all lines, if each message
/// has the announced length or one that its own content proves, and if no other way meets these conditions.
struct NumberedLines: Hashable, Sendable {
    struct Line: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            case length(Int)
            case segment(Int, [UInt8])
        }

        var content: Content
        /// The line's number in the input.
        var line: Int
    }

    /// A message of which lines are missing so far.
    fileprivate struct Open: Hashable {
        /// The announced length; nil if no line announced one.
        var total: Int?
        var bytes: [UInt8] = []
        var next = 0
        var line: Int
        /// The end of a line that is not full; no further line can follow.
        var isEnded = false

        var isComplete: Bool { total.map { bytes.count >= $0 } ?? isEnded }
    }

    /// More than any exchange has; further lines are not tried.
    private static let mostLines = 128
    private static let mostSteps = 4096

    private(set) var lines: [Line] = []
    private var isTooLong = false

    var isEmpty: Bool { lines.isEmpty }

    mutating func append(_ content: Line.Content, line: Int) {
        if lines.count < Self.mostLines {
            lines.append(Line(content: content, line: line))
        } else {
            isTooLong = true
        }
    }

    mutating func removeAll() {
        lines.removeAll(keepingCapacity: true)
        isTooLong = false
    }

    /// The messages, if there is one way to join the lines; nil otherwise.
    ///
    /// `isExtended` is true if extended addressing is set; `request` is nil if it is not known.
    func messages(isExtended: Bool, request: [UInt8]?) -> [ECUMessage]? {
        guard !isTooLong, !lines.isEmpty else { return nil }
        for shift in isExtended ? [1] : [0, 1] {
            // Without the setting, only lengths prove that a byte of each frame is an address.
            if shift == 1, !isExtended, !lines.contains(where: \.isLength) { return nil }
            var search = Search(lines: lines, shift: shift, request: request)
            search.step(0, [])
            guard search.steps <= Self.mostSteps else { return nil }
            if search.results.count == 1, let found = search.results.first {
                return found.map {
                    // The length of a message without a length line is not proven by its frames.
                    ECUMessage(
                        ecu: nil, payload: $0.payload, line: $0.line,
                        frames: $0.isAnnounced ? $0.lines : 1)
                }
            }
            if !search.results.isEmpty { return nil }
        }
        return nil
    }

    private struct Found: Hashable {
        var payload: [UInt8]
        var line: Int
        var lines: Int
        var isAnnounced: Bool
    }

    private struct Search {
        let lines: [Line]
        let shift: Int
        let request: [UInt8]?
        var results: Set<[Found]> = []
        var steps = 0

        /// Joins the lines from `index` on to the messages that the lines before it have begun.
        mutating func step(_ index: Int, _ open: [Open]) {
            steps += 1
            guard steps <= NumberedLines.mostSteps, results.count < 2 else { return }
            guard index < lines.count else {
                if let found = finished(open) { results.insert(found) }
                return
            }
            let line = lines[index]
            var next = open
            switch line.content {
            case .length(let total):
                guard total >= 8 - shift else { return }
                next.append(Open(total: total, line: line.line))
                step(index + 1, next)
            case .segment(let number, let bytes):
                for place in candidates(for: number, at: index, open) {
                    next = open
                    if place == open.count { next.append(Open(line: line.line)) }
                    guard next[place].take(bytes, shift: shift) else { continue }
                    step(index + 1, next)
                }
            }
        }

        /// The messages to which a line may belong; the number of messages means a new message.
        private func candidates(for number: Int, at index: Int, _ open: [Open]) -> [Int] {
            if number > 0 || !open.contains(where: { $0.next == 0 }) {
                let begun = open.indices.filter {
                    open[$0].next > 0 && open[$0].next & 0xF == number && !open[$0].isComplete
                }
                // Without an announced length a message may be as short as its first line shows.
                return number == 0 ? begun + [open.count] : begun
            }
            // A length comes directly before its first line; another ECU's length may be in between.
            if index > 0, lines[index - 1].isLength { return [open.count - 1] }
            return open.indices.filter { open[$0].next == 0 }
        }

        private func finished(_ open: [Open]) -> [Found]? {
            var found: [Found] = []
            for message in open {
                guard let payload = message.payload, isAnswer(payload) else { return nil }
                found.append(
                    Found(
                        payload: payload, line: message.line, lines: message.next,
                        isAnnounced: message.total != nil))
            }
            return found
        }

        private func isAnswer(_ payload: [UInt8]) -> Bool {
            guard let first = payload.first else { return false }
            guard let service = request?.first else { return ServiceShape.isAnswer(first) }
            return first == service | 0x40
        }
    }
}

extension NumberedLines.Line {
    fileprivate var isLength: Bool {
        if case .length = content { true } else { false }
    }
}

extension NumberedLines.Open {
    /// Adds a line; false if it is too long or too short at this point.
    fileprivate mutating func take(_ line: [UInt8], shift: Int) -> Bool {
        let room = (next == 0 ? 6 : 7) - shift
        guard line.count <= room, !line.isEmpty else { return false }
        if let total {
            let missing = total - bytes.count
            guard line.count == room || line.count == missing else { return false }
            bytes += line.prefix(missing)
        } else {
            bytes += line
            isEnded = line.count < room
        }
        next += 1
        return true
    }

    /// The message; nil if it is not complete.
    fileprivate var payload: [UInt8]? {
        guard next > 0 else { return nil }
        if let total { return bytes.count == total ? bytes : nil }
        // The last line has at least one byte of the message.
        let shortest = bytes.count - (isEnded ? bytes.count : 6)
        guard let length = lengthByContent, length <= bytes.count,
            length > shortest || isEnded, Set(bytes[length...]).count <= 1
        else { return nil }
        return Array(bytes[..<length])
    }

    /// The length that the content of an answer shows; nil for other answers.
    private var lengthByContent: Int? {
        guard bytes.count > 2 else { return nil }
        let count = Int(bytes[1])
        switch bytes[0] {
        case 0x43, 0x47, 0x4A: return 2 + 2 * count
        case 0x53: return 2 + 2 * count
        case 0x57, 0x58: return 2 + 3 * count
        // Records of nine bytes, each with the monitor.
        case 0x46:
            let length = bytes.count - (bytes.count - 1) % 9
            let starts = stride(from: 1, to: length, by: 9)
            return starts.allSatisfy { bytes[$0] == bytes[1] } ? length : nil
        // The decoder distinguishes records from padding.
        case 0x59: return bytes.count
        // The standard leaves the format to the manufacturer, so that the characters have to be those of a VIN.
        case 0x5A where bytes[1] == 0x90 && hasVIN(at: 2): return 2 + 17
        case 0x62 where [[0xF1, 0x90], [0xF8, 0x02]].contains(bytes[1...2]) && hasVIN(at: 3):
            return 3 + 17
        case 0x49:
            let items = Int(bytes[2])
            switch bytes[1] {
            case 0x02, 0x0D, 0x0F: return 3 + 17 * items
            case 0x04: return 3 + 16 * items
            case 0x06: return 3 + 4 * items
            case 0x08, 0x0B: return 3 + 2 * items
            case 0x0A: return 3 + 20 * items
            default: return nil
            }
        default: return nil
        }
    }

    /// Whether the seventeen characters of a VIN begin at `start`: digits and capital letters without I, O and Q.
    private func hasVIN(at start: Int) -> Bool {
        let text = bytes.dropFirst(start).prefix(17)
        return text.count == 17
            && text.allSatisfy {
                (0x30...0x39).contains($0)
                    || (0x41...0x5A).contains($0) && ![0x49, 0x4F, 0x51].contains($0)
            }
    }
}
