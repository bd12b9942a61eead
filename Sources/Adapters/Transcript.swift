/// A recorded session: every chunk of bytes with its time and direction.
///
/// The text form, obdscan-transcript(5), is exact for every byte value:
///
/// ```
/// obdscan-transcript 1
/// # adapter: ELM327 v2.1
/// # vehicle: 2008 Example Car
/// 0.000000 > ATE0\r
/// 0.004812 < ATE0\rOK\r\r>
/// ```
/// First the magic line with the format's version, then headers, then chunks: seconds since the
/// start, `>` to the adapter or `<` from it, one blank, the bytes. `\r`, `\n`, `\\` and `\xHH` stand
/// for bytes that cannot stand as they are, and for a blank at the end of the line. Empty lines and
/// further lines that begin with `#` are passed over.
public struct Transcript: Hashable, Sendable {
    /// Which way bytes went; the raw value is how it is written.
    public enum Direction: String, Hashable, Sendable {
        /// From us to the adapter.
        case toAdapter = ">"
        /// From the adapter to us.
        case fromAdapter = "<"
    }

    /// Bytes that went together.
    public struct Chunk: Hashable, Sendable {
        /// Since the start of the recording; not negative.
        public var time: Duration
        /// Which way.
        public var direction: Direction
        /// The bytes.
        public var bytes: [UInt8]

        /// Bytes that went together.
        public init(time: Duration, direction: Direction, bytes: [UInt8]) {
            self.time = time
            self.direction = direction
            self.bytes = bytes
        }
    }

    /// Where the recording comes from: `# key: value`.
    public struct Header: Hashable, Sendable {
        /// Letters, digits, `-` and blanks.
        public var key: String
        /// One line.
        public var value: String

        /// A header.
        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The first line of every transcript.
    public static let magic = "obdscan-transcript 1"

    /// Where the recording comes from, in the order of the file.
    public var headers: [Header]
    /// All chunks, in order of time.
    public var chunks: [Chunk]

    /// A recording.
    public init(headers: [Header] = [], chunks: [Chunk] = []) {
        self.headers = headers
        self.chunks = chunks
    }

    /// The value of the first header with this key, whatever its case.
    public func header(_ key: String) -> String? {
        headers.first { $0.key.lowercased() == key.lowercased() }?.value
    }

    /// Whether a file that begins with `bytes` says that it is a transcript, of whichever version.
    public static func isTranscript(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: "obdscan-transcript ".utf8)
    }
}

/// What is wrong with a transcript, and where.
public struct TranscriptError: Error, Hashable, Sendable {
    /// The fault.
    public enum Fault: Hashable, Sendable {
        /// The first line is not the magic line.
        case notATranscript
        /// A version that this program does not know.
        case unknownVersion(String)
        /// A line that is neither a header nor a chunk.
        case malformedLine
        /// A time that is not a decimal number of seconds.
        case time(String)
        /// A time before that of the chunk before.
        case timeRunsBackwards
        /// A direction that is neither `>` nor `<`.
        case direction(String)
        /// A backslash that begins no known escape.
        case escape(String)
        /// A byte that has to be escaped.
        case unescapedByte(UInt8)
    }

    /// The fault.
    public var fault: Fault
    /// The line, from 1.
    public var line: Int

    /// A fault in a line.
    public init(_ fault: Fault, line: Int) {
        self.fault = fault
        self.line = line
    }

    /// One sentence for people.
    public var reason: String {
        switch fault {
        case .notATranscript: "the first line is not \"\(Transcript.magic)\""
        case .unknownVersion(let text): "transcript version \(text) is not known"
        case .malformedLine: "neither a header nor a chunk"
        case .time(let text): "\"\(text)\" is not a time in seconds"
        case .timeRunsBackwards: "earlier than the chunk before"
        case .direction(let text): "\"\(text)\" is neither > nor <"
        case .escape(let text): "unknown escape \(text)"
        case .unescapedByte(let byte):
            "byte \(String(byte, radix: 16, uppercase: true)) has to be escaped"
        }
    }
}
