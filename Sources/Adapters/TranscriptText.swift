import OBDCore

extension Transcript {
    // MARK: Writing

    /// The whole text.
    public var text: [UInt8] {
        var text = Self.opening(headers)
        for chunk in chunks { Self.append(chunk, to: &text) }
        return text
    }

    /// The magic line and the headers, which begin a recording.
    ///
    /// Line ends in a value become blanks, because a header is a single line.
    public static func opening(_ headers: [Header]) -> [UInt8] {
        var text = Array(magic.utf8)
        text.append(0x0A)
        for header in headers {
            let line = "# \(header.key): \(header.value)"
            text += line.utf8.map(inHeader)
            text.append(0x0A)
        }
        return text
    }

    /// A byte in a header; control characters become blanks.
    private static func inHeader(_ byte: UInt8) -> UInt8 {
        byte < 0x20 || byte == 0x7F ? 0x20 : byte
    }

    /// Appends the line of one chunk.
    public static func append(_ chunk: Chunk, to text: inout [UInt8]) {
        append(max(0, chunk.time.nanoseconds), to: &text)
        text.append(0x20)
        text += chunk.direction.rawValue.utf8
        text.append(0x20)
        for (index, byte) in chunk.bytes.enumerated() {
            switch byte {
            case 0x0D: text += [0x5C, 0x72]
            case 0x0A: text += [0x5C, 0x6E]
            case 0x5C: text += [0x5C, 0x5C]
            case 0x20 where index == chunk.bytes.count - 1: text += Array(#"\x20"#.utf8)
            case 0x20...0x7E: text.append(byte)
            default:
                text += [0x5C, 0x78]
                Hex.append(byte, to: &text)
            }
        }
        text.append(0x0A)
    }

    /// Appends seconds with six decimal places, or with nine if six are not exact.
    private static func append(_ nanoseconds: Int64, to text: inout [UInt8]) {
        text += String(nanoseconds / 1_000_000_000).utf8
        text.append(0x2E)
        var digits = Array(String(nanoseconds % 1_000_000_000).utf8)
        digits.insert(contentsOf: Array(repeating: 0x30, count: 9 - digits.count), at: 0)
        text += nanoseconds % 1000 == 0 ? digits.prefix(6) : digits[...]
    }

    // MARK: Reading

    /// Reads the text format; line ends may be LF or CR LF.
    ///
    /// - Throws: ``TranscriptError`` with the line and the reason.
    public init(parsing text: some Sequence<UInt8>) throws(TranscriptError) {
        self = try Self.parse(text).transcript
    }

    /// The transcript and the line number of each chunk, from 1.
    ///
    /// - Throws: ``TranscriptError`` with the line and the reason.
    public static func parse(
        _ text: some Sequence<UInt8>
    ) throws(TranscriptError) -> (transcript: Transcript, lines: [Int]) {
        var transcript = Transcript()
        var chunkLines: [Int] = []
        var number = 0
        for var line in Array(text).split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            if line.last == 0x0D { line.removeLast() }
            if number == 1 {
                try checkMagic(line)
            } else if line.isEmpty {
                continue
            } else if line.first == UInt8(ascii: "#") {
                if transcript.chunks.isEmpty, let header = header(in: line) {
                    transcript.headers.append(header)
                }
            } else {
                let chunk = try chunk(in: line, number: number)
                if let last = transcript.chunks.last, chunk.time < last.time {
                    throw TranscriptError(.timeRunsBackwards, line: number)
                }
                transcript.chunks.append(chunk)
                chunkLines.append(number)
            }
        }
        return (transcript, chunkLines)
    }

    private static func checkMagic(_ line: ArraySlice<UInt8>) throws(TranscriptError) {
        if line.elementsEqual(magic.utf8) { return }
        guard isTranscript(line) else { throw TranscriptError(.notATranscript, line: 1) }
        let version = line.dropFirst("obdscan-transcript ".utf8.count)
        throw TranscriptError(.unknownVersion(string(version)), line: 1)
    }

    private static func header(in line: ArraySlice<UInt8>) -> Header? {
        let content = line.dropFirst()
        guard content.first == 0x20, let colon = content.firstIndex(of: 0x3A) else { return nil }
        let key = content[content.index(after: content.startIndex)..<colon]
        let isKey = key.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x20: true
            default: false
            }
        }
        guard isKey, !key.isEmpty else { return nil }
        var value = content[(colon + 1)...]
        if value.first == 0x20 { value = value.dropFirst() }
        return Header(string(key), string(value.map(Self.inHeader)))
    }

    private static func chunk(
        in line: ArraySlice<UInt8>, number: Int
    ) throws(TranscriptError) -> Chunk {
        guard let first = line.firstIndex(of: 0x20) else {
            throw TranscriptError(.malformedLine, line: number)
        }
        let timeText = line[..<first]
        guard let nanoseconds = nanoseconds(timeText) else {
            throw TranscriptError(.time(string(timeText)), line: number)
        }
        let rest = line[(first + 1)...]
        let second = rest.firstIndex(of: 0x20) ?? rest.endIndex
        guard let direction = Direction(rawValue: string(rest[..<second])) else {
            throw TranscriptError(.direction(string(rest[..<second])), line: number)
        }
        let bytes = try unescaped(rest[second...].dropFirst(), number: number)
        return Chunk(time: .nanoseconds(nanoseconds), direction: direction, bytes: bytes)
    }

    /// Reads a decimal number with up to nine decimal places; nil for anything else.
    private static func nanoseconds(_ text: ArraySlice<UInt8>) -> Int64? {
        let parts = text.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !parts[0].isEmpty, parts[0].count <= 9 else {
            return nil
        }
        var total: Int64 = 0
        for byte in parts[0] {
            guard (0x30...0x39).contains(byte) else { return nil }
            total = total * 10 + Int64(byte - 0x30)
        }
        total *= 1_000_000_000
        guard parts.count == 2 else { return total }
        guard (1...9).contains(parts[1].count) else { return nil }
        var weight: Int64 = 100_000_000
        for byte in parts[1] {
            guard (0x30...0x39).contains(byte) else { return nil }
            total += Int64(byte - 0x30) * weight
            weight /= 10
        }
        return total
    }

    private static func unescaped(
        _ text: ArraySlice<UInt8>, number: Int
    ) throws(TranscriptError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            guard (0x20...0x7E).contains(byte) else {
                throw TranscriptError(.unescapedByte(byte), line: number)
            }
            guard byte == 0x5C else {
                bytes.append(byte)
                index += 1
                continue
            }
            let escape = text[index...].prefix(4)
            switch escape.dropFirst().first {
            case 0x72: bytes.append(0x0D)
            case 0x6E: bytes.append(0x0A)
            case 0x5C: bytes.append(0x5C)
            case 0x78:
                let digits = escape.dropFirst(2).compactMap { Hex.value($0) }
                guard digits.count == 2 else {
                    throw TranscriptError(.escape(string(escape)), line: number)
                }
                bytes.append(digits[0] << 4 | digits[1])
                index += 2
            default: throw TranscriptError(.escape(string(escape.prefix(2))), line: number)
            }
            index += 2
        }
        return bytes
    }

    private static func string(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }
}
